/* The lines of both versions, which of them are the same, and contexts that consist of them. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/waste/baseline/waste_baseline.h"
#include "analyze/waste/baseline/waste_baseline_align.h"
#include "stats/distributions/critical.h"
#include "trace/names/method_name.h"

static struct waste_line *waste_line_at(const struct waste_version_state *version, size_t index)
{
    return keyed_at(&version->lines, index);
}

/* ------------------------------------------------------------------------------------------ lines -- */

/* The index of a line; KEYED_FULL without memory. */
static uint32_t waste_line_add(struct waste_compared *compared, struct waste_version_state *version, const char *frame)
{
    char function[METHOD_NAME_MAX + 32];
    uint64_t reach;
    struct waste_line line = {.text = text_set_add(&compared->texts, frame)};
    size_t length = waste_frame_split(frame, &line.position, &reach);
    line.form = reach == 0 ? LINE_NAME : reach == WASTE_NEAR_BYTES ? LINE_ADDRESS : LINE_NUMBER;
    snprintf(function, sizeof function, "%.*s", (int)length, frame);
    line.function = text_set_add(&compared->texts, function);
    bool full = line.text == TEXT_SET_FULL || line.function == TEXT_SET_FULL;
    return full ? KEYED_FULL : keyed_add(&version->lines, &line);
}

/* The line of each node. 0 or ENOMEM. */
static int waste_version_add_lines(struct waste_compared *compared, struct waste_version_state *version)
{
    const struct waste *waste = version->waste;
    size_t count = waste_count(waste, WASTE_NODE_ROWS);
    version->line_of = calloc(count + 1, sizeof *version->line_of);
    version->context_of = calloc(count + 1, sizeof *version->context_of);
    int error = version->line_of && version->context_of ? waste_find_own(waste, &version->own) : ENOMEM;
    for (uint32_t node = 0; !error && node < count; node++) {
        uint32_t text = waste_node_at(waste, node)->text;
        uint32_t line = waste_line_add(compared, version, text == FIELD_NONE ? "[unknown]" : waste_text(waste, text));
        version->line_of[node] = line;
        error = line == KEYED_FULL ? ENOMEM : 0;
    }
    return error;
}

/* The nodes of accesses, their loops and objects: which functions a profile samples differs from run to run. NULL
 * without memory. */
static bool *waste_version_mark_accesses(const struct waste_compared *compared,
                                         const struct waste_version_state *version)
{
    const struct waste *waste = version->waste;
    bool *marked = calloc(waste_count(waste, WASTE_NODE_ROWS) + 1, sizeof *marked);
    for (size_t i = 0; marked && i < waste_count(waste, WASTE_PAIR_ROWS); i++) {
        const struct waste_pair *pair = waste_row(waste, WASTE_PAIR_ROWS, i);
        const struct waste_object *object = waste_row(waste, WASTE_OBJECT_ROWS, pair->object);
        const uint32_t nodes[] = {pair->first, pair->second, pair->scope, object->node};
        for (size_t n = 0; n < 4 && compared->recorded >> pair->waste & 1; n++)
            for (uint32_t node = nodes[n]; node != 0 && !marked[node]; node = waste_node_at(waste, node)->parent)
                marked[node] = true;
    }
    return marked;
}

/* Which functions each line calls. 0 or ENOMEM. */
static int waste_version_add_calls(const struct waste_compared *compared, struct waste_version_state *version)
{
    struct call {
        uint32_t line, function;
    };
    struct keyed calls = {.item_bytes = sizeof(struct call), .key_bytes = sizeof(struct call)};
    bool *marked = waste_version_mark_accesses(compared, version);
    int error = marked ? 0 : ENOMEM;
    for (uint32_t node = 1; !error && node < waste_count(version->waste, WASTE_NODE_ROWS); node++) {
        uint32_t parent = waste_node_at(version->waste, node)->parent;
        if (parent == 0 || !marked[node])
            continue;
        const struct call call = {version->line_of[parent], waste_line_at(version, version->line_of[node])->function};
        size_t known = calls.count;
        error = keyed_add(&calls, &call) == KEYED_FULL ? ENOMEM : 0;
        if (calls.count > known)
            waste_line_at(version, call.line)->calls += hash_text(compared->texts.texts[call.function], 0);
    }
    keyed_free(&calls);
    free(marked);
    return error;
}

/* 0 or ENOMEM. */
static int waste_version_add_amounts(const struct waste_compared *compared, struct waste_version_state *version)
{
    const struct waste *waste = version->waste;
    size_t runs = version->group->run_count;
    double *amounts = version->amounts = calloc(version->lines.count * runs * LINE_AMOUNTS + 1, sizeof *amounts);
    if (!amounts)
        return ENOMEM;
    for (size_t i = 0; i < waste_count(waste, WASTE_PAIR_ROWS); i++) {
        const struct waste_pair *pair = waste_row(waste, WASTE_PAIR_ROWS, i);
        size_t run = version->group->run_of[pair->source];
        if (run == SIZE_MAX || !(compared->recorded >> pair->waste & 1))
            continue;
        uint32_t node = version->own[pair->waste == WASTE_DEAD_STORE ? pair->first : pair->second];
        double wasted = (double)(pair->wasted[VALUES_PRECISE] + pair->wasted[VALUES_APPROXIMATE]);
        double *line = amounts + (version->line_of[node] * runs + run) * LINE_AMOUNTS;
        line[LINE_WASTED + pair->waste] += wasted;
        line[LINE_BYTES + pair->waste] += (double)pair->bytes;
        const struct waste_object *object = waste_row(waste, WASTE_OBJECT_ROWS, pair->object);
        uint32_t origin = version->line_of[version->own[object->node]];
        if (pair->object)
            amounts[(origin * runs + run) * LINE_AMOUNTS + LINE_OBJECT + pair->waste] += (double)pair->bytes;
        if (pair->scope)
            amounts[(version->line_of[pair->scope] * runs + run) * LINE_AMOUNTS + LINE_SCOPE + pair->waste] += wasted;
    }
    return 0;
}

/* Means over runs, and the variances of these means. 0 or ENOMEM. */
static int waste_version_add_means(struct waste_version_state *version)
{
    size_t runs = version->group->run_count;
    double *values = calloc(2 * runs + 2, sizeof *values), *counted = values ? values + runs + 1 : NULL;
    for (size_t l = 0; values && l < version->lines.count; l++)
        for (size_t a = 0; a < LINE_AMOUNTS; a++) {
            for (size_t r = 0; r < runs; r++)
                values[r] = version->amounts[(l * runs + r) * LINE_AMOUNTS + a];
            size_t n = waste_baseline_values(version, UINT32_C(1) << a % WASTE_COUNT, values, counted);
            double mean = 0, squares = 0;
            for (size_t r = 0; r < n; r++)
                mean += counted[r] / (double)n;
            for (size_t r = 0; r < n; r++)
                squares += (counted[r] - mean) * (counted[r] - mean);
            waste_line_at(version, l)->means[a] = mean;
            waste_line_at(version, l)->errors[a] = n > 1 ? squares / (double)(n - 1) / (double)n : 0;
        }
    free(values);
    return values ? 0 : ENOMEM;
}

/* ------------------------------------------------------------------------------------------ times -- */

static int waste_compare_run_texts(const void *a, const void *b, void *user)
{
    const struct waste *waste = user;
    return strcmp(waste_text(waste, *(const uint32_t *)a), waste_text(waste, *(const uint32_t *)b));
}

/* CPU time by line: samples times their period, in whole ns, so that the order does not matter. 0 or ENOMEM. */
static int waste_version_add_times(struct waste_version_state *version)
{
    size_t count = waste_count(version->waste, WASTE_TIME_ROWS), runs = 0;
    uint32_t *names = version->time_runs = calloc(count + 1, sizeof *names);
    for (size_t i = 0; names && i < count; i++) {
        const struct waste_time *time = waste_row(version->waste, WASTE_TIME_ROWS, i);
        size_t run = 0;
        while (run < runs && names[run] != time->run)
            run++;
        if (run == runs)
            names[runs++] = time->run;
    }
    version->time_run_count = runs;
    version->times = calloc(version->lines.count * runs + 1, sizeof *version->times);
    version->run_times = calloc(runs + 1, sizeof *version->run_times);
    if (!names || !version->times || !version->run_times)
        return ENOMEM;
    qsort_r(names, runs, sizeof *names, waste_compare_run_texts, version->waste);
    for (size_t i = 0, run = 0; i < count; i++) {
        const struct waste_time *time = waste_row(version->waste, WASTE_TIME_ROWS, i);
        if (names[run] != time->run)
            for (run = 0; names[run] != time->run;)
                run++;
        double ns = (double)time->samples * (double)time->period_ns;
        version->times[version->line_of[version->own[time->node]] * runs + run] += ns;
        version->run_times[run] += ns;
        version->samples += time->samples;
    }
    return 0;
}

/* ------------------------------------------------------------------------------------------ alignment -- */

/* The lines of one function in one version, in order. */
struct section {
    const struct waste_version_state *version;
    const uint32_t *lines; /* indices */
};
struct section_pair {
    struct section old, new;
    double quantile; /* 0: only equal amounts agree */
};

static bool waste_lines_agree(const void *user, size_t i, size_t j)
{
    const struct section_pair *pair = user;
    const struct waste_line *old = waste_line_at(pair->old.version, pair->old.lines[i]),
                            *new = waste_line_at(pair->new.version, pair->new.lines[j]);
    bool any = old->calls != 0;
    if (old->calls != new->calls)
        return false;
    for (size_t a = 0; a < LINE_AMOUNTS; a++) {
        double half = pair->quantile * sqrt(old->errors[a] + new->errors[a]);
        any |= old->means[a] != 0;
        if (old->means[a] != new->means[a] && !(fabs(new->means[a] - old->means[a]) <= half))
            return false;
    }
    return any; /* lines without accesses and calls prove nothing */
}

static enum align_calls waste_compare_calls(const void *user, size_t i, size_t j)
{
    const struct section_pair *pair = user;
    uint64_t old = waste_line_at(pair->old.version, pair->old.lines[i])->calls,
             new = waste_line_at(pair->new.version, pair->new.lines[j])->calls;
    return old == 0 || new == 0 ? ALIGN_NEUTRAL : old == new ? ALIGN_SAME : ALIGN_CLASH;
}

static int waste_compare_lines(const void *a, const void *b, void *user)
{
    const struct waste_version_state *version = user;
    const struct waste_line *x = waste_line_at(version, *(const uint32_t *)a),
                            *y = waste_line_at(version, *(const uint32_t *)b);
    if (x->function != y->function)
        return x->function < y->function ? -1 : 1;
    if (x->form != y->form)
        return x->form < y->form ? -1 : 1;
    return x->position < y->position ? -1 : x->position > y->position;
}

/* By function, form and position; NULL without memory. */
static uint32_t *waste_sort_lines(const struct waste_version_state *version)
{
    uint32_t *sorted = malloc((version->lines.count + 1) * sizeof *sorted);
    for (uint32_t i = 0; sorted && i < version->lines.count; i++)
        sorted[i] = i;
    if (sorted)
        qsort_r(sorted, version->lines.count, sizeof *sorted, waste_compare_lines, (void *)(uintptr_t)version);
    return sorted;
}

/* The end of the section that begins at sorted[begin]. */
static size_t waste_section_end(const struct waste_version_state *version, const uint32_t *sorted, size_t begin)
{
    const struct waste_line *first = waste_line_at(version, sorted[begin]);
    size_t end = begin + 1;
    while (end < version->lines.count && waste_line_at(version, sorted[end])->function == first->function &&
           waste_line_at(version, sorted[end])->form == first->form)
        end++;
    return end;
}

/* Gives old lines the numbers of those that they are aligned with. 0 or ENOMEM. */
static int waste_align_section(struct waste_compared *compared, const struct section_pair *pair, size_t n, size_t m)
{
    struct align_line *old = calloc(n + m, sizeof *old), *new = old ? old + n : NULL;
    if (!old)
        return ENOMEM;
    for (size_t i = 0; i < n; i++)
        old[i].position = waste_line_at(pair->old.version, pair->old.lines[i])->position;
    for (size_t j = 0; j < m; j++)
        new[j].position = waste_line_at(pair->new.version, pair->new.lines[j])->position;
    compared->unaligned += n > ALIGN_PAIRS_MAX / m;
    const struct align_facts facts = {waste_lines_agree, waste_compare_calls, pair};
    int error = align_lines(old, n, new, m, &facts);
    for (size_t i = 0; !error && i < n; i++)
        if (old[i].partner != SIZE_MAX)
            waste_line_at(pair->old.version, pair->old.lines[i])->number = pair->new.lines[old[i].partner];
    free(old);
    return error;
}

/* For the kind that fewest runs recorded. */
static double waste_alignment_quantile(const struct waste_compared *compared)
{
    size_t least = SIZE_MAX;
    double quantile;
    for (unsigned w = 0; w < WASTE_COUNT; w++)
        for (size_t v = 0; v < WASTE_VERSIONS && compared->recorded >> w & 1; v++) {
            const struct waste_group *group = compared->versions[v].group;
            size_t runs = 0;
            for (size_t r = 0; r < group->run_count; r++)
                runs += group->kinds[r] >> w & 1;
            least = runs < least ? runs : least;
        }
    bool varies =
        least > 1 && critical_t(compared->report->options->confidence, (double)(least - 1), &quantile) == STATS_OK;
    return varies ? quantile : 0;
}

static int waste_align_versions(struct waste_compared *compared)
{
    const struct waste_version_state *old = &compared->versions[WASTE_OLD], *new = &compared->versions[WASTE_CURRENT];
    uint32_t *before = waste_sort_lines(old), *after = waste_sort_lines(new);
    int error = before && after ? 0 : ENOMEM;
    struct section_pair pair = {{old, before}, {new, after}, waste_alignment_quantile(compared)};
    for (uint32_t j = 0; j < new->lines.count; j++)
        waste_line_at(new, j)->number = j;
    for (uint32_t i = 0; i < old->lines.count; i++)
        waste_line_at(old, i)->number = (uint32_t) new->lines.count + i;
    for (size_t i = 0, j = 0; !error && i < old->lines.count && j < new->lines.count;) {
        const struct waste_line *x = waste_line_at(old, before[i]), *y = waste_line_at(new, after[j]);
        bool same = x->function == y->function && x->form == y->form;
        bool first = x->function < y->function || (x->function == y->function && x->form < y->form);
        size_t x_end = same || first ? waste_section_end(old, before, i) : i,
               y_end = same || !first ? waste_section_end(new, after, j) : j;
        pair.old.lines = before + i;
        pair.new.lines = after + j;
        error = same ? waste_align_section(compared, &pair, x_end - i, y_end - j) : 0;
        i = x_end;
        j = y_end;
    }
    free(before);
    free(after);
    return error;
}

/* ------------------------------------------------------------------------------------------ contexts -- */

static int waste_number_contexts(struct waste_compared *compared, struct waste_version_state *version)
{
    struct {
        uint32_t parent, line;
    } key;
    for (uint32_t node = 1; node < waste_count(version->waste, WASTE_NODE_ROWS); node++) {
        key.parent = version->context_of[waste_node_at(version->waste, node)->parent];
        key.line = waste_line_at(version, version->line_of[node])->number;
        uint32_t index = keyed_add(&compared->contexts, &key);
        if (index == KEYED_FULL)
            return ENOMEM;
        version->context_of[node] = index + 1;
    }
    return 0;
}

int waste_baseline_lines(struct waste_compared *compared)
{
    int error = 0;
    for (size_t v = 0; !error && v < WASTE_VERSIONS; v++) {
        struct waste_version_state *version = &compared->versions[v];
        error = waste_version_add_lines(compared, version);
        if (!error)
            error = waste_version_add_calls(compared, version);
        if (!error)
            error = waste_version_add_amounts(compared, version);
        if (!error)
            error = waste_version_add_means(version);
        if (!error)
            error = waste_version_add_times(version);
    }
    if (!error)
        error = waste_align_versions(compared);
    compared->contexts = (struct keyed){.item_bytes = 2 * sizeof(uint32_t), .key_bytes = 2 * sizeof(uint32_t)};
    for (size_t v = 0; !error && v < WASTE_VERSIONS; v++)
        error = waste_number_contexts(compared, &compared->versions[v]);
    return error;
}

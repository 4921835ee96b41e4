#include "analyze/variance/tables.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/cli/number.h"

enum { TOP_FOR_READERS = 20, CONTEXT_BYTES = 4096 };

/* ------------------------------------------------------------------------------------------ nodes -- */

/* A function in its context, with its cells. */
struct node_row {
    uint32_t node;
    const uint32_t *cells;
    size_t count;
    double share;
    const char *function;
};

struct node_rows {
    struct node_row *rows;
    uint32_t *cells;
    size_t count;
};

static int variance_compare_cells(const void *a, const void *b, void *user)
{
    const struct variance *variance = user;
    uint32_t x = variance_cell_at(variance, *(const uint32_t *)a)->node;
    uint32_t y = variance_cell_at(variance, *(const uint32_t *)b)->node;
    return x < y ? -1 : x > y;
}

static int variance_compare_rows(const void *a, const void *b)
{
    const struct node_row *x = a, *y = b;
    if (x->share != y->share)
        return x->share > y->share ? -1 : 1;
    int order = strcmp(x->function, y->function);
    return order != 0 ? order : x->node < y->node ? -1 : x->node > y->node;
}

static bool variance_collect_nodes(const struct variance *variance, struct node_rows *out)
{
    size_t cells = variance_cell_count(variance);
    *out = (struct node_rows){.rows = calloc(variance_node_count(variance) + 1, sizeof *out->rows),
                              .cells = calloc(cells + 1, sizeof *out->cells)};
    if (!out->rows || !out->cells)
        return false;
    for (uint32_t i = 0; i < cells; i++)
        out->cells[i] = i;
    qsort_r(out->cells, cells, sizeof *out->cells, variance_compare_cells, (void *)variance);
    for (size_t i = 0; i < cells; i++) {
        uint32_t node = variance_cell_at(variance, out->cells[i])->node;
        if (out->count == 0 || out->rows[out->count - 1].node != node)
            out->rows[out->count++] =
                (struct node_row){.node = node,
                                  .cells = &out->cells[i],
                                  .function = variance_text(variance, variance_node_at(variance, node)->function)};
        out->rows[out->count - 1].count++;
    }
    return true;
}

/* Functions that are only seen on the stack have no instances. */
static void variance_drop_empty_rows(const struct variance *variance, struct node_rows *rows)
{
    size_t left = 0;
    for (size_t i = 0; i < rows->count; i++) {
        uint64_t n = 0;
        for (size_t c = 0; c < rows->rows[i].count; c++)
            n += variance_cell_at(variance, rows->rows[i].cells[c])->times.n;
        if (n > 0)
            rows->rows[left++] = rows->rows[i];
    }
    rows->count = left;
}

/* "main > solve > multiply"; cut in front. */
static void variance_context_text(const struct variance *variance, uint32_t node, char text[CONTEXT_BYTES])
{
    static const char arrow[] = " > ";
    size_t at = CONTEXT_BYTES - 1;
    text[at] = '\0';
    if (variance_node_at(variance, node)->beyond) {
        snprintf(text, CONTEXT_BYTES, "(other contexts)");
        return;
    }
    for (uint32_t up = variance_node_at(variance, node)->parent; up != FIELD_NONE;
         up = variance_node_at(variance, up)->parent) {
        const char *name = variance_text(variance, variance_node_at(variance, up)->function);
        size_t length = strlen(name), gap = text[at] ? sizeof arrow - 1 : 0;
        if (length + gap > at)
            break;
        at -= gap;
        memcpy(text + at, arrow, gap);
        at -= length;
        memcpy(text + at, name, length);
    }
    memmove(text, text + at, CONTEXT_BYTES - at);
}

/* ------------------------------------------------------------------------------------------ variance -- */

/* The names of all metrics of all runs, in their order. */
static size_t variance_metric_names(const struct variance *variance, const char *names[], size_t most)
{
    size_t count = 0;
    for (size_t r = 0; r < variance_run_count(variance); r++)
        for (size_t m = 0; m < variance_metric_count(variance_run_at(variance, r)); m++) {
            const char *name = variance_text(variance, variance_run_at(variance, r)->metrics[m]);
            size_t known = 0;
            while (known < count && strcmp(names[known], name) != 0)
                known++;
            if (known == count && count < most)
                names[count++] = name;
        }
    return count;
}

static void variance_add_row(struct report *report, const struct variance *variance,
                             const struct variance_request *request, const struct node_row *row, const char *metric,
                             const struct variance_estimate *estimate)
{
    char context[CONTEXT_BYTES];
    bool trends = estimate->trend.low > 0 || estimate->trend.high < 0;
    variance_context_text(variance, row->node, context);
    const struct variance_row cells = {.function = row->function,
                                       .context = context,
                                       .metric = metric,
                                       .guidance = guidance_name(guidance_of(estimate, &request->thresholds)),
                                       .estimate = *estimate,
                                       .trend = trends ? estimate->trend.value : NAN};
    report_row(report, &cells);
}

static void variance_note_method(const struct variance *variance, const struct variance_request *request,
                                 const char *basis, const bool given[GUIDANCE_COUNT], struct report *report)
{
    char share[NUMBER_PERCENT_MAX], within[NUMBER_PERCENT_MAX], between[NUMBER_PERCENT_MAX],
        confidence[NUMBER_PERCENT_MAX];
    size_t runs = variance_run_count(variance);
    report_note(report,
                "cv: standard deviation of instances within threads / mean, with its %s %% interval %s; "
                "cv_between_threads: of the threads' means, without what instances within them explain",
                number_percent(report->options->confidence, confidence),
                runs > 1 ? "over runs" : "(instances taken as independent)");
    bool chosen = false, every = false;
    for (size_t r = 0; r < runs; r++) {
        const struct variance_run *run = variance_run_at(variance, r);
        chosen |= run->outcomes[INSTANCE_CALL] > 0 && !run->every;
        every |= run->every;
    }
    report_note(report,
                "share: of the program's %s%s; trend: change from the first instance to the last, if it differs "
                "from 0",
                basis, chosen ? " (chosen calls: of the clock's samples, by what is on the stack)" : "");
    if (every)
        report_note(report,
                    "engine exact: every call of the functions that were named, with simulated counters; elapsed "
                    "times are Valgrind's, and not shown");
    report_note(report, "guidance: high is a share above %s %%, a cv above %s %% within or %s %% between threads",
                number_percent(request->thresholds.share, share), number_percent(request->thresholds.within, within),
                number_percent(request->thresholds.between, between));
    for (size_t g = 0; g < GUIDANCE_COUNT; g++)
        if (given[g])
            report_note(report, "%s: %s", guidance_name((enum variance_guidance)g),
                        guidance_sentence((enum variance_guidance)g));
}

static void variance_warn_of_losses(const struct variance *variance, struct report *report)
{
    uint64_t unfinished = 0, orphans = 0, backwards = 0, below = 0, instances = 0, others = 0;
    for (size_t r = 0; r < variance_run_count(variance); r++) {
        const struct variance_run *run = variance_run_at(variance, r);
        unfinished += run->unfinished;
        orphans += run->orphans;
        backwards += run->backwards;
        below += run->below_probe;
    }
    for (size_t i = 0; i < variance_cell_count(variance); i++) {
        const struct variance_cell *cell = variance_cell_at(variance, i);
        instances += cell->times.n;
        others += variance_node_at(variance, cell->node)->beyond ? cell->times.n : 0;
    }
    if (others > 0)
        report_warn(
            report,
            "%llu of %llu instances are in contexts beyond the first %d or of more than %d functions, which are "
            "taken together",
            (unsigned long long)others, (unsigned long long)instances, VARIANCE_CONTEXTS, VARIANCE_DEPTH);
    if (unfinished > 0)
        report_note(report, "%llu calls had no end of their own, and are no instances", (unsigned long long)unfinished);
    if (orphans > 0)
        report_warn(report, "%llu exits had no entry, and were left out", (unsigned long long)orphans);
    if (backwards > 0)
        report_warn(report, "%llu events have a time or counter below the previous one's, and count as equal to it",
                    (unsigned long long)backwards);
    if (below > 0)
        report_warn(
            report,
            "%llu of %llu instances took less time than recording them (with probes they count as 0): what so short "
            "calls vary by is mostly that of the recorder",
            (unsigned long long)below, (unsigned long long)instances);
}

/* What became of the calls that were chosen, or (`every`) that engine exact has recorded. */
static void variance_note_outcomes(const struct variance *variance, bool every, struct report *report)
{
    uint64_t all[INSTANCE_COUNT] = {0};
    uint64_t classes[NOISE_CLASSES] = {0};
    struct field_counts noise = {classes, NOISE_CLASSES};
    bool stepped = false;
    for (size_t r = 0; r < variance_run_count(variance); r++) {
        if (variance_run_at(variance, r)->every != every)
            continue;
        stepped |= variance_run_at(variance, r)->stepped > 0;
        field_counts_class.join(&noise, &variance_run_at(variance, r)->noise[0]);
        for (size_t what = 0; what < INSTANCE_COUNT; what++)
            all[what] += variance_run_at(variance, r)->outcomes[what];
    }
    if (all[INSTANCE_CALL] == 0)
        return;
    uint64_t ended = all[INSTANCE_RETURN] + all[INSTANCE_LEFT] + all[INSTANCE_GIVEN_UP];
    report_note(report,
                "%llu calls were %s: %llu returned, %llu were left by longjmp, an exception or for another "
                "stack, %llu were given up, %llu had not returned at the end of their thread or process",
                (unsigned long long)all[INSTANCE_CALL], every ? "recorded" : "chosen at random",
                (unsigned long long)all[INSTANCE_RETURN], (unsigned long long)all[INSTANCE_LEFT],
                (unsigned long long)all[INSTANCE_GIVEN_UP],
                (unsigned long long)(all[INSTANCE_CALL] > ended ? all[INSTANCE_CALL] - ended : 0));
    if (variance_noise_count(&noise) > 0)
        report_note(report,
                    "what the recorder took is subtracted: it is known to %.2g us (standard deviation) a call; but its "
                    "handlers use the caches, so a chosen call takes one or two microseconds more than others, which "
                    "matters where calls take less than ten times that",
                    variance_noise_sd(&noise) / 1e3);
    if (stepped)
        report_note(report, "calls were found by steps (engine trampoline), which miss those that begin long after the "
                            "call or return before: instances of one function show its variance, but n of several "
                            "functions does not show which of them is called more often");
    uint64_t none = all[INSTANCE_TOO_MANY] + all[INSTANCE_NO_CALL] + all[INSTANCE_BLOCKED] + all[INSTANCE_REFUSED] +
                    all[INSTANCE_SKIDDED];
    if (none > 0)
        report_note(
            report,
            "%llu more searches chose no call: %llu were too costly, on a stack that is not followed, or their thread "
            "ended, "
            "%llu found too many "
            "calls open, in %llu the program had taken SIGTRAP, in %llu the function uses its return address, in "
            "%llu the interrupt came too late to tell which call it was",
            (unsigned long long)none, (unsigned long long)all[INSTANCE_NO_CALL],
            (unsigned long long)all[INSTANCE_TOO_MANY], (unsigned long long)all[INSTANCE_BLOCKED],
            (unsigned long long)all[INSTANCE_REFUSED], (unsigned long long)all[INSTANCE_SKIDDED]);
}

static size_t variance_shown_count(const struct variance_request *request, const struct report *report, size_t count)
{
    uint64_t top = request->has_top ? request->top : report->options->human_readable ? TOP_FOR_READERS : 0;
    return top == 0 || top > count ? count : (size_t)top;
}

int variance_table(const struct variance *variance, const struct variance_request *request, struct report *report)
{
    const char *names[METRIC_NAMES_MAX], *basis = request->basis ? request->basis : variance_basis(variance);
    size_t name_count = variance_metric_names(variance, names, METRIC_NAMES_MAX);
    struct node_rows nodes;
    struct variance_estimate estimate;
    bool given[GUIDANCE_COUNT] = {false}, good = variance_collect_nodes(variance, &nodes);
    good = good &&
           report_tables(report, &variance_tables[VARIANCE_TABLE], request->wish.contexts ? WITH_CONTEXTS : 0) == 0;
    for (size_t i = 0; good && i < nodes.count; i++) {
        struct node_row *row = &nodes.rows[i];
        variance_estimate(variance, row->cells, row->count, basis, basis, report->options, &estimate);
        row->share = isnan(estimate.share.value) ? 0 : estimate.share.value;
    }
    if (good)
        variance_drop_empty_rows(variance, &nodes);
    if (good)
        qsort(nodes.rows, nodes.count, sizeof *nodes.rows, variance_compare_rows);
    size_t count = variance_shown_count(request, report, nodes.count);
    for (size_t i = 0; good && i < count; i++)
        for (size_t m = 0; m < name_count; m++) {
            if (request->metric && strcmp(request->metric, names[m]) != 0)
                continue;
            const struct node_row *row = &nodes.rows[i];
            variance_estimate(variance, row->cells, row->count, names[m], basis, report->options, &estimate);
            if (estimate.n == 0)
                continue;
            variance_add_row(report, variance, request, row, names[m], &estimate);
            if (estimate.heavy && estimate.runs == 1)
                report_warn_of(report, row->function, "",
                               "a few instances make most of the variance, so its interval "
                               "is too narrow: record more of them, or several runs");
            if (estimate.noisy)
                report_warn_of(
                    report, row->function, "",
                    "a quarter or more of the variance was that of the recorder's own cost; it is subtracted, "
                    "but these calls are too short to be measured well one by one");
            given[guidance_of(&estimate, &request->thresholds)] = true;
        }
    if (count < nodes.count)
        report_note(report, "%zu more functions are not shown (--top 0 shows all)", nodes.count - count);
    variance_note_method(variance, request, basis, given, report);
    variance_note_outcomes(variance, false, report);
    variance_note_outcomes(variance, true, report);
    variance_warn_of_losses(variance, report);
    free(nodes.rows);
    free(nodes.cells);
    return good ? 0 : ENOMEM;
}

/* ------------------------------------------------------------------------------------------ instances -- */

static int variance_compare_instances(const void *a, const void *b, void *user)
{
    const struct variance *variance = user;
    const struct variance_instance *x = a, *y = b;
    int order = strcmp(variance_text(variance, x->thread), variance_text(variance, y->thread));
    return order != 0 ? order : x->time < y->time ? -1 : x->time > y->time;
}

/* Instances over time, a series for each thread. Source: Su 2020, Fig. 5.8. */
static void variance_plot_instances(const struct variance *variance, const struct variance_request *request,
                                    struct report *report)
{
    static const struct table_column columns[] = {{"series", TABLE_TEXT}, {"x", TABLE_REAL}, {"y", TABLE_REAL}};
    const char *metric = request->metric ? request->metric : variance_basis(variance);
    report->figure = table_new(columns, sizeof columns / sizeof *columns);
    report->x_label = "Time (s)";
    report->y_label = request->metric ? request->metric : "Time of an instance (ns)";
    for (size_t i = 0; report->figure && i < variance_instance_count(variance); i++) {
        const struct variance_instance *instance = variance_instance_at(variance, i);
        const char *thread = variance_text(variance, instance->thread), *slash = strrchr(thread, '/');
        int m = variance_metric(variance, variance_run_at(variance, instance->run), metric);
        table_text(report->figure, slash ? slash + 1 : thread);
        table_real(report->figure, instance->time);
        table_real(report->figure, m < 0 ? NAN : instance->values[m]);
    }
}

int variance_instances_table(const struct variance *variance, const struct variance_request *request,
                             struct report *report)
{
    const char *names[METRIC_NAMES_MAX];
    size_t name_count = variance_metric_names(variance, names, METRIC_NAMES_MAX);
    size_t instances = variance_instance_count(variance), count = variance_shown_count(request, report, instances);
    struct column columns[INSTANCE_COLUMNS - 1 + METRIC_NAMES_MAX];
    memcpy(columns, instance_columns, sizeof instance_columns);
    for (size_t m = 0; m < name_count; m++) {
        struct column *column = &columns[INSTANCE_COLUMNS - 1 + m];
        *column = instance_columns[INSTANCE_COLUMNS - 1];
        column->name = names[m];
        column->offset += m * sizeof(double);
    }
    const struct columns table = {.items = columns, .count = INSTANCE_COLUMNS - 1 + name_count};
    int error = report_tables(report, &table, 0);
    if (instances > 0)
        qsort_r(variance_instance_at(variance, 0), instances, sizeof(struct variance_instance),
                variance_compare_instances, (void *)variance);
    for (size_t i = 0; !error && i < count; i++) {
        const struct variance_instance *instance = variance_instance_at(variance, i);
        char context[CONTEXT_BYTES];
        variance_context_text(variance, instance->node, context);
        struct instance_row row = {
            variance_text(variance, instance->thread), context, instance->time, instance->weight, {0}};
        for (size_t m = 0; m < name_count; m++) {
            int own = variance_metric(variance, variance_run_at(variance, instance->run), names[m]);
            row.values[m] = own < 0 ? NAN : instance->values[own];
        }
        report_row(report, &row);
    }
    report->columns = NULL; /* they end here */
    if (report->wants_figure)
        variance_plot_instances(variance, request, report);
    if (count < instances)
        report_note(report, "%zu more instances are not shown (--top 0 shows all)", instances - count);
    if (instances == 0) {
        report_warn(report, "no instance of '%s' is recorded", request->wish.instances);
        report->no_result = true;
    }
    return error;
}

#include "collect/experiment/results/steps.h"

#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "base/text_set.h"
#include "collect/experiment/description/spec_read.h"

#define STEPS_COUNT(array) (sizeof(array) / sizeof *(array))

/* Programs on tables get the table of runs, all others get traces. */
static const char *const steps_table_verbs[] = {"acf", "anova", "ci", "compare", "fit", "history", "warmup"};
static const char *const steps_trace_verbs[] = {"agree",     "audit",  "cache", "causality", "dump",     "hot",  "info",
                                                "intervals", "phases", "rate",  "strides",   "variance", "waste"};

static bool steps_is_among(const char *word, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(words[i], word) == 0)
            return true;
    return false;
}

/* ------------------------------------------------------------------------------------------------ checking -- */

/* What the program prints to the line with --help at its end, where it runs no further. `first`, unless it is NULL,
 * comes before the line. With `in_order`, options end at the first input. */
static const char *steps_read_help(struct spec *spec, struct launcher *launcher, const struct words *line,
                                   const char *first, bool in_order, int *status)
{
    const char *name = "POSIXLY_CORRECT", *value = "1";
    const struct spec_environment environment = {&name, &value, 1};
    struct words command = {0};
    words_add(spec->memory, &command, start_program(spec->memory, line->list[0]));
    if (first)
        words_add(spec->memory, &command, first);
    for (size_t i = 1; i < line->count; i++)
        words_add(spec->memory, &command, line->list[i]);
    words_add(spec->memory, &command, "--help");
    return start_read(spec->memory, launcher, &command, in_order ? &environment : NULL, status);
}

/* The program parses its options itself. A command on a line of record is not run, since there is no such output. */
static void steps_check_options(struct spec *spec, struct launcher *launcher, const struct tree *at,
                                const struct words *line)
{
    static const char nowhere[] = "/dev/null/x";
    bool is_record = strcmp(line->list[0], "record") == 0;
    const char *first = is_record ? memory_print(spec->memory, "--output=%s", nowhere) : NULL;
    int status = 0;
    const char *text = steps_read_help(spec, launcher, line, first, true, &status);
    if (text && status == 0)
        return;
    bool has_more = text && is_record && strstr(text, nowhere);
    if (text && !is_record) {
        text = steps_read_help(spec, launcher, line, NULL, false, &status);
        has_more = text && status == 0;
    }
    if (has_more) {
        spec_error(spec, at, "%s: only options are wanted on this line; %s", line->list[0],
                   is_record ? "the command belongs to programs" : "inputs come from the recording");
        return;
    }
    const char *own = text && strncmp(text, "assay-", 6) == 0 ? text + 6 : text;
    spec_error(spec, at, "%.*s", own ? (int)strcspn(own, "\n") : 30, own ? own : "assay's programs can't be started");
}

static bool steps_check_verb(struct spec *spec, const struct spec_result *result)
{
    const char *names[STEPS_COUNT(steps_table_verbs) + STEPS_COUNT(steps_trace_verbs)];
    size_t count = 0;
    for (size_t i = 0; i < STEPS_COUNT(steps_table_verbs); i++)
        names[count++] = steps_table_verbs[i];
    for (size_t i = 0; i < STEPS_COUNT(steps_trace_verbs); i++)
        names[count++] = steps_trace_verbs[i];
    if (result->line.count == 0)
        return false;
    const char *verb = result->line.list[0];
    if (!steps_is_among(verb, names, count))
        spec_read_unknown(spec, result->at, "the verb", verb, names, count);
    else if (!start_has_program(spec->memory, verb))
        spec_error(spec, result->at, "assay %s is not installed here", verb);
    else
        return true;
    return false;
}

/* ----------------------------------------------------------------------------------------------- expanding -- */

/* Whether two cells have the same levels of the variables in `named`. */
static bool steps_agree(const struct spec *spec, const struct plan_cell *a, const struct plan_cell *b,
                        const bool *named)
{
    for (size_t v = 0; v <= spec->factor_count; v++)
        if (named[v] && a->levels[v] != b->levels[v])
            return false;
    return true;
}

static struct step *steps_grow(struct obstack *memory, struct steps *steps)
{
    steps->list = memory_lengthen(memory, steps->list, steps->count, &steps->capacity, sizeof *steps->list);
    return &steps->list[steps->count++];
}

/* The variables whose names stand in braces. */
static void steps_find_named(const struct spec *spec, const char *text, bool named[SPEC_VARIABLES_MAX])
{
    struct words_part part;
    for (size_t at = 0; words_next_part(text, &at, &part);) {
        size_t variable = part.is_name ? spec_find_variable(spec, part.text, part.length) : SIZE_MAX;
        if (variable != SIZE_MAX)
            named[variable] = true;
    }
}

static void steps_add(struct spec *spec, const struct plan *plan, const struct spec_result *result, const size_t *cells,
                      size_t count, const bool *named, struct steps *steps)
{
    const struct plan_cell *first = &plan->cells[cells[0]];
    struct plan_cell fixed = *first;
    struct words_value values[SPEC_VARIABLES_MAX];
    struct step *step = steps_grow(spec->memory, steps);
    for (size_t v = 0; v < SPEC_VARIABLES_MAX; v++)
        if (!named[v])
            fixed.levels[v] = PLAN_NO_LEVEL;
    size_t value_count = plan_values(spec, &fixed, values, true);
    *step = (struct step){.result = result, .cells = cells, .cell_count = count};
    const char *name = words_expand_text(spec->memory, result->name, values, value_count);
    bool apart = *spec->directory && result->kind != SPEC_VALUE;
    step->name = memory_print(spec->memory, "%s%s%s", apart ? spec->directory : "", apart ? "/" : "", name);
    words_expand(spec->memory, &result->line, values, value_count, &step->line);
    step->of_runs = steps_is_among(result->line.list[0], steps_table_verbs, STEPS_COUNT(steps_table_verbs));
}

/* The cells of a result, in the order of the plan. */
static size_t steps_find_cells(const struct plan *plan, const struct spec_result *result, size_t *cells)
{
    size_t count = 0;
    for (size_t c = 0; c < plan->cell_count; c++) {
        bool wanted = false;
        for (size_t i = 0; i < result->from_count; i++)
            wanted |= result->from[i] == plan->cells[c].recording;
        if (wanted && plan_is_wanted(&plan->cells[c], &result->only))
            cells[count++] = c;
    }
    return count;
}

static void steps_expand(struct spec *spec, const struct plan *plan, const struct spec_result *result,
                         struct steps *steps)
{
    bool named[SPEC_VARIABLES_MAX] = {false};
    size_t *cells = memory_allocate(spec->memory, plan->cell_count, sizeof *cells);
    bool *taken = memory_allocate(spec->memory, plan->cell_count, sizeof *taken);
    size_t count = steps_find_cells(plan, result, cells);
    steps_find_named(spec, result->name, named);
    if (count == 0 && result->from_count > 0)
        spec_error(spec, result->at, "%.200s: no recording has what `only` asks for", result->name);
    for (size_t i = 0; i < count; i++)
        for (size_t v = 0; v <= spec->factor_count; v++)
            if (named[v] && plan->cells[cells[i]].levels[v] == PLAN_NO_LEVEL) {
                spec_error(spec, result->at, "%.200s: %s does not apply to program %s; exclude it by `only`",
                           result->name, spec_variable_name(spec, v),
                           spec->programs[plan->cells[cells[i]].levels[0]].name);
                return;
            }
    for (size_t i = 0; i < count; i++) {
        if (taken[i])
            continue;
        size_t *own = memory_allocate(spec->memory, count, sizeof *own), own_count = 0;
        for (size_t j = i; j < count; j++)
            if (steps_agree(spec, &plan->cells[cells[i]], &plan->cells[cells[j]], named)) {
                own[own_count++] = cells[j];
                taken[j] = true;
            }
        steps_add(spec, plan, result, own, own_count, named, steps);
    }
}

/* ------------------------------------------------------------------------------------------------ clashes -- */

/* The names of files, and of the directories that they need. */
struct steps_names {
    struct text_set files, directories;
    const char **below; /* by number of a directory: a file there */
    size_t capacity;
};

static bool steps_is_below(const char *path, const char *directory)
{
    size_t length = strlen(directory);
    return strncmp(path, directory, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

/* The number of a name in a set. Like all memory of the description, this ends the program where there is none. */
static uint32_t steps_intern(struct text_set *set, const char *name)
{
    uint32_t number = text_set_add(set, name);
    if (number == TEXT_SET_FULL)
        obstack_alloc_failed_handler();
    return number;
}

/* Adds a file; returns the earlier file that can't exist beside it, or NULL. */
static const char *steps_add_name(struct obstack *memory, struct steps_names *names, const char *name)
{
    const char *clash = text_set_has(&names->files, name) ? name : NULL;
    uint32_t number = text_set_find(&names->directories, name);
    if (!clash && number != TEXT_SET_FULL)
        clash = names->below[number];
    for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
        const char *directory = memory_copy(memory, name, (size_t)(slash - name));
        if (!clash && text_set_has(&names->files, directory))
            clash = directory;
        number = steps_intern(&names->directories, directory);
        names->below = memory_lengthen(memory, names->below, number, &names->capacity, sizeof *names->below);
        names->below[number] = name;
    }
    steps_intern(&names->files, name);
    return clash;
}

/* Files of the description, of recordings, and of all values (values.h). */
static void steps_check_reserved(struct spec *spec, const struct step *step, bool has_values)
{
    const char *file = strrchr(spec->path, '/') ? strrchr(spec->path, '/') + 1 : spec->path;
    const char *slash = *spec->directory ? "/" : "";
    for (int latex = 0; latex < 2 && has_values; latex++)
        if (strcmp(step->name,
                   memory_print(spec->memory, "%s%svalues.%s", spec->directory, slash, latex ? "tex" : "json")) == 0)
            spec_error(spec, step->result->at, "%.200s is for all values; choose another name", step->name);
    if (steps_is_below(step->name, spec->data))
        spec_error(spec, step->result->at, "%.200s lies in %.100s, which is for recordings", step->name, spec->data);
    else if (steps_is_below(spec->data, step->name))
        spec_error(spec, step->result->at, "%.200s is a directory of recordings", step->name);
    if (steps_is_below(file, step->name))
        spec_error(spec, step->result->at, "%.200s is this file", step->name);
}

static void steps_check_clashes(struct spec *spec, const struct steps *steps)
{
    struct steps_names names = {0};
    struct text_set values = {0};
    bool has_values = false;
    for (size_t i = 0; i < spec->result_count; i++)
        has_values |= spec->results[i].kind == SPEC_VALUE;
    for (size_t i = 0; i < steps->count; i++) {
        const struct step *step = &steps->list[i];
        if (step->result->kind == SPEC_VALUE) {
            if (text_set_has(&values, step->name))
                spec_error(spec, step->result->at, "two results give values called %.200s; change a name", step->name);
            steps_intern(&values, step->name);
            continue;
        }
        steps_check_reserved(spec, step, has_values);
        const char *clash = steps_add_name(spec->memory, &names, step->name);
        if (clash && strcmp(clash, step->name) == 0)
            spec_error(spec, step->result->at, "two results go to %.200s; write {%s} or another name into the second",
                       step->name, spec_variable_name(spec, 0));
        else if (clash)
            spec_error(spec, step->result->at, "%.150s and %.150s can't both exist", clash, step->name);
    }
    text_set_free(&values);
    text_set_free(&names.files);
    text_set_free(&names.directories);
}

int steps_make(struct spec *spec, const struct plan *plan, struct launcher *launcher, struct steps *steps)
{
    *steps = (struct steps){0};
    for (size_t r = 0; r < spec->recording_count && !launch_interrupted(launcher); r++)
        if (spec->recordings[r].line.count > 0)
            steps_check_options(spec, launcher, spec->recordings[r].at, &spec->recordings[r].line);
    for (size_t i = 0; i < spec->result_count && !launch_interrupted(launcher); i++) {
        const struct spec_result *result = &spec->results[i];
        size_t before = steps->count;
        if (!steps_check_verb(spec, result))
            continue;
        steps_expand(spec, plan, result, steps);
        if (steps->count > before)
            steps_check_options(spec, launcher, result->at, &steps->list[before].line);
    }
    steps_check_clashes(spec, steps);
    return spec->error_count ? STATUS_BAD : STATUS_GOOD;
}

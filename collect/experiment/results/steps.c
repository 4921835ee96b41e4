#include "collect/experiment/results/steps.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "collect/experiment/description/spec_read.h"
#include "collect/experiment/results/steps_check.h"

/* ------------------------------------------------------------------------------------------------- inputs -- */

/* Whether the result reads the recording itself. */
static bool steps_reads(const struct spec_result *result, size_t recording)
{
    for (size_t i = 0; i < result->input_count; i++)
        if (result->inputs[i].source == SPEC_RECORDING && result->inputs[i].number == recording)
            return true;
    return false;
}

static void steps_add_file(struct obstack *memory, struct step *step, const struct step_file *file)
{
    step->files = memory_lengthen(memory, step->files, step->file_count, &step->file_capacity, sizeof *step->files);
    step->files[step->file_count++] = *file;
}

bool steps_is_audit(const struct step *step)
{
    return step->line.count > 1 && strcmp(step->line.list[0], "audit") == 0 &&
           strcmp(step->line.list[1], "profiler") == 0;
}

const char *steps_graphics(struct obstack *memory, const struct step *step)
{
    const char *suffix = strrchr(step->name, '.');
    bool is_latex = step->result->kind == SPEC_FIGURE && suffix && strcasecmp(suffix, ".tex") == 0;
    return is_latex ? memory_print(memory, "%.*s-tex.pdf", (int)(suffix - step->name), step->name) : NULL;
}

/* Whether a step's file is input of another that has these levels. */
static bool steps_fits(const struct step *source, const struct step *step)
{
    struct plan_cell levels = {0};
    memcpy(levels.levels, source->levels, sizeof levels.levels);
    for (size_t v = 0; v < SPEC_VARIABLES_MAX; v++)
        if (source->levels[v] != PLAN_NO_LEVEL && step->levels[v] != PLAN_NO_LEVEL &&
            source->levels[v] != step->levels[v])
            return false;
    return plan_is_wanted(&levels, &step->result->only);
}

/* The files of other results, and plain ones. */
static void steps_find_files(struct spec *spec, const struct steps *steps, struct step *step)
{
    struct words_value values[SPEC_VARIABLES_MAX];
    struct plan_cell levels = {0};
    memcpy(levels.levels, step->levels, sizeof levels.levels);
    size_t value_count = plan_values(spec, &levels, values, true);
    for (size_t i = 0; i < step->result->input_count; i++) {
        const struct spec_input *input = &step->result->inputs[i];
        size_t before = step->file_count;
        for (size_t s = 0; s < steps->count && input->source == SPEC_RESULT; s++)
            if (steps->list[s].result == &spec->results[input->number] && steps_fits(&steps->list[s], step))
                steps_add_file(spec->memory, step, &(struct step_file){steps->list[s].name, input->label, s});
        if (input->source == SPEC_RESULT && step->file_count == before)
            spec_error(spec, input->at, "%.200s: no file of %.200s has its levels", step->name, input->name);
        if (input->source == SPEC_FILE) {
            const char *path = words_expand_text(spec->memory, input->name, values, value_count);
            if (access(path, R_OK) != 0)
                spec_error(spec, input->at, "%.300s: %s", path, strerror(errno));
            steps_add_file(spec->memory, step, &(struct step_file){path, input->label, SIZE_MAX});
        }
    }
}

/* Marks the recordings whose levels a result has: those that it reads, or the results that it reads; for plain files
 * alone, all. */
static void steps_mark_recordings(const struct spec *spec, const struct spec_result *result, bool *recordings)
{
    bool only_files = true;
    for (size_t i = 0; i < result->input_count; i++) {
        const struct spec_input *input = &result->inputs[i];
        only_files &= input->source == SPEC_FILE;
        if (input->source == SPEC_RECORDING)
            recordings[input->number] = true;
        else if (input->source == SPEC_RESULT)
            steps_mark_recordings(spec, &spec->results[input->number], recordings);
    }
    if (only_files)
        memset(recordings, true, spec->recording_count);
}

/* The cells of a result, in the order of the plan. */
static size_t steps_find_cells(const struct spec *spec, const struct plan *plan, const struct spec_result *result,
                               size_t *cells)
{
    bool *recordings = memory_allocate(spec->memory, spec->recording_count + 1, sizeof *recordings);
    size_t count = 0;
    steps_mark_recordings(spec, result, recordings);
    for (size_t c = 0; c < plan->cell_count; c++)
        if (recordings[plan->cells[c].recording] && plan_is_wanted(&plan->cells[c], &result->only))
            cells[count++] = c;
    return count;
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

/* A step for these cells. It reads those of its own recordings. */
static void steps_add(struct spec *spec, const struct plan *plan, const struct spec_result *result, const size_t *cells,
                      size_t count, const bool *named, struct steps *steps)
{
    struct plan_cell fixed = plan->cells[cells[0]];
    struct words_value values[SPEC_VARIABLES_MAX];
    struct step *step = steps_grow(spec->memory, steps);
    for (size_t v = 0; v < SPEC_VARIABLES_MAX; v++)
        if (!named[v])
            fixed.levels[v] = PLAN_NO_LEVEL;
    size_t value_count = plan_values(spec, &fixed, values, true);
    *step = (struct step){.result = result};
    memcpy(step->levels, fixed.levels, sizeof step->levels);
    const char *name = words_expand_text(spec->memory, result->name, values, value_count);
    bool apart = *spec->directory && result->kind != SPEC_VALUE;
    step->name = memory_print(spec->memory, "%s%s%s", apart ? spec->directory : "", apart ? "/" : "", name);
    words_expand(spec->memory, &result->line, values, value_count, &step->line);
    step->of_runs = steps_reads_table(result->line.list[0]);
    size_t *own = memory_allocate(spec->memory, count, sizeof *own);
    for (size_t i = 0; i < count; i++)
        if (steps_reads(result, plan->cells[cells[i]].recording))
            own[step->cell_count++] = cells[i];
    step->cells = own;
}

/* The result's steps, for each combination of levels that its name gives. */
static void steps_expand(struct spec *spec, const struct plan *plan, const struct spec_result *result,
                         struct steps *steps)
{
    bool named[SPEC_VARIABLES_MAX] = {false};
    size_t *cells = memory_allocate(spec->memory, plan->cell_count, sizeof *cells);
    bool *taken = memory_allocate(spec->memory, plan->cell_count, sizeof *taken);
    size_t count = steps_find_cells(spec, plan, result, cells), first = steps->count;
    steps_find_named(spec, result->name, named);
    if (count == 0 && result->input_count > 0)
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
    for (size_t s = first; s < steps->count; s++)
        steps_find_files(spec, steps, &steps->list[s]);
}

/* ----------------------------------------------------------------------------------------------- all steps -- */

enum { STEPS_WAITING, STEPS_OPEN, STEPS_READY, STEPS_WRONG };

/* Makes the steps of a result after those of the results that it reads. states[] is by number of the result. Returns
 * whether its steps were made; if not, there is an error. */
static bool steps_make_result(struct spec *spec, const struct plan *plan, struct launcher *launcher, size_t number,
                              char *states, struct steps *steps)
{
    const struct spec_result *result = &spec->results[number];
    if (states[number] != STEPS_WAITING)
        return states[number] == STEPS_READY;
    states[number] = STEPS_OPEN;
    bool good = !launch_interrupted(launcher) && steps_check_verb(spec, result);
    for (size_t i = 0; i < result->input_count && good; i++) {
        const struct spec_input *input = &result->inputs[i];
        if (input->source == SPEC_RESULT && states[input->number] == STEPS_OPEN)
            spec_error(spec, input->at, "%.200s: it would be made from itself", result->name);
        if (input->source == SPEC_RESULT)
            good = steps_make_result(spec, plan, launcher, input->number, states, steps);
    }
    states[number] = good ? STEPS_READY : STEPS_WRONG;
    if (!good)
        return false;
    size_t before = steps->count;
    steps_expand(spec, plan, result, steps);
    if (steps->count > before)
        steps_check_options(spec, launcher, result->at, &steps->list[before].line,
                            result->kind == SPEC_PAGE ? "--html=/dev/null/x" : NULL);
    return true;
}

/* The report of an audit has those of no other. */
static void steps_check_audits(struct spec *spec, const struct steps *steps)
{
    for (size_t i = 0; i < steps->count; i++)
        if (steps_is_audit(&steps->list[i]) && steps->list[i].cell_count != 1)
            spec_error(spec, steps->list[i].result->at,
                       "%.200s would be made from %zu audits; write {program} or a factor into its name, or choose one "
                       "by `only`",
                       steps->list[i].name, steps->list[i].cell_count);
}

int steps_make(struct spec *spec, const struct plan *plan, struct launcher *launcher, struct steps *steps)
{
    char *states = memory_allocate(spec->memory, spec->result_count + 1, 1);
    *steps = (struct steps){0};
    for (size_t r = 0; r < spec->recording_count && !launch_interrupted(launcher); r++)
        if (spec->recordings[r].line.count > 0)
            steps_check_options(spec, launcher, spec->recordings[r].at, &spec->recordings[r].line, NULL);
    for (size_t i = 0; i < spec->result_count; i++)
        steps_make_result(spec, plan, launcher, i, states, steps);
    steps_check_audits(spec, steps);
    steps_check_clashes(spec, steps);
    return spec->error_count ? STATUS_BAD : STATUS_GOOD;
}

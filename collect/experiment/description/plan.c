#include "collect/experiment/description/plan.h"

#include <string.h>

#include "base/rng.h"

bool plan_is_wanted(const struct plan_cell *cell, const struct spec_only *only)
{
    for (size_t v = 0; v < SPEC_VARIABLES_MAX; v++)
        if (only->wanted[v] && cell->levels[v] != PLAN_NO_LEVEL && !only->wanted[v][cell->levels[v]])
            return false;
    return true;
}

bool plan_has_run(const struct plan *plan, size_t cell, uint64_t number)
{
    return number <= plan->spec->recordings[plan->cells[cell].recording].rounds;
}

void plan_shuffle(uint64_t seed, uint64_t round, size_t *numbers, size_t count)
{
    struct rng rng;
    rng_init(&rng, seed, round);
    for (size_t left = count; left > 1; left--) {
        size_t other = (size_t)rng_below(&rng, left), number = numbers[left - 1];
        numbers[left - 1] = numbers[other];
        numbers[other] = number;
    }
}

size_t plan_values(const struct spec *spec, const struct plan_cell *cell, struct words_value values[SPEC_VARIABLES_MAX],
                   bool names)
{
    size_t count = 0;
    for (size_t v = 0; v <= spec->factor_count; v++) {
        size_t level = cell->levels[v];
        if (level == PLAN_NO_LEVEL)
            continue;
        const char *name = spec_level_name(spec, v, level);
        const struct spec_level *of_factor = v > 0 && !names ? &spec->factors[v - 1].levels[level] : NULL;
        values[count++] = (struct words_value){.name = spec_variable_name(spec, v),
                                               .text = of_factor ? of_factor->text : name,
                                               .words = of_factor ? &of_factor->words : NULL};
    }
    return count;
}

static void plan_add_environment(const struct spec *spec, const struct spec_environment *from,
                                 const struct words_value *values, size_t count, struct spec_environment *to)
{
    for (size_t i = 0; i < from->count; i++) {
        to->names[to->count] = from->names[i];
        to->values[to->count++] = words_expand_text(spec->memory, from->values[i], values, count);
    }
}

/* Variables of levels come after the same ones of the program, so they win. */
static void plan_fill_environment(const struct spec *spec, struct plan_cell *cell, const struct words_value *values,
                                  size_t count)
{
    const struct spec_environment *of[SPEC_VARIABLES_MAX] = {&spec->programs[cell->levels[0]].environment};
    size_t sources = 1, total = of[0]->count;
    for (size_t f = 0; f < spec->factor_count; f++)
        if (cell->levels[f + 1] != PLAN_NO_LEVEL) {
            of[sources] = &spec->factors[f].levels[cell->levels[f + 1]].environment;
            total += of[sources++]->count;
        }
    cell->environment.names = memory_allocate(spec->memory, total + 1, sizeof *cell->environment.names);
    cell->environment.values = memory_allocate(spec->memory, total + 1, sizeof *cell->environment.values);
    for (size_t i = 0; i < sources; i++)
        plan_add_environment(spec, of[i], values, i == 0 ? count : 0, &cell->environment);
}

static void plan_fill_cell(const struct spec *spec, struct plan_cell *cell)
{
    const struct spec_program *program = &spec->programs[cell->levels[0]];
    struct words_value values[SPEC_VARIABLES_MAX];
    size_t count = plan_values(spec, cell, values, false);
    words_expand(spec->memory, &program->command, values, count, &cell->command);
    if (program->directory)
        cell->directory = words_expand_text(spec->memory, program->directory, values, count);
    if (program->input)
        cell->input = words_expand_text(spec->memory, program->input, values, count);
    plan_fill_environment(spec, cell, values, count);
    const char *id = spec->recordings[cell->recording].name;
    for (size_t v = 0; v <= spec->factor_count; v++)
        if (cell->levels[v] != PLAN_NO_LEVEL)
            id = memory_print(spec->memory, "%s/%s", id, spec_level_name(spec, v, cell->levels[v]));
    cell->id = id;
}

/* Advances the levels like a counter, the last factor fastest. False after the last combination. */
static bool plan_next_levels(const struct spec *spec, size_t *levels)
{
    for (size_t v = spec->factor_count; v > 0; v--) {
        if (levels[v] == PLAN_NO_LEVEL)
            continue;
        if (++levels[v] < spec_level_count(spec, v))
            return true;
        levels[v] = 0;
    }
    return false;
}

static void plan_add_cells(struct spec *spec, struct plan *plan, size_t recording, size_t program, size_t *capacity)
{
    struct plan_cell cell = {.recording = recording, .runs = spec->recordings[recording].runs};
    for (size_t v = 0; v < SPEC_VARIABLES_MAX; v++)
        cell.levels[v] = v > 0 && v <= spec->factor_count && spec->programs[program].uses[v - 1] ? 0 : PLAN_NO_LEVEL;
    cell.levels[0] = program;
    do {
        if (!plan_is_wanted(&cell, &spec->recordings[recording].only))
            continue;
        if (plan->cell_count >= SPEC_CELLS_MAX)
            return;
        plan->cells = memory_lengthen(spec->memory, plan->cells, plan->cell_count, capacity, sizeof cell);
        plan->cells[plan->cell_count] = cell;
        plan_fill_cell(spec, &plan->cells[plan->cell_count]);
        if (plan->cells[plan->cell_count].command.count == 0 && spec->programs[program].command.count > 0)
            spec_error(spec, spec->programs[program].at, "the command has no word for %s",
                       plan->cells[plan->cell_count].id);
        if (cell.runs > 0 && spec->programs[program].input)
            spec_error(spec, spec->recordings[recording].at,
                       "%.80s can't give program %.80s its input; write sh -c '... < FILE' as its command, or exclude "
                       "it by `only`",
                       spec->recordings[recording].line.list[0], spec->programs[program].name);
        plan->cell_count++;
    } while (plan_next_levels(spec, cell.levels));
}

int plan_make_cells(struct spec *spec, struct plan *plan)
{
    size_t capacity = 0;
    *plan = (struct plan){.spec = spec};
    for (size_t r = 0; r < spec->recording_count; r++) {
        size_t before = plan->cell_count;
        for (size_t p = 0; p < spec->program_count; p++)
            plan_add_cells(spec, plan, r, p, &capacity);
        if (plan->cell_count == before)
            spec_error(spec, spec->recordings[r].at, "recording %s has no program", spec->recordings[r].name);
    }
    if (plan->cell_count >= SPEC_CELLS_MAX)
        spec_error(spec, NULL, "programs, factors and recordings make %d combinations or more", (int)SPEC_CELLS_MAX);
    return spec->error_count ? STATUS_BAD : STATUS_GOOD;
}

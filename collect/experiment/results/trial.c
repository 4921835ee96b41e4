#include "collect/experiment/results/trial.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/temporary.h"
#include "collect/experiment/results/values.h"
#include "collect/experiment/state/runs_table.h"
#include "collect/record/log.h"

enum { TRIAL_ROUNDS = 3 };

/* What a program made on trial. */
struct trial {
    int fd;            /* its result; -1: none */
    const char *path;  /* by which other programs open it */
    json_t *values;    /* of a step of values: a reference; NULL: none */
    const char *wrong; /* with its line; NULL: nothing */
};

/* A path by which programs that this process starts can open its file. */
static const char *trial_path(struct obstack *memory, int fd)
{
    return memory_print(memory, "/proc/%d/fd/%d", (int)getpid(), fd);
}

/* An invented run, with other values than its neighbours, as if its machine changed. */
static void trial_write_row(FILE *out, const struct experiment *experiment, size_t cell, uint64_t round)
{
    const double second = 1 + (double)(cell % 97) / 8 + (double)round / 64;
    const struct cell_run run = {.number = round,
                                 .clock = "",
                                 .started = "",
                                 .wall_s = 2 * second,
                                 .user_s = second,
                                 .system_s = second / 4,
                                 .max_rss_bytes = 1000000 + 1000 * round + cell};
    const struct state_start start = {.machine = round % 2, .load = second / 8};
    runs_table_write_row(out, experiment, &experiment->plan.cells[cell], &run, &start);
}

/* The invented table of a step's runs; -1: it can't be made, or the step has a table of another kind. */
static int trial_write_runs(struct experiment *experiment, const struct step *step)
{
    int fd = temporary_file(), again = fd < 0 ? -1 : dup(fd);
    FILE *out = again < 0 ? NULL : fdopen(again, "w");
    bool good = out != NULL;
    if (out)
        runs_table_write_header(out, experiment);
    for (size_t c = 0; c < step->cell_count && good; c++) {
        good = experiment->plan.cells[step->cells[c]].runs == 0;
        for (uint64_t round = 1; round <= TRIAL_ROUNDS; round++)
            trial_write_row(out, experiment, step->cells[c], round);
    }
    if (out && fclose(out) != 0)
        good = false;
    if (!good && fd >= 0)
        close(fd);
    return good ? fd : -1;
}

/* Clocks are not known before the first run, and may be names that a line asks for. */
static bool trial_names_clock(const struct step *step)
{
    bool found = false;
    for (size_t i = 1; i < step->line.count; i++)
        found |= strstr(step->line.list[i], "clock") != NULL;
    return found;
}

/* The last message of the program, without "assay-", if that is about its line. Bad usage has status 2; a column that a
 * table lacks is an error of the input. */
static const char *trial_find_mistake(struct obstack *memory, const struct step *step, int status, const char *printed)
{
    const char *last = printed;
    for (const char *line = printed; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        if (strncmp(line, "assay-", strlen("assay-")) == 0)
            last = line + strlen("assay-");
    const char *line = memory_copy(memory, last, strcspn(last, "\n"));
    if (status != STATUS_USAGE && !strstr(line, "no column '"))
        return NULL;
    if (strstr(line, "no group '") && trial_names_clock(step))
        return NULL;
    return line;
}

/* Makes the step's table or values from these inputs. */
static void trial_run(struct experiment *experiment, const struct step *step, const struct report_inputs *inputs,
                      struct trial *trial)
{
    struct obstack *memory = &experiment->memory;
    struct error_text message;
    static const char *const formats[] = {/* options of a figure's look are for a page, too */
                                          [SPEC_TABLE] = "csv",
                                          [SPEC_FIGURE] = "html",
                                          [SPEC_PAGE] = "csv",
                                          [SPEC_VALUE] = "json"};
    const char *printed = "", *format = formats[step->result->kind];
    *trial = (struct trial){.fd = temporary_file()};
    if (trial->fd < 0)
        return;
    trial->path = trial_path(memory, trial->fd);
    int status = report_print(experiment, step, format, inputs, trial->fd, &printed, &message);
    if (status)
        trial->wrong = trial_find_mistake(memory, step, status, printed);
    else if (step->result->kind == SPEC_VALUE &&
             !(trial->values = values_read(memory, step->name, trial->fd, &message)))
        trial->wrong = memory_print(memory, "%s", message.text);
    if (status) {
        close(trial->fd);
        trial->fd = -1;
    }
}

static bool trial_is_possible(const struct step *step)
{
    return strcmp(step->line.list[0], "plot") != 0 && step->result->kind != SPEC_PAGE && !steps_is_audit(step);
}

/* The message with a name in place of the path of a file without one. */
static const char *trial_name_file(struct obstack *memory, const char *text, const char *path, const char *name)
{
    const char *at = path ? strstr(text, path) : NULL;
    return at ? memory_print(memory, "%.*s%s%s", (int)(at - text), text, name, at + strlen(path)) : text;
}

/* ------------------------------------------------------------------------------------------------- tables -- */

/* Files of other results, made on trial before this one, and plain ones. False if one could not be made. */
static bool trial_add_files(struct obstack *memory, const struct step *step, const struct trial *trials,
                            struct report_inputs *inputs)
{
    size_t before = inputs->words.count;
    for (size_t f = 0; f < step->file_count; f++) {
        const struct step_file *file = &step->files[f];
        if (file->source == SIZE_MAX)
            words_add(memory, &inputs->words, file->path);
        else if (trials[file->source].fd >= 0)
            words_add(memory, &inputs->words, trials[file->source].path);
    }
    return step->file_count == 0 || inputs->words.count > before;
}

static void trial_check_table(struct experiment *experiment, const struct step *step, struct trial *trials,
                              struct trial *trial)
{
    struct obstack *memory = &experiment->memory;
    struct report_inputs inputs = {0};
    int runs = step->cell_count ? trial_write_runs(experiment, step) : -1;
    const char *path = runs >= 0 ? trial_path(memory, runs) : NULL;
    if (path)
        words_add(memory, &inputs.words, path);
    if ((path || step->cell_count == 0) && trial_add_files(memory, step, trials, &inputs)) {
        trial_run(experiment, step, &inputs, trial);
        if (trial->wrong)
            trial->wrong = trial_name_file(memory, trial->wrong, path, "the table of runs");
        for (size_t f = 0; f < step->file_count && trial->wrong; f++)
            if (step->files[f].source != SIZE_MAX)
                trial->wrong =
                    trial_name_file(memory, trial->wrong, trials[step->files[f].source].path, step->files[f].path);
    }
    if (runs >= 0)
        close(runs);
}

int trial_check_tables(struct experiment *experiment, const struct steps *steps)
{
    struct obstack *memory = &experiment->memory;
    struct spec *spec = &experiment->spec;
    struct trial *trials = memory_allocate(memory, steps->count, sizeof *trials);
    bool *tried = memory_allocate(memory, spec->result_count, sizeof *tried);
    json_t *all = json_object();
    for (size_t i = 0; i < steps->count; i++)
        trials[i].fd = -1;
    for (size_t i = 0; i < steps->count && !launch_interrupted(&experiment->launcher); i++) {
        const struct step *step = &steps->list[i];
        size_t number = (size_t)(step->result - spec->results);
        struct error_text message;
        if (!step->of_runs || !trial_is_possible(step) || (tried[number] && step->result->kind != SPEC_VALUE))
            continue;
        tried[number] = true;
        trial_check_table(experiment, step, trials, &trials[i]);
        if (!trials[i].wrong && trials[i].values && values_add(all, trials[i].values, &message) != 0)
            trials[i].wrong = memory_print(memory, "%s", message.text);
        json_decref(trials[i].values);
        if (!trials[i].wrong)
            continue;
        const struct step *before = i > 0 ? &steps->list[i - 1] : NULL; /* one line for all levels */
        if (!before || before->result != step->result || !trials[i - 1].wrong)
            spec_error(spec, step->result->at, "%.200s: %s", step->name, trials[i].wrong);
    }
    for (size_t i = 0; i < steps->count; i++)
        if (trials[i].fd >= 0)
            close(trials[i].fd);
    json_decref(all);
    return spec->error_count ? STATUS_BAD : STATUS_GOOD;
}

/* ------------------------------------------------------------------------------------------------- traces -- */

/* The traces of the first run of each cell that succeeded. False if a cell has none, or is an audit or injection. */
static bool trial_add_traces(struct experiment *experiment, const struct step *step, struct report_inputs *inputs)
{
    struct obstack *memory = &experiment->memory;
    for (size_t c = 0; c < step->cell_count; c++) {
        const struct cell_runs *runs = &experiment->runs[step->cells[c]];
        const struct plan_cell *cell = &experiment->plan.cells[step->cells[c]];
        size_t i = 0;
        while (i < runs->count && (runs->runs[i].failed || runs->runs[i].trace_count == 0))
            i++;
        if (i == runs->count || cell->runs > 0)
            return false;
        for (size_t t = 0; t < runs->runs[i].trace_count; t++)
            words_add(
                memory, &inputs->words,
                memory_print(memory, "%s/recordings/%s/%s", experiment->spec.data, cell->id, runs->runs[i].traces[t]));
    }
    return step->cell_count > 0;
}

void trial_check_traces(struct experiment *experiment, const struct steps *steps, bool *checked)
{
    for (size_t i = 0; i < steps->count && !launch_interrupted(&experiment->launcher); i++) {
        const struct step *step = &steps->list[i];
        struct report_inputs inputs = {0};
        struct trial trial;
        bool *done = &checked[step->result - experiment->spec.results];
        if (*done || step->of_runs || step->file_count > 0 || !trial_is_possible(step) ||
            !trial_add_traces(experiment, step, &inputs))
            continue;
        *done = true;
        trial_run(experiment, step, &inputs, &trial);
        if (trial.wrong)
            log_error("%s will not be made: %s; the runs go on, and the line can be corrected meanwhile", step->name,
                      trial.wrong);
        json_decref(trial.values);
        if (trial.fd >= 0)
            close(trial.fd);
    }
}

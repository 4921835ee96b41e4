#include "collect/experiment/results/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "collect/experiment/state/digest.h"
#include "base/temporary.h"
#include "base/transfer.h"
#include "collect/experiment/state/runs_table.h"
#include "collect/experiment/state/start.h"
#include "collect/experiment/results/values.h"
#include "collect/record/directory.h"
#include "collect/record/log.h"
#include "collect/record/series_file.h"

/* The inputs of a step: traces of the runs that succeeded, or the table of runs, which is written now. */
static int report_inputs(struct experiment *experiment, const struct step *step, struct words *inputs, size_t *failed,
                         struct error_text *message)
{
    struct obstack *memory = &experiment->memory;
    const char *data = experiment->spec.data;
    size_t runs = 0;
    *failed = 0;
    for (size_t c = 0; c < step->cell_count; c++) {
        const struct cell_runs *of = &experiment->runs[step->cells[c]];
        for (size_t i = 0; i < of->count; i++) {
            const struct cell_run *run = &of->runs[i];
            if (!plan_has_run(&experiment->plan, step->cells[c], run->number))
                continue;
            runs += !run->failed;
            *failed += run->failed && !step->of_runs;
            for (size_t t = 0; t < run->trace_count && !run->failed && !step->of_runs; t++)
                words_add(memory, inputs,
                          memory_print(memory, "%s/recordings/%s/%s", data, experiment->plan.cells[step->cells[c]].id,
                                       run->traces[t]));
        }
    }
    if (!step->of_runs || runs == 0)
        return STATUS_GOOD;
    const char *path = runs_table_path(memory, data, "", step->name);
    words_add(memory, inputs, path);
    return runs_table_write(experiment, step->cells, step->cell_count, path, failed, message);
}

/* The step's content: the version and file of the program, the command line, and the files that it reads. */
static int report_key(const struct step *step, const char *program, const struct words *inputs, char key[DIGEST_TEXT],
                      struct error_text *message)
{
    struct sha256_ctx digest;
    char content[DIGEST_TEXT];
    const char *path = program;
    int error = digest_file(path, content);
    sha256_init(&digest);
    digest_add(&digest, content);
    digest_add(&digest, step->name);
    for (size_t i = 0; i < step->line.count; i++)
        digest_add(&digest, step->line.list[i]);
    for (size_t i = 0; i < inputs->count && !error; i++) {
        path = inputs->list[i];
        error = digest_file(path, content);
        digest_add(&digest, path);
        digest_add(&digest, content);
    }
    digest_finish(&digest, key);
    return error ? error_set(message, STATUS_BAD, "%.400s: %s", path, strerror(error)) : STATUS_GOOD;
}

/* The step's name in results.json. No file's name begins with a slash, so values don't clash with files. */
static const char *report_id(struct experiment *experiment, const struct step *step)
{
    return step->result->kind == SPEC_VALUE ? memory_print(&experiment->memory, "/value/%s", step->name) : step->name;
}

/* Whether the file is the one that was made with this key. */
static bool report_is_made(struct experiment *experiment, const struct step *step, const char *key)
{
    const json_t *made = json_object_get(experiment->state.made, report_id(experiment, step));
    const char *before = json_string_value(json_object_get(made, "key"));
    const char *sha256 = json_string_value(json_object_get(made, "sha256"));
    char content[DIGEST_TEXT];
    if (step->result->kind == SPEC_VALUE)
        return before && strcmp(before, key) == 0 && json_is_object(json_object_get(made, "values"));
    return before && sha256 && strcmp(before, key) == 0 && digest_file(step->name, content) == 0 &&
           strcmp(content, sha256) == 0;
}

/* What the program printed on standard error, the first line without "assay-". */
static const char *report_errors(struct obstack *memory, int fd)
{
    char text[1024];
    ssize_t length = transfer_read_at(fd, text, sizeof text - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    return memory_print(memory, "%.*s", (int)strcspn(text, "\n"), text);
}

/* Runs the step's program with one option more, or two, its standard output into a descriptor. */
static int report_run_program(struct experiment *experiment, const struct step *step, const char *option,
                              const char *second, const struct words *inputs, int output, struct error_text *message)
{
    struct obstack *memory = &experiment->memory;
    struct words words = {0};
    struct launch_result result;
    words_add(memory, &words, start_program(memory, step->line.list[0]));
    for (size_t i = 1; i < step->line.count; i++)
        words_add(memory, &words, step->line.list[i]);
    words_add(memory, &words, option);
    if (second)
        words_add(memory, &words, second);
    for (size_t i = 0; i < inputs->count; i++)
        words_add(memory, &words, inputs->list[i]);
    int errors = temporary_file();
    if (errors < 0)
        return error_set(message, STATUS_BAD, "a temporary file: %s", strerror(errno));
    const struct start_job job = {.command = &words, .output = output, .errors = errors};
    int status = start_run(memory, &experiment->launcher, &job, &result, message);
    if (!status && start_status(&result) != 0)
        status = error_set(message, STATUS_BAD, "%.800s", report_errors(memory, errors));
    close(errors);
    return status;
}

/* Runs the program into a file beside the result, which then replaces it. */
static int report_run_step(struct experiment *experiment, const struct step *step, const struct words *inputs,
                           struct error_text *message)
{
    struct obstack *memory = &experiment->memory;
    const char *slash = strrchr(step->name, '/');
    const char *directory = slash ? memory_copy(memory, step->name, (size_t)(slash - step->name)) : ".";
    const char *fresh = memory_print(memory, "%s/.%s", directory, slash ? slash + 1 : step->name);
    int error = directory_make(directory), null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (error || null < 0)
        return error_set(message, STATUS_BAD, "%.400s: %s", directory, strerror(error ? error : errno));
    int status = report_run_program(
        experiment, step, memory_print(memory, "--%s=%s", step->result->kind == SPEC_FIGURE ? "plot" : "output", fresh),
        NULL, inputs, null, message);
    if (!status && rename(fresh, step->name) != 0)
        status = error_set(message, STATUS_BAD, "%.400s: %s", step->name, strerror(errno));
    if (status)
        unlink(fresh);
    close(null);
    return status;
}

/* Runs the program twice, for the values and for their texts in LaTeX. New reference; NULL with a message. */
static json_t *report_read_values(struct experiment *experiment, const struct step *step, const struct words *inputs,
                                  struct error_text *message)
{
    struct obstack *memory = &experiment->memory;
    json_t *values = NULL;
    int json = temporary_file(), macros = temporary_file();
    if (json < 0 || macros < 0)
        error_set(message, STATUS_BAD, "a temporary file: %s", strerror(errno));
    else if (report_run_program(experiment, step, "--format=json", NULL, inputs, json, message) == 0)
        values = values_read(memory, step->name, json, message);
    if (values &&
        report_run_program(experiment, step, "--format=macros", memory_print(memory, "--macro-name=%s", step->name),
                           inputs, macros, message) != 0) {
        json_decref(values);
        values = NULL;
    }
    if (values)
        values_typeset_by(memory, values, macros);
    if (json >= 0)
        close(json);
    if (macros >= 0)
        close(macros);
    return values;
}

/* Makes the step's file or values, and what results.json has of it: a new reference; NULL with a message. */
static json_t *report_make_anew(struct experiment *experiment, const struct step *step, const struct words *inputs,
                                const char *key, struct error_text *message)
{
    char content[DIGEST_TEXT];
    if (step->result->kind == SPEC_VALUE) {
        json_t *values = report_read_values(experiment, step, inputs, message);
        return values ? json_pack("{s:s, s:o}", "key", key, "values", values) : NULL;
    }
    if (report_run_step(experiment, step, inputs, message) != 0)
        return NULL;
    int error = digest_file(step->name, content);
    if (error)
        error_set(message, STATUS_BAD, "%s", strerror(error));
    return error ? NULL : json_pack("{s:s, s:s}", "key", key, "sha256", content);
}

/* Whether the step needs to be made; if so, its key. */
static int report_check_step(struct experiment *experiment, const struct step *step, struct words *inputs,
                             size_t *failed, char key[DIGEST_TEXT], struct error_text *message)
{
    int status = report_inputs(experiment, step, inputs, failed, message);
    if (!status && inputs->count == 0)
        return error_set(message, STATUS_BAD, "there are no runs for it yet");
    if (!status)
        status = report_key(step, start_program(&experiment->memory, step->line.list[0]), inputs, key, message);
    return status;
}

static int report_make_step(struct experiment *experiment, const struct step *step, struct report_counts *counts)
{
    char key[DIGEST_TEXT];
    struct error_text message;
    struct words inputs = {0};
    size_t failed = 0;
    json_t *made = NULL;
    int status = report_check_step(experiment, step, &inputs, &failed, key, &message);
    if (!status && report_is_made(experiment, step, key)) {
        counts->unchanged++;
        return STATUS_GOOD;
    }
    if (!status)
        made = report_make_anew(experiment, step, &inputs, key, &message);
    if (made) {
        json_object_set_new(experiment->state.made, report_id(experiment, step), made);
        status = state_save_made(&experiment->state, &message);
    }
    if (status || !made) {
        if (step->result->kind == SPEC_VALUE)
            json_object_del(experiment->state.made,
                            report_id(experiment, step)); /* no value is better than an old one */
        log_error("%s: not made: %s", step->name, message.text);
        counts->failed++;
        return STATUS_BAD;
    }
    counts->made++;
    if (failed)
        log_note("%s: made, without %zu failed run%s", step->name, failed, failed == 1 ? "" : "s");
    else
        log_note("%s: made", step->name);
    return STATUS_GOOD;
}

/* All values together, into values.tex and values.json. Steps that failed leave gaps. */
static int report_write_values(struct experiment *experiment, const struct steps *steps)
{
    struct error_text message;
    json_t *all = json_object();
    bool any = false;
    int status = STATUS_GOOD;
    for (size_t i = 0; i < steps->count && !status; i++)
        if (steps->list[i].result->kind == SPEC_VALUE) {
            any = true;
            status = values_add(
                all,
                json_object_get(json_object_get(experiment->state.made, report_id(experiment, &steps->list[i])),
                                "values"),
                &message);
        }
    if (any && !status)
        status = values_write(&experiment->memory, experiment->spec.directory, all, &message);
    if (status)
        log_error("%s", message.text);
    json_decref(all);
    return status;
}

int report_make(struct experiment *experiment, const struct steps *steps, struct report_counts *counts)
{
    int status = STATUS_GOOD;
    *counts = (struct report_counts){0};
    for (size_t i = 0; i < steps->count && !launch_interrupted(&experiment->launcher); i++)
        if (report_make_step(experiment, &steps->list[i], counts) != 0)
            status = STATUS_BAD;
    if (experiment->launcher.interrupted_by)
        return 128 + experiment->launcher.interrupted_by;
    return report_write_values(experiment, steps) != 0 ? STATUS_BAD : status;
}

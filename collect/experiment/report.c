#include "collect/experiment/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "collect/experiment/digest.h"
#include "collect/experiment/start.h"
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
    char *name = memory_print(memory, "%s/runs", data), *flat = memory_print(memory, "%s", step->name);
    int error = directory_make(name);
    if (error)
        return error_set(message, STATUS_BAD, "%.400s: %s", name, strerror(error));
    for (char *slash = flat; (slash = strchr(slash, '/'));)
        *slash = '-';
    const char *path = memory_print(memory, "%s/%s.csv", name, flat);
    words_add(memory, inputs, path);
    return experiment_write_runs(experiment, step->cells, step->cell_count, path, failed, message);
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

/* Whether the file is the one that was made with this key. */
static bool report_is_made(const struct experiment *experiment, const struct step *step, const char *key)
{
    const json_t *made = json_object_get(experiment->state.made, step->name);
    const char *before = json_string_value(json_object_get(made, "key"));
    const char *sha256 = json_string_value(json_object_get(made, "sha256"));
    char content[DIGEST_TEXT];
    return before && sha256 && strcmp(before, key) == 0 && digest_file(step->name, content) == 0 &&
           strcmp(content, sha256) == 0;
}

/* What the program printed on standard error, the first line without "assay-". */
static const char *report_errors(struct obstack *memory, int fd)
{
    char text[1024];
    ssize_t length = pread(fd, text, sizeof text - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    return memory_print(memory, "%.*s", (int)strcspn(text, "\n"), text);
}

static int report_open_null(void)
{
    return open("/dev/null", O_WRONLY | O_CLOEXEC);
}

/* Runs the program into a file beside the result, which then replaces it. */
static int report_run_step(struct experiment *experiment, const struct step *step, const char *program,
                           const struct words *inputs, struct error_text *message)
{
    struct obstack *memory = &experiment->memory;
    const char *slash = strrchr(step->name, '/');
    const char *directory = slash ? memory_copy(memory, step->name, (size_t)(slash - step->name)) : ".";
    const char *fresh = memory_print(memory, "%s/.%s", directory, slash ? slash + 1 : step->name);
    struct words words = {0};
    struct launch_result result;
    words_add(memory, &words, program);
    for (size_t i = 1; i < step->line.count; i++)
        words_add(memory, &words, step->line.list[i]);
    words_add(memory, &words,
              memory_print(memory, "--%s=%s", step->result->kind == SPEC_FIGURE ? "plot" : "output", fresh));
    for (size_t i = 0; i < inputs->count; i++)
        words_add(memory, &words, inputs->list[i]);
    int error = directory_make(directory);
    if (error)
        return error_set(message, STATUS_BAD, "%.400s: %s", directory, strerror(error));
    int null = report_open_null(), errors = open(experiment->spec.data, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (errors < 0)
        errors = open(memory_print(memory, "%s/errors", experiment->spec.data), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC,
                      0600);
    const struct start_job job = {.command = &words, .output = null, .errors = errors};
    int status = start_run(memory, &experiment->launcher, &job, &result, message);
    if (!status && start_status(&result) != 0)
        status = error_set(message, STATUS_BAD, "%.800s", report_errors(memory, errors));
    if (!status && rename(fresh, step->name) != 0)
        status = error_set(message, STATUS_BAD, "%.400s: %s", step->name, strerror(errno));
    if (status)
        unlink(fresh);
    close(null);
    close(errors);
    return status;
}

static int report_make_step(struct experiment *experiment, const struct step *step, struct report_counts *counts)
{
    const char *program = start_program(&experiment->memory, step->line.list[0]);
    char key[DIGEST_TEXT], content[DIGEST_TEXT];
    struct error_text message;
    struct words inputs = {0};
    size_t failed = 0;
    int status = report_inputs(experiment, step, &inputs, &failed, &message);
    if (!status && inputs.count == 0) {
        log_error("%s: not made: there are no runs for it yet", step->name);
        counts->skipped++;
        return STATUS_BAD;
    }
    if (!status)
        status = report_key(step, program, &inputs, key, &message);
    if (!status && report_is_made(experiment, step, key)) {
        counts->unchanged++;
        return STATUS_GOOD;
    }
    if (!status)
        status = report_run_step(experiment, step, program, &inputs, &message);
    int error = status ? 0 : digest_file(step->name, content);
    if (error)
        status = error_set(&message, STATUS_BAD, "%s", strerror(error));
    if (!status) {
        json_object_set_new(experiment->state.made, step->name, json_pack("{s:s, s:s}", "key", key, "sha256", content));
        status = state_save_made(&experiment->state, &message);
    }
    if (status) {
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

int report_make(struct experiment *experiment, const struct steps *steps, struct report_counts *counts)
{
    int status = STATUS_GOOD;
    *counts = (struct report_counts){0};
    for (size_t i = 0; i < steps->count && !launch_interrupted(&experiment->launcher); i++)
        if (report_make_step(experiment, &steps->list[i], counts) != 0)
            status = STATUS_BAD;
    return experiment->launcher.interrupted_by ? 128 + experiment->launcher.interrupted_by : status;
}

#include "collect/experiment/results/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/replace.h"
#include "collect/experiment/state/digest.h"
#include "base/temporary.h"
#include "base/transfer.h"
#include "collect/experiment/state/runs_table.h"
#include "collect/experiment/state/start.h"
#include "collect/experiment/results/values.h"
#include "collect/record/directory.h"
#include "collect/record/log.h"
#include "collect/record/series_file.h"

static void report_add_input(struct obstack *memory, struct report_inputs *inputs, const char *label, const char *path)
{
    words_add(memory, &inputs->words, label ? memory_print(memory, "%s=%s", label, path) : path);
    words_add(memory, &inputs->paths, path);
}

/* What figures call the recordings of a step, if the description says so. */
static const char *report_label(const struct step *step)
{
    const char *label = NULL;
    for (size_t i = 0; i < step->result->input_count; i++)
        if (step->result->inputs[i].source == SPEC_RECORDING)
            label = step->result->inputs[i].label;
    return label;
}

/* The tables or traces of a cell whose runs assay inject or an audit made together. assay causality reads both. */
static void report_add_whole(struct experiment *experiment, const struct step *step, size_t cell,
                             struct report_inputs *inputs)
{
    struct obstack *memory = &experiment->memory;
    const struct plan_cell *of = &experiment->plan.cells[cell];
    static const char *const tables[] = {"runs.tsv", "looks.tsv", "causality.tsv", "notes-runs"};
    bool is_audit = experiment->spec.recordings[of->recording].recorder == SPEC_AUDIT;
    const char *directory = memory_print(memory, "%s/recordings/%s", experiment->spec.data, of->id);
    const char *table = memory_print(memory, "%s/%s", directory, is_audit ? CELL_RUNS_COSTS : CELL_RUNS_INJECTED);
    if (step->of_runs)
        report_add_input(memory, inputs, report_label(step), table);
    else if (!is_audit && strcmp(step->line.list[0], "causality") == 0)
        report_add_input(memory, inputs, "--injected", table);
    for (size_t i = 0; i < sizeof tables / sizeof *tables && steps_is_audit(step); i++)
        words_add(memory, &inputs->paths, memory_print(memory, "%s/%s", directory, tables[i]));
}

/* The traces of the runs that succeeded, or the table of runs, which is written now. */
static int report_add_runs(struct experiment *experiment, const struct step *step, struct report_inputs *inputs,
                           struct error_text *message)
{
    struct obstack *memory = &experiment->memory;
    const char *data = experiment->spec.data;
    size_t runs = 0, count = 0, *cells = memory_allocate(memory, step->cell_count, sizeof *cells);
    for (size_t c = 0; c < step->cell_count; c++) {
        const struct cell_runs *of = &experiment->runs[step->cells[c]];
        const struct plan_cell *cell = &experiment->plan.cells[step->cells[c]];
        if (cell->runs == 0)
            cells[count++] = step->cells[c];
        else if (of->count > 0)
            report_add_whole(experiment, step, step->cells[c], inputs);
        for (size_t i = 0; i < of->count; i++) {
            const struct cell_run *run = &of->runs[i];
            if (!plan_has_run(&experiment->plan, step->cells[c], run->number))
                continue;
            runs += !run->failed;
            inputs->failed += run->failed && !step->of_runs;
            for (size_t t = 0; t < run->trace_count && !run->failed && !step->of_runs; t++)
                report_add_input(memory, inputs, NULL,
                                 memory_print(memory, "%s/recordings/%s/%s", data, cell->id, run->traces[t]));
        }
    }
    if (runs == 0)
        return error_set(message, STATUS_BAD, "there are no runs for it yet");
    if (!step->of_runs || count == 0)
        return STATUS_GOOD;
    const char *path =
        runs_table_path(memory, data, step->result->kind == SPEC_VALUE ? "values" : "results", step->name);
    report_add_input(memory, inputs, report_label(step), path);
    return runs_table_write(experiment, cells, count, path, &inputs->failed, message);
}

static int report_find_inputs(struct experiment *experiment, const struct steps *steps, const struct step *step,
                              struct report_inputs *inputs, struct error_text *message)
{
    int status = step->cell_count ? report_add_runs(experiment, step, inputs, message) : STATUS_GOOD;
    for (size_t i = 0; i < step->file_count && !status; i++) {
        const struct step_file *file = &step->files[i];
        report_add_input(&experiment->memory, inputs, file->label, file->path);
        if (file->source != SIZE_MAX && !steps->list[file->source].is_made)
            status = error_set(message, STATUS_BAD, "%.400s, which it is made from, was not made", file->path);
    }
    return status;
}

/* The step's content: the version and file of the program, the command line, and the files that it reads. */
static int report_key(const struct step *step, const char *program, const struct report_inputs *inputs,
                      char key[DIGEST_TEXT], struct error_text *message)
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
    for (size_t i = 0; i < inputs->words.count; i++)
        digest_add(&digest, inputs->words.list[i]);
    for (size_t i = 0; i < inputs->paths.count && !error; i++) {
        path = inputs->paths.list[i];
        error = digest_file(path, content);
        digest_add(&digest, content);
    }
    digest_finish(&digest, key);
    return error ? error_set(message, STATUS_BAD, "%.400s: %s", path, strerror(error)) : STATUS_GOOD;
}

const char *report_id(struct experiment *experiment, const struct step *step)
{
    return step->result->kind == SPEC_VALUE ? memory_print(&experiment->memory, "/value/%s", step->name) : step->name;
}

/* Whether the file has this digest, if one is noted. */
static bool report_has_digest(const char *path, const json_t *digest)
{
    char content[DIGEST_TEXT];
    const char *sha256 = json_string_value(digest);
    return sha256 && digest_file(path, content) == 0 && strcmp(content, sha256) == 0;
}

/* Whether the files are those that were made with this key. */
static bool report_is_made(struct experiment *experiment, const struct step *step, const char *key)
{
    const json_t *made = json_object_get(experiment->state.made, report_id(experiment, step));
    const char *before = json_string_value(json_object_get(made, "key"));
    const char *graphics = steps_graphics(&experiment->memory, step);
    if (!before || strcmp(before, key) != 0)
        return false;
    if (step->result->kind == SPEC_VALUE)
        return json_is_object(json_object_get(made, "values"));
    return report_has_digest(step->name, json_object_get(made, "sha256")) &&
           (!graphics || report_has_digest(graphics, json_object_get(made, "graphics")));
}

/* What the program printed on standard error. */
static const char *report_errors(struct obstack *memory, int fd)
{
    enum { ERRORS_MAX = 1 << 16 };
    char *text = memory_allocate(memory, ERRORS_MAX, 1);
    ssize_t length = transfer_read_at(fd, text, ERRORS_MAX - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    return text;
}

int report_run_program(struct experiment *experiment, const struct step *step, const char *const *options,
                       const struct report_inputs *inputs, int output, const char **printed, struct error_text *message)
{
    struct obstack *memory = &experiment->memory;
    struct words words = {0};
    struct launch_result result;
    *printed = "";
    words_add(memory, &words, start_program(memory, step->line.list[0]));
    for (size_t i = 1; i < step->line.count; i++)
        words_add(memory, &words, step->line.list[i]);
    for (size_t i = 0; options[i]; i++)
        words_add(memory, &words, options[i]);
    for (size_t i = 0; i < inputs->words.count; i++)
        words_add(memory, &words, inputs->words.list[i]);
    int errors = temporary_file();
    if (errors < 0)
        return error_set(message, STATUS_BAD, "a temporary file: %s", strerror(errno));
    const struct start_job job = {.command = &words, .output = output, .errors = errors};
    int status = start_run(memory, &experiment->launcher, &job, &result, message);
    if (!status)
        *printed = report_errors(memory, errors);
    if (!status && start_status(&result) != 0)
        status = error_set(message, start_status(&result), "%.*s", (int)strcspn(*printed, "\n"), *printed);
    close(errors);
    return status;
}

const char *report_option(const struct step *step)
{
    static const char *const options[] = {
        [SPEC_TABLE] = "--output", [SPEC_FIGURE] = "--plot", [SPEC_PAGE] = "--html", [SPEC_VALUE] = "--format"};
    bool is_plot = strcmp(step->line.list[0], "plot") == 0;
    return options[is_plot ? SPEC_TABLE : step->result->kind];
}

const char *report_audit_format(const char *name)
{
    static const char *const formats[][2] = {{".html", "html"}, {".tex", "latex"}, {".json", "json"}, {".txt", "text"}};
    const char *suffix = strrchr(name, '.');
    for (size_t i = 0; suffix && i < sizeof formats / sizeof *formats; i++)
        if (strcmp(suffix, formats[i][0]) == 0)
            return formats[i][1];
    return NULL;
}

const char *const *report_audit_options(struct experiment *experiment, const struct step *step, const char *format)
{
    struct obstack *memory = &experiment->memory;
    struct words options = {0};
    words_add(memory, &options, "--report");
    words_add(memory, &options, memory_print(memory, "--format=%s", format));
    words_add(memory, &options,
              memory_print(memory, "--output=%s/recordings/%s", experiment->spec.data,
                           experiment->plan.cells[step->cells[0]].id));
    return options.list;
}

/* The line without options that say how LaTeX looks, which other formats refuse. */
static void report_add_plain_line(struct obstack *memory, const struct words *line, struct words *plain)
{
    static const char option[] = "--latex";
    for (size_t i = 0; i < line->count; i++) {
        const char *word = line->list[i];
        size_t written = strcspn(word, "="); /* it may be abbreviated; --la is none */
        bool is_latex = written > strlen("--la") && written <= strlen(option) && strncmp(word, option, written) == 0;
        if (!is_latex)
            words_add(memory, plain, word);
        i += is_latex && !word[written];
    }
}

int report_print(struct experiment *experiment, const struct step *step, const char *format,
                 const struct report_inputs *inputs, int output, const char **printed, struct error_text *message)
{
    struct obstack *memory = &experiment->memory;
    struct step plain = *step;
    *printed = "";
    if (steps_is_audit(step) && step->cell_count != 1)
        return error_set(message, STATUS_BAD, "%.400s: it is not the report of one audit", step->name);
    if (steps_is_audit(step))
        return report_run_program(experiment, step, report_audit_options(experiment, step, format),
                                  &(struct report_inputs){0}, output, printed, message);
    plain.line = (struct words){0};
    report_add_plain_line(memory, &step->line, &plain.line);
    return report_run_program(experiment, &plain,
                              (const char *const[]){memory_print(memory, "--format=%s", format), NULL}, inputs, output,
                              printed, message);
}

/* Writes the report of an audit, which assay audit profiler prints, into a file. */
static int report_run_audit(struct experiment *experiment, const struct step *step, const char *fresh,
                            const char **printed, struct error_text *message)
{
    const char *format = report_audit_format(step->name);
    if (!format)
        return error_set(message, STATUS_BAD, "a report of an audit is .html, .tex, .json or .txt");
    if (step->cell_count != 1)
        return error_set(message, STATUS_BAD,
                         "it would be made from %zu audits; write {program} or a factor into its name",
                         step->cell_count);
    int out = replace_create(fresh, 0666);
    if (out < 0)
        return error_set(message, STATUS_BAD, "%.400s: %s", fresh, strerror(errno));
    int status = report_run_program(experiment, step, report_audit_options(experiment, step, format),
                                    &(struct report_inputs){0}, out, printed, message);
    if (close(out) != 0 && !status)
        status = error_set(message, STATUS_BAD, "%.400s: %s", fresh, strerror(errno));
    return status;
}

/* Runs the program into a file beside the result, which then replaces it. Figures replace theirs themselves: some have
 * their own name in them, or are two files. */
static int report_run_step(struct experiment *experiment, const struct step *step, const struct report_inputs *inputs,
                           const char **printed, struct error_text *message)
{
    struct obstack *memory = &experiment->memory;
    const char *slash = strrchr(step->name, '/');
    const char *directory = slash ? memory_copy(memory, step->name, (size_t)(slash - step->name)) : ".";
    bool is_figure = step->result->kind == SPEC_FIGURE;
    const char *fresh =
        is_figure ? step->name : memory_print(memory, "%s/.%s", directory, slash ? slash + 1 : step->name);
    int error = directory_make(directory), null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (error || null < 0)
        return error_set(message, STATUS_BAD, "%.400s: %s", directory, strerror(error ? error : errno));
    const char *option = memory_print(memory, "%s=%s", report_option(step), fresh);
    int status = steps_is_audit(step) ? report_run_audit(experiment, step, fresh, printed, message)
                                      : report_run_program(experiment, step, (const char *const[]){option, NULL},
                                                           inputs, null, printed, message);
    if (!status && !is_figure && rename(fresh, step->name) != 0)
        status = error_set(message, STATUS_BAD, "%.400s: %s", step->name, strerror(errno));
    if (status && !is_figure)
        unlink(fresh);
    close(null);
    return status;
}

/* Runs the program twice, for the values and for their texts in LaTeX. New reference; NULL with a message. */
static json_t *report_read_values(struct experiment *experiment, const struct step *step,
                                  const struct report_inputs *inputs, const char **printed, struct error_text *message)
{
    struct obstack *memory = &experiment->memory;
    json_t *values = NULL;
    int json = temporary_file(), macros = temporary_file();
    if (json < 0 || macros < 0)
        error_set(message, STATUS_BAD, "a temporary file: %s", strerror(errno));
    else if (report_run_program(experiment, step, (const char *const[]){"--format=json", NULL}, inputs, json, printed,
                                message) == 0)
        values = values_read(memory, step->name, json, message);
    const char *name = memory_print(memory, "--macro-name=%s", step->name);
    if (values && report_run_program(experiment, step, (const char *const[]){"--format=macros", name, NULL}, inputs,
                                     macros, printed, message) != 0) {
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

/* The name of the description, without its directory. */
static const char *report_description(const struct experiment *experiment)
{
    const char *path = experiment->spec.path, *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void report_print_stale(struct experiment *experiment, const struct steps *steps)
{
    struct error_text message;
    const char *name;
    json_t *made;
    void *next;
    bool changed = false;
    json_object_foreach_safe(experiment->state.made, next, name, made)
    {
        const char *by = json_string_value(json_object_get(made, "file"));
        size_t i = 0;
        while (i < steps->count && strcmp(report_id(experiment, &steps->list[i]), name) != 0)
            i++;
        if (i < steps->count || !by || strcmp(by, report_description(experiment)) != 0)
            continue;
        if (report_has_digest(name, json_object_get(made, "sha256")))
            log_note("%s is no longer made by %s; remove it if it is of no use", name, by);
        json_object_del(experiment->state.made, name);
        changed = true;
    }
    if (changed && state_save_made(&experiment->state, &message) != 0)
        log_error("%s", message.text);
}

/* Makes the step's file or values, and what results.json has of it: a new reference; NULL with a message. */
static json_t *report_make_anew(struct experiment *experiment, const struct step *step,
                                const struct report_inputs *inputs, const char *key, const char **printed,
                                struct error_text *message)
{
    char content[DIGEST_TEXT];
    if (step->result->kind == SPEC_VALUE) {
        json_t *values = report_read_values(experiment, step, inputs, printed, message);
        return values ? json_pack("{s:s, s:o}", "key", key, "values", values) : NULL;
    }
    if (report_run_step(experiment, step, inputs, printed, message) != 0)
        return NULL;
    const char *graphics = steps_graphics(&experiment->memory, step), *path = step->name;
    json_t *made = json_pack("{s:s, s:s}", "key", key, "file", report_description(experiment));
    int error = digest_file(path, content);
    json_object_set_new(made, "sha256", json_string(content));
    if (!error && graphics) {
        error = digest_file(path = graphics, content);
        json_object_set_new(made, "graphics", json_string(content));
    }
    if (!error)
        return made;
    error_set(message, STATUS_BAD, "%.400s: %s", path, strerror(error));
    json_decref(made);
    return NULL;
}

/* All that is known of a failure. A program whose result is of no use may have printed only warnings. */
static const char *report_reason(struct obstack *memory, const struct error_text *message, const char *printed)
{
    bool has_message = strncmp(printed, message->text, strlen(message->text)) == 0;
    return has_message ? printed : memory_print(memory, "%s%s%s", message->text, *printed ? "\n" : "", printed);
}

/* Notes and prints a failure, unless it is that of another level of the same result, too. */
static void report_note_failure(struct experiment *experiment, const struct steps *steps, const struct step *step,
                                struct report_outcome *outcome, const struct error_text *message, const char *printed)
{
    outcome->error = report_reason(&experiment->memory, message, printed);
    outcome->message = memory_print(&experiment->memory, "%s", message->text);
    for (size_t before = 1; before <= (size_t)(step - steps->list); before++)
        if ((step - before)->result == step->result && (outcome - before)->message &&
            strcmp((outcome - before)->message, outcome->message) == 0)
            outcome->is_repeated = true;
    if (!outcome->is_repeated)
        log_error("%s: not made: %s", step->name, message->text);
}

static int report_make_step(struct experiment *experiment, const struct steps *steps, struct step *step,
                            struct report_outcome *outcome, struct report_counts *counts)
{
    char key[DIGEST_TEXT];
    struct error_text message;
    struct report_inputs *inputs = &outcome->inputs;
    const char *printed = "";
    json_t *made = NULL;
    int status = report_find_inputs(experiment, steps, step, inputs, &message);
    if (!status)
        status = report_key(step, start_program(&experiment->memory, step->line.list[0]), inputs, key, &message);
    if (!status && report_is_made(experiment, step, key)) {
        step->is_made = true;
        counts->unchanged++;
        return STATUS_GOOD;
    }
    if (!status)
        made = report_make_anew(experiment, step, inputs, key, &printed, &message);
    if (made) {
        json_object_set_new(experiment->state.made, report_id(experiment, step), made);
        status = state_save_made(&experiment->state, &message);
    }
    if (status || !made) {
        if (step->result->kind == SPEC_VALUE)
            json_object_del(experiment->state.made,
                            report_id(experiment, step)); /* no value is better than an old one */
        report_note_failure(experiment, steps, step, outcome, &message, printed);
        counts->failed++;
        return STATUS_BAD;
    }
    counts->made++;
    step->is_made = true;
    if (inputs->failed)
        log_note("%s: made, without %zu failed run%s", step->name, inputs->failed, inputs->failed == 1 ? "" : "s");
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

int report_make(struct experiment *experiment, struct steps *steps, struct report_outcome *outcomes,
                struct report_counts *counts)
{
    int status = STATUS_GOOD;
    size_t repeated = 0;
    *counts = (struct report_counts){0};
    for (size_t i = 0; i < steps->count && !launch_interrupted(&experiment->launcher); i++) {
        const struct spec_result *result = steps->list[i].result;
        if (report_make_step(experiment, steps, &steps->list[i], &outcomes[i], counts) != 0)
            status = STATUS_BAD;
        repeated += outcomes[i].is_repeated;
        if (repeated > 0 && (i + 1 == steps->count || steps->list[i + 1].result != result)) {
            log_error("%s: %zu more not made, for the same reason", result->name, repeated);
            repeated = 0;
        }
    }
    if (experiment->launcher.interrupted_by)
        return 128 + experiment->launcher.interrupted_by;
    return report_write_values(experiment, steps) != 0 ? STATUS_BAD : status;
}

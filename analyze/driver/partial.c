#include "analyze/driver/driver.h"
#include "analyze/driver/state.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "base/replace.h"
#include "base/transfer.h"

/*
 * A partial state is one JSON object:
 *   {"assay-state": 1, "program": "hot", "input": […], "loss": {…}, "state": …}
 * `state` is the analyzer's own. `weight` and `thread-states` are those of --weight and --state, if they were given;
 * `by` is the label of --by, if the driver keeps labels apart (by_label.h); `conditions` are those of the runs
 * (conditions.h). `subject` is the analyzer's, if it has one.
 */

bool partial_looks_like(const char *path)
{
    int fd = strcmp(path, "-") == 0 ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    char head[4096] = "";
    bool regular = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    ssize_t length = regular ? transfer_read_at(fd, head, sizeof head - 1, 0) : 0;
    if (fd >= 0)
        close(fd);
    return length > 0 && head[0] == '{' && strstr(head, "\"assay-state\"");
}

static int partial_check_header(const json_t *partial, const struct settings *settings, struct error_text *message)
{
    const struct analyzer *analyzer = settings->analyzer;
    const struct selection_wish *wish = &settings->options.selection;
    const char *subject = json_string_value(json_object_get(partial, "subject"));
    const char *program = json_string_value(json_object_get(partial, "program"));
    const char *version = json_string_value(json_object_get(partial, "assay"));
    if (json_integer_value(json_object_get(partial, "assay-state")) != 1 || !program)
        return error_set(message, STATUS_BAD,
                         "is a JSON file, but not a saved state (--save-state) that this version reads");
    if (!version || strcmp(version, ASSAY_VERSION) != 0)
        return error_set(message, STATUS_BAD,
                         "was saved by assay %s; a state is only for its own version, and this is " ASSAY_VERSION,
                         version ? version : "of an unknown version");
    if (strcmp(program, analyzer->name) != 0 ||
        strcmp(subject ? subject : "", analyzer->subject ? analyzer->subject : "") != 0)
        return error_set(message, STATUS_BAD, "is a state of assay-%s%s%s; use it with that program", program,
                         subject ? " " : "", subject ? subject : "");

    /* Sums of different weights have no meaning together. */
    char states[SELECTION_STATES_MAX];
    selection_states_text(wish, states);
    const struct {
        const char *option, *key, *wanted;
        bool optional; /* a state saved with it is good without it */
    } options[] = {{"weight", "weight", wish->weight ? wish->weight : "", false},
                   {"state", "thread-states", states, false},
                   {"by", "by", settings->by < RUN_LABELS ? run_label_name(settings->by) : "", false},
                   {"by", "other-label", run_label_name(RUN_LABEL_OTHER), true}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const char *saved = json_string_value(json_object_get(partial, options[i].key));
        if (options[i].optional && !*options[i].wanted)
            continue;
        if (strcmp(saved ? saved : "", options[i].wanted) != 0)
            return error_set(message, STATUS_BAD, "was saved %s --%s%s%s: use it likewise", saved ? "with" : "without",
                             options[i].option, saved ? " " : "", saved ? saved : "");
    }
    return STATUS_GOOD;
}

int partial_read(const struct settings *settings, const char *path, json_t **partial, struct error_text *message)
{
    json_error_t error;
    json_t *read = json_load_file(path, 0, &error);
    int status = read ? partial_check_header(read, settings, message)
                      : error_set(message, STATUS_BAD, "line %d: is not a saved state: %s", error.line, error.text);
    if (status)
        json_decref(read);
    else
        *partial = read;
    return status;
}

int partial_write(const struct settings *settings, const struct inputs *inputs, void *state)
{
    struct report none = {.warnings = json_array(), .notes = json_array()};
    json_t *loss = loss_sum(inputs, &none);
    result_warnings(&settings->common.result, &none);
    json_t *saved = state_save(settings->analyzer, state);
    const struct selection_wish *wish = &settings->options.selection;
    const char *other = run_label_name(RUN_LABEL_OTHER);
    char names[SELECTION_STATES_MAX];
    selection_states_text(wish, names);
    json_t *states = *names ? json_string(names) : NULL;
    json_t *weight = wish->weight ? text_json(wish->weight, strlen(wish->weight)) : NULL;
    json_t *partial =
        json_pack("{s:i, s:s, s:s, s:s*, s:o, s:o, s:o, s:o*, s:o*, s:s*, s:s*, s:o*}", "assay-state", 1, "assay",
                  ASSAY_VERSION, "program", settings->analyzer->name, "subject", settings->analyzer->subject, "input",
                  inputs_paths(inputs), "loss", loss, "state", saved, "weight", weight, "thread-states", states, "by",
                  settings->by < RUN_LABELS ? run_label_name(settings->by) : NULL, "other-label", *other ? other : NULL,
                  "conditions", inputs_conditions(inputs));
    json_decref(none.warnings);
    json_decref(none.notes);
    if (!partial)
        return ENOMEM;
    struct replacement file;
    int error = replace_open(&file, settings->save_state);
    if (!error) {
        errno = 0;
        bool bad = json_dumpf(partial, file.out, JSON_COMPACT) != 0 || putc('\n', file.out) == EOF;
        error = replace_close(&file, bad ? (errno ? errno : EIO) : 0);
    }
    json_decref(partial);
    return error;
}

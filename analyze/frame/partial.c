#include "analyze/frame/frame.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * A partial state is one JSON object:
 *   {"assay-state": 1, "program": "hot", "input": […], "loss": {…}, "state": …}
 * `state` is the analyzer's own.
 */

bool partial_looks_like(const char *path)
{
    int fd = strcmp(path, "-") == 0 ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    char first = '\0';
    bool regular = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    bool object = regular && read(fd, &first, 1) == 1 && first == '{';
    if (fd >= 0)
        close(fd);
    return object;
}

json_t *partial_read(const struct settings *settings, const char *path)
{
    json_error_t error;
    json_t *partial = json_load_file(path, 0, &error);
    const char *program = json_string_value(json_object_get(partial, "program"));
    const char *version = json_string_value(json_object_get(partial, "assay"));
    if (!partial)
        frame_complain(settings, "%s: line %d: is not a saved state: %s", path, error.line, error.text);
    else if (json_integer_value(json_object_get(partial, "assay-state")) != 1 || !program)
        frame_complain(settings, "%s: is a JSON file, but not a saved state (--save-state) that this version reads",
                       path);
    else if (!version || strcmp(version, ASSAY_VERSION) != 0)
        frame_complain(settings,
                       "%s: was saved by assay %s; a state is only for its own version, and this is " ASSAY_VERSION,
                       path, version ? version : "of an unknown version");
    else if (strcmp(program, settings->analyzer->name) != 0)
        frame_complain(settings, "%s: is a state of assay-%s; use it with that program", path, program);
    else
        return partial;
    json_decref(partial);
    return NULL;
}

int partial_write(const struct settings *settings, const struct inputs *inputs, void *state)
{
    struct report none = {.warnings = json_array(), .notes = json_array()};
    json_t *loss = loss_sum(inputs, &none);
    result_warnings(&settings->common.result, &none);
    json_t *saved = settings->analyzer->save(state);
    json_t *partial = json_pack("{s:i, s:s, s:s, s:o, s:o, s:o}", "assay-state", 1, "assay", ASSAY_VERSION, "program",
                                settings->analyzer->name, "input", inputs_paths(inputs), "loss", loss, "state", saved);
    json_decref(none.warnings);
    json_decref(none.notes);
    if (!partial)
        return ENOMEM;
    errno = 0;
    FILE *file = fopen(settings->save_state, "we");
    bool bad = !file || json_dumpf(partial, file, JSON_COMPACT) != 0 || putc('\n', file) == EOF;
    int error = bad ? (errno ? errno : EIO) : 0;
    if (file && fclose(file) != 0 && !error)
        error = errno;
    json_decref(partial);
    return error;
}

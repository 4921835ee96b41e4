#include "collect/experiment/runs/moved.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "collect/record/directory.h"
#include "collect/record/log.h"

/* Replaces `before`, at the beginning of a text of the configuration, by `now`. */
static void moved_replace(struct obstack *memory, json_t *configuration, const char *key, const char *before,
                          const char *now)
{
    const char *text = json_string_value(json_object_get(configuration, key));
    size_t length = strlen(before);
    if (!text || strncmp(text, before, length) != 0 || (text[length] != '/' && text[length] != '\0'))
        return;
    text = memory_print(memory, "%s%s", now, text + length);
    text_json_set(configuration, key, text_json(text, strlen(text)));
}

/* The directory of the experiment in which a cell was recorded, by the cell's working directory then; NULL: it ran
 * elsewhere. */
static const char *moved_find_before(struct obstack *memory, const char *working, const char *here, const char *cell)
{
    size_t length = strlen(working), below = strlen(cell) - strlen(here);
    if (strncmp(cell, here, strlen(here)) != 0 || length <= below ||
        strcmp(working + length - below, cell + strlen(here)) != 0)
        return NULL;
    return memory_copy(memory, working, length - below);
}

/* *before is where the cell was recorded, if it was elsewhere. 0 or an errno value. */
static int moved_follow_cell(struct experiment *experiment, const struct plan_cell *cell, const char *here,
                             const char **before)
{
    struct obstack *memory = &experiment->memory;
    const char *directory = memory_print(memory, "%s/recordings/%s", experiment->spec.data, cell->id);
    json_t *root = json_load_file(memory_print(memory, "%s/series.json", directory), 0, NULL);
    json_t *configuration = json_object_get(root, "configuration");
    const char *working = json_string_value(json_object_get(configuration, "working_directory"));
    char now[PATH_MAX];
    int error = 0;
    *before = NULL;
    if (working && realpath(cell->directory ? cell->directory : ".", now) && strcmp(now, working) != 0)
        *before = moved_find_before(memory, working, here, now);
    if (*before) {
        moved_replace(memory, configuration, "working_directory", *before, here);
        moved_replace(memory, configuration, "input", *before, here);
        moved_replace(memory, configuration, "program", *before, here);
        error = directory_put(directory, "series.json", root);
    }
    json_decref(root);
    return error;
}

int moved_follow(struct experiment *experiment)
{
    char here[PATH_MAX];
    const char *from = NULL;
    if (!getcwd(here, sizeof here))
        return STATUS_GOOD;
    for (size_t c = 0; c < experiment->plan.cell_count; c++) {
        const struct plan_cell *cell = &experiment->plan.cells[c];
        const char *before;
        int error = moved_follow_cell(experiment, cell, here, &before);
        if (error) {
            log_error("%s/recordings/%s/series.json: %s", experiment->spec.data, cell->id, strerror(error));
            return STATUS_BAD;
        }
        from = from ? from : before;
    }
    if (from)
        log_note("%s was recorded in %s, and continues here", experiment->spec.data, from);
    return STATUS_GOOD;
}

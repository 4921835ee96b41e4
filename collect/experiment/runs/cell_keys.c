#include "collect/experiment/runs/cell_keys.h"

#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "collect/experiment/state/digest.h"
#include "collect/record/log.h"

/* The path from here of a file that a command names in its own directory. */
static const char *cell_keys_path(struct obstack *memory, const struct plan_cell *cell, const char *name)
{
    return *name == '/' || !cell->directory ? name : memory_print(memory, "%s/%s", cell->directory, name);
}

/* Adds the file's digest to `files`, if it is a file; *cache has those that were read before. */
static void cell_keys_add_file(struct obstack *memory, const char *path, json_t *cache, json_t *files)
{
    struct stat found;
    char digest[DIGEST_TEXT];
    const json_t *known = json_object_get(cache, path);
    if (!known && stat(path, &found) == 0 && S_ISREG(found.st_mode) && digest_file(path, digest) == 0)
        json_object_set_new(cache, memory_print(memory, "%s", path), json_string(digest));
    if (json_object_get(cache, path))
        json_object_set(files, path, json_object_get(cache, path));
}

static json_t *cell_keys_describe(struct experiment *experiment, size_t number, json_t *cache)
{
    struct obstack *memory = &experiment->memory;
    const struct plan_cell *cell = &experiment->plan.cells[number];
    const struct words *line = &experiment->spec.recordings[cell->recording].line;
    struct sha256_ctx digest;
    char key[DIGEST_TEXT];
    json_t *files = json_object();
    sha256_init(&digest);
    for (size_t i = 0; i < line->count; i++)
        digest_add(&digest, line->list[i]);
    digest_add(&digest, "");
    for (size_t i = 0; i < cell->command.count; i++) {
        digest_add(&digest, cell->command.list[i]);
        cell_keys_add_file(memory, cell_keys_path(memory, cell, cell->command.list[i]), cache, files);
    }
    digest_add(&digest, "");
    for (size_t i = 0; i < cell->environment.count; i++) {
        digest_add(&digest, cell->environment.names[i]);
        digest_add(&digest, cell->environment.values[i]);
    }
    digest_add(&digest, cell->directory ? cell->directory : "");
    digest_add(&digest, cell->input ? cell->input : "");
    if (cell->input)
        cell_keys_add_file(memory, cell->input, cache, files);
    digest_finish(&digest, key);
    return json_pack("{s:s, s:o, s:b}", "key", key, "files", files, "first", true);
}

/* What differs, or NULL. */
static const char *cell_keys_compare(struct obstack *memory, const json_t *before, const json_t *now)
{
    const char *path;
    json_t *digest;
    if (!json_equal(json_object_get(before, "key"), json_object_get(now, "key")))
        return "its command line, environment or recording";
    json_object_foreach(json_object_get(before, "files"), path,
                        digest) if (!json_equal(digest, json_object_get(json_object_get(now, "files"),
                                                                        path))) return memory_print(memory, "%s", path);
    return NULL;
}

/* The files of the cell's series, and its CPU profile; other directories below may be cells of another description. */
static void cell_keys_remove_runs(struct experiment *experiment, size_t cell)
{
    char *directory =
        memory_print(&experiment->memory, "%s/recordings/%s", experiment->spec.data, experiment->plan.cells[cell].id);
    char *const paths[] = {directory, NULL};
    FTS *walk = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    FTSENT *entry;
    while (walk && (entry = fts_read(walk))) {
        if (entry->fts_info == FTS_D && entry->fts_level > 0 && strcmp(entry->fts_name, "profile") != 0)
            fts_set(walk, entry, FTS_SKIP);
        else if (entry->fts_info == FTS_F)
            unlink(entry->fts_accpath);
    }
    if (walk)
        fts_close(walk);
    cell_runs_free(&experiment->runs[cell]);
}

/* Removes the files that have changed from what a cell was recorded with. */
static void cell_keys_forget_changed(json_t *before)
{
    const char *path;
    json_t *digest, *files = json_object_get(before, "files");
    char now[DIGEST_TEXT];
    void *next;
    json_object_foreach_safe(files, next, path, digest)
    {
        if (digest_file(path, now) != 0 || strcmp(now, json_string_value(digest)) != 0)
            json_object_del(files, path);
    }
    json_object_del(before, "first");
}

int cell_keys_check(struct experiment *experiment, bool overwrite)
{
    struct error_text message;
    json_t *cells = json_object_get(experiment->state.root, "cells"), *cache = json_object();
    int status = STATUS_GOOD;
    if (!cells)
        json_object_set_new(experiment->state.root, "cells", cells = json_object());
    for (size_t cell = 0; cell < experiment->plan.cell_count && !launch_interrupted(&experiment->launcher); cell++) {
        const char *id = experiment->plan.cells[cell].id;
        json_t *before = json_object_get(cells, id), *now = cell_keys_describe(experiment, cell, cache);
        if (experiment->runs[cell].count > 0 && json_object_get(before, "first"))
            cell_keys_forget_changed(before); /* a kill came after its first run */
        const char *what =
            experiment->runs[cell].count > 0 && before ? cell_keys_compare(&experiment->memory, before, now) : NULL;
        if (what && overwrite) {
            log_note("%s is recorded again: %s has changed", id, what);
            cell_keys_remove_runs(experiment, cell);
        } else if (what) {
            log_error("%s: %s has changed since it was recorded; restore it, or --overwrite the recording", id, what);
            status = STATUS_BAD;
        }
        if (experiment->runs[cell].count == 0)
            json_object_set(cells, id, now);
        json_decref(now);
    }
    json_decref(cache);
    if (launch_interrupted(&experiment->launcher))
        return 128 + experiment->launcher.interrupted_by;
    if (!status && state_save_own(&experiment->state, &message) != 0) {
        log_error("%s", message.text);
        status = STATUS_BAD;
    }
    return status;
}

void cell_keys_forget_written(struct experiment *experiment, size_t cell)
{
    struct error_text message;
    cell_keys_forget_changed(
        json_object_get(json_object_get(experiment->state.root, "cells"), experiment->plan.cells[cell].id));
    if (state_save_own(&experiment->state, &message) != 0)
        log_error("%s", message.text);
}

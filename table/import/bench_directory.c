#include "table/import/bench_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

#include "base/temporary.h"

enum { DEPTH_MAX = 16 };

/* {"criterion": [{"benchmark": benchmark.json, "sample": sample.json}, …]}, or
 * {"assay series": [{"directory": NAME, "state": series.json, or "problem": TEXT}, …]}. */
struct document {
    FILE *out;
    size_t count;
    /* Makes the entry (new) of a directory, if it holds results, and says whether to look into those below it.
     * `relative`: its path from the document's directory. */
    json_t *(*visit)(const char *path, const char *relative, bool *deeper);
};

static const char SERIES[] = "series.json";

static json_t *directory_read_json(const char *directory, const char *name)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", directory, name) >= (int)sizeof path)
        return NULL;
    return json_load_file(path, 0, NULL);
}

static int directory_is_visible(const struct dirent *entry)
{
    return *entry->d_name != '.';
}

/* The benchmark of a directory "new", which holds its last run. */
static json_t *directory_visit_criterion(const char *path, const char *relative, bool *deeper)
{
    const char *slash = strrchr(relative, '/'), *name = slash ? slash + 1 : relative;
    if (strcmp(name, "new") != 0)
        return NULL;
    json_t *sample = directory_read_json(path, "sample.json"), *benchmark = directory_read_json(path, "benchmark.json");
    json_t *entry = sample && benchmark ? json_pack("{sOsO}", "benchmark", benchmark, "sample", sample) : NULL;
    json_decref(sample);
    json_decref(benchmark);
    *deeper = false;
    return entry;
}

/* A series, unless it is the CPU profile of another one. */
static json_t *directory_visit_series(const char *path, const char *relative, bool *deeper)
{
    (void)deeper;
    char name[PATH_MAX];
    json_error_t error;
    if (snprintf(name, sizeof name, "%s/%s", path, SERIES) >= (int)sizeof name || access(name, F_OK) != 0)
        return NULL;
    json_t *state = json_load_file(name, 0, &error), *entry = NULL;
    if (!state) /* to leave it out would give a table that looks complete */
        return json_pack("{ssss}", "directory", relative, "problem", error.text);
    if (json_is_array(json_object_get(state, "done")) && !json_object_get(state, "profile_of"))
        entry = json_pack("{sssO}", "directory", relative, "state", state);
    json_decref(state);
    return entry;
}

/* `start`: the length of the document's directory, and a slash, in path. */
static void directory_add_all(struct document *document, const char *path, size_t start, unsigned depth)
{
    struct dirent **entries;
    struct stat status;
    char inner[PATH_MAX];
    int count = depth < DEPTH_MAX ? scandir(path, &entries, directory_is_visible, alphasort) : 0;
    for (int i = 0; i < count; i++) {
        bool fits = snprintf(inner, sizeof inner, "%s/%s", path, entries[i]->d_name) < (int)sizeof inner, deeper = true;
        if (fits && lstat(inner, &status) == 0 && S_ISDIR(status.st_mode)) {
            json_t *entry = document->visit(inner, inner + start, &deeper);
            if (entry) {
                fputs(document->count++ > 0 ? ",\n" : "", document->out);
                json_dumpf(entry, document->out, JSON_COMPACT);
            }
            json_decref(entry);
            if (deeper)
                directory_add_all(document, inner, start, depth + 1);
        }
        free(entries[i]);
    }
    if (count > 0)
        free(entries);
}

/* The descriptor of a temporary file with the document of this key; −1 with an errno value, which is 0 if nothing was
 * found. */
static int directory_make_document(const char *path, const char *key,
                                   json_t *(*visit)(const char *path, const char *relative, bool *deeper))
{
    int fd = temporary_file(), copy = fd >= 0 ? dup(fd) : -1;
    struct document document = {.out = copy >= 0 ? fdopen(copy, "w") : NULL, .visit = visit};
    int error = document.out ? 0 : errno;
    if (document.out) {
        fprintf(document.out, "{\"%s\": [", key);
        directory_add_all(&document, path, strlen(path) + 1, 0);
        fputs("]}\n", document.out);
        if (fclose(document.out) != 0)
            error = errno;
    } else if (copy >= 0)
        close(copy);
    if (!error && document.count > 0 && lseek(fd, 0, SEEK_SET) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    errno = error;
    return -1;
}

int bench_directory_open(const char *path, struct error_text *message)
{
    char series[PATH_MAX];
    bool fits = snprintf(series, sizeof series, "%s/%s", path, SERIES) < (int)sizeof series;
    if (fits && access(series, F_OK) == 0) {
        int fd = open(series, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
            error_set(message, STATUS_BAD, "%s: %s", SERIES, strerror(errno));
        return fd;
    }
    int fd = directory_make_document(path, "assay series", directory_visit_series);
    if (fd < 0 && errno == 0)
        fd = directory_make_document(path, "criterion", directory_visit_criterion);
    if (fd < 0)
        error_set(message, STATUS_BAD, "%s",
                  errno ? strerror(errno)
                        : "is a directory without series.json and criterion's benchmarks (new/sample.json)");
    return fd;
}

#include "table/import/bench_directory.h"

#include <dirent.h>
#include <errno.h>
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

/* {"criterion": [{"benchmark": benchmark.json, "sample": sample.json}, …]} */
struct document {
    FILE *out;
    size_t count;
};

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

static void directory_add_all(struct document *document, const char *path, unsigned depth)
{
    struct dirent **entries;
    struct stat status;
    char inner[PATH_MAX];
    int count = depth < DEPTH_MAX ? scandir(path, &entries, directory_is_visible, alphasort) : 0;
    for (int i = 0; i < count; i++) {
        bool fits = snprintf(inner, sizeof inner, "%s/%s", path, entries[i]->d_name) < (int)sizeof inner;
        if (fits && lstat(inner, &status) == 0 && S_ISDIR(status.st_mode)) {
            if (strcmp(entries[i]->d_name, "new") == 0) {
                /* The benchmark of a directory "new", which holds its last run. */
                json_t *sample = directory_read_json(inner, "sample.json"),
                       *benchmark = directory_read_json(inner, "benchmark.json");
                json_t *entry =
                    sample && benchmark ? json_pack("{sOsO}", "benchmark", benchmark, "sample", sample) : NULL;
                if (entry) {
                    fputs(document->count++ > 0 ? ",\n" : "", document->out);
                    json_dumpf(entry, document->out, JSON_COMPACT);
                }
                json_decref(entry);
                json_decref(sample);
                json_decref(benchmark);
            } else
                directory_add_all(document, inner, depth + 1);
        }
        free(entries[i]);
    }
    if (count > 0)
        free(entries);
}

int bench_directory_open(const char *path, struct error_text *message)
{
    int fd = temporary_file(), copy = fd >= 0 ? dup(fd) : -1;
    struct document document = {.out = copy >= 0 ? fdopen(copy, "w") : NULL};
    if (!document.out) {
        error_set(message, STATUS_BAD, "%s", strerror(errno));
        if (fd >= 0)
            close(fd);
        return -1;
    }
    fputs("{\"criterion\": [", document.out);
    directory_add_all(&document, path, 0);
    fputs("]}\n", document.out);
    bool bad = fclose(document.out) != 0;
    if (bad)
        error_set(message, STATUS_BAD, "%s", strerror(errno));
    else if (document.count == 0)
        error_set(message, STATUS_BAD, "is a directory without criterion's benchmarks (new/sample.json)");
    if (!bad && document.count > 0 && lseek(fd, 0, SEEK_SET) == 0)
        return fd;
    close(fd);
    return -1;
}

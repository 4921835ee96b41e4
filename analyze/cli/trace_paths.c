#include "analyze/cli/trace_paths.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int trace_paths_select(const struct dirent *entry)
{
    static const char suffix[] = ".trace";
    size_t length = strlen(entry->d_name);
    return entry->d_name[0] != '.' && length >= sizeof suffix &&
           strcmp(entry->d_name + length + 1 - sizeof suffix, suffix) == 0;
}

static int trace_paths_compare(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

char *trace_paths_join(const char *directory, const char *name)
{
    char *path;
    bool slash = *directory && directory[strlen(directory) - 1] == '/';
    return asprintf(&path, "%s%s%s", directory, slash ? "" : "/", name) < 0 ? NULL : path;
}

int trace_paths_list(const char *directory, char ***paths)
{
    struct dirent **entries = NULL;
    struct stat file;
    bool is_directory = stat(directory, &file) == 0 && S_ISDIR(file.st_mode), full = false;
    int found = is_directory ? scandir(directory, &entries, trace_paths_select, trace_paths_compare) : 0, count = 0;
    *paths = found > 0 ? calloc((size_t)found, sizeof **paths) : NULL;
    full = found > 0 && !*paths;
    for (int i = 0; i < found; i++) {
        char *path = full ? NULL : trace_paths_join(directory, entries[i]->d_name);
        full = !path;
        free(entries[i]);
        if (!full && (stat(path, &file) != 0 || S_ISREG(file.st_mode)))
            (*paths)[count++] = path;
        else if (!full)
            free(path);
    }
    free(entries);
    if (!full && count > 0)
        return count;
    for (int i = 0; i < count; i++)
        free((*paths)[i]);
    free(*paths);
    *paths = NULL;
    return full ? -1 : 0;
}

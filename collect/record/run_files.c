#include "collect/record/run_files.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void run_files_prefix(const struct record_run *run, char prefix[RECORD_PREFIX_MAX])
{
    assert(run->number > 0);
    snprintf(prefix, RECORD_PREFIX_MAX, "%s%srun-%03" PRIu64, run->several_clocks ? run->clock->name : "",
             run->several_clocks ? "-" : "", run->number);
}

size_t run_files_prefix_length(const char *name)
{
    const char *end = strrchr(name, '-');
    return end ? (size_t)(end - name) : strlen(name);
}

size_t run_files_stem_length(const char *name)
{
    const char *end = strrchr(name, '.');
    return end ? (size_t)(end - name) : strlen(name);
}

pid_t run_files_pid(const char *name)
{
    const char *dash = strrchr(name, '-');
    return dash ? (pid_t)strtol(dash + 1, NULL, 10) : 0;
}

int run_files_list(const char *directory, const char *prefix, struct run_files_list *list)
{
    return run_files_list_of(directory, prefix, RUN_FILES_TRACES, list);
}

int run_files_list_of(const char *directory, const char *prefix, enum run_files_kind kind, struct run_files_list *list)
{
    static const char *const ENDS[] = {"trace", "exact", "valgrind", "(trace|exact|memory|valgrind)"};
    regex_t pattern;
    char text[96];
    snprintf(text, sizeof text, "^([a-z]+-)?run-[0-9]+-[0-9]+(\\.[0-9]+)?\\.%s$", ENDS[kind]);
    if (regcomp(&pattern, text, REG_EXTENDED | REG_NOSUB) != 0)
        return ENOMEM;
    struct dirent **entries;
    int found = scandir(directory, &entries, NULL, versionsort);
    int error = errno;
    struct run_files_list got = {0};
    if (found >= 0) {
        got.names = calloc((size_t)found + 1, sizeof *got.names);
        error = got.names ? 0 : ENOMEM;
    }
    for (int i = 0; i < found; i++) {
        const char *found_name = entries[i]->d_name;
        bool matches = !error && regexec(&pattern, found_name, 0, NULL, 0) == 0 &&
                       (!prefix || (strlen(prefix) == run_files_prefix_length(found_name) &&
                                    strncmp(found_name, prefix, strlen(prefix)) == 0));
        if (matches) {
            got.names[got.count] = strdup(found_name);
            error = got.names[got.count] ? 0 : ENOMEM;
            got.count += !error;
        }
        free(entries[i]);
    }
    if (found >= 0)
        free(entries);
    regfree(&pattern);
    if (error)
        run_files_free(&got);
    else
        *list = got;
    return error;
}

void run_files_free(struct run_files_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->names[i]);
    free(list->names);
    *list = (struct run_files_list){0};
}

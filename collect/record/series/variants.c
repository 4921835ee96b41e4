#include "collect/record/series/variants.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/record/series_file.h"

size_t variants_expand(const struct record_options *given, struct record_options *all)
{
    all[0] = *given;
    if (given->variant_count == 0)
        return 1;
    json_t *names = json_array();
    for (size_t i = 0; i < given->variant_count; i++)
        json_array_append_new(names, json_string(given->variants[i].name));
    for (size_t i = 0; i < given->variant_count; i++) {
        const struct record_variant *variant = &given->variants[i];
        char *output;
        if (asprintf(&output, "%s/%s", given->output, variant->name) < 0) {
            variants_free(all, i);
            json_decref(names);
            return 0;
        }
        all[i] = *given;
        all[i].variants = NULL;
        all[i].variant_count = 0;
        all[i].output = output;
        all[i].name = variant->name;
        all[i].variant = i;
        all[i].interleaved = json_incref(names);
        all[i].command = variant->command;
        all[i].labels = variant->labels;
    }
    json_decref(names);
    return given->variant_count;
}

void variants_free(struct record_options *all, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (all[i].name) {
            free((char *)(uintptr_t)all[i].output);
            json_decref(all[i].interleaved);
        }
}

static bool variants_has(const struct record_options *given, const char *name)
{
    for (size_t i = 0; i < given->variant_count; i++)
        if (strcmp(given->variants[i].name, name) == 0)
            return true;
    return false;
}

int variants_check(const struct record_options *given, struct error_text *message)
{
    char path[RECORD_PATH_MAX + 300];
    int status = STATUS_GOOD;
    snprintf(path, sizeof path, "%.*s/series.json", RECORD_PATH_MAX, given->output);
    bool own = access(path, F_OK) == 0;
    if (own && given->variant_count > 0)
        return error_set(message, STATUS_BAD, "%.300s holds the series of one command; choose another -o",
                         given->output);
    if (own || given->output_is_file)
        return STATUS_GOOD;
    DIR *directory = opendir(given->output);
    for (struct dirent *entry; !status && directory && (entry = readdir(directory));) {
        if (*entry->d_name == '.' || strcmp(entry->d_name, RUN_SERIES_PROFILE) == 0 ||
            variants_has(given, entry->d_name))
            continue;
        snprintf(path, sizeof path, "%.*s/%s/series.json", RECORD_PATH_MAX, given->output, entry->d_name);
        if (access(path, F_OK) == 0)
            status = error_set(message, STATUS_BAD,
                               "%.300s holds other series (%.200s/series.json); choose another -o, such as a directory "
                               "beside that",
                               given->output, entry->d_name);
    }
    if (directory)
        closedir(directory);
    return status;
}

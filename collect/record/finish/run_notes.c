#include "collect/record/finish/run_notes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/record/record.h"
#include "collect/sample/sampler.h"

json_t *run_notes_take(const char *directory, const char *prefix)
{
    char path[RECORD_PATH_MAX + RECORD_PREFIX_MAX], *line = NULL;
    size_t size = 0;
    json_t *notes = json_array();
    snprintf(path, sizeof path, "%s/" SAMPLER_NOTES, directory, prefix);
    FILE *file = fopen(path, "re");
    while (notes && file && getline(&line, &size, file) > 0) {
        line[strcspn(line, "\n")] = '\0';
        /* "PID<tab>NAME<tab>TEXT". A line that another process cut short by a crash has not all of them. */
        char *name = strchr(line, '\t'), *text = name ? strchr(name + 1, '\t') : NULL;
        if (text) {
            *name++ = *text++ = '\0';
            /* A note of the same text counts once more. */
            json_t *note = NULL, *other;
            size_t i;
            json_array_foreach(notes, i, other)
            {
                if (!note && strcmp(json_string_value(json_object_get(other, "text")), text) == 0)
                    note = other;
            }
            json_int_t count = note ? json_integer_value(json_object_get(note, "count")) : 0;
            if (!note) {
                note = json_pack("{s:s, s:I, s:s}", "text", text, "process", (json_int_t)strtol(line, NULL, 10), "name",
                                 name);
                json_array_append_new(notes, note);
            }
            json_object_set_new(note, "count", json_integer(count + 1));
        }
    }
    free(line);
    if (file) {
        fclose(file);
        unlink(path);
    }
    return notes;
}

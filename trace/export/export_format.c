/* What the formats share: texts as JSON, and frames by name, file and line. */
#include "trace/export/export_format.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void export_write_text(FILE *out, const char *text)
{
    json_t *json = text_json(text, strlen(text));
    if (!json || json_dumpf(json, out, JSON_ENCODE_ANY) != 0)
        fputs("\"\"", out);
    json_decref(json);
}

/* The key of a frame: name, file and line, separated by bytes that do not occur in names. */
uint32_t export_add_frame(struct profile_export *export, uint32_t frame)
{
    char key[METHOD_NAME_MAX + 1100];
    const struct trace_frame *at = &export->names->frames[frame];
    const struct trace_method *method = &export->names->methods[at->method];
    method_name(method, key);
    size_t length = strlen(key);
    snprintf(key + length, sizeof key - length, "\n%.1000s\n%" PRIu32, method->file, export->lines ? at->line : 0);
    return text_set_add(&export->frames, key);
}

void export_split_key(char *key, struct export_name *name)
{
    name->name = key;
    name->file = strchr(key, '\n');
    assert(name->file); /* export_add_frame() made the key */
    *name->file++ = '\0';
    char *line = strchr(name->file, '\n');
    assert(line);
    *line++ = '\0';
    name->line = (uint32_t)strtoul(line, NULL, 10);
}

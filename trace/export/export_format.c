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

/* The key of a frame: its line, the length of its name, the name and the file. Names may hold any byte. */
uint32_t export_add_frame(struct profile_export *export, uint32_t frame)
{
    char key[METHOD_NAME_MAX + 1100], name[METHOD_NAME_MAX];
    const struct trace_frame *at = &export->names->frames[frame];
    const struct trace_method *method = &export->names->methods[at->method];
    method_name(method, name);
    snprintf(key, sizeof key, "%" PRIu32 " %zu %s\n%.1000s", export->lines ? at->line : 0, strlen(name), name,
             method->file);
    return text_set_add(&export->frames, key);
}

void export_split_key(char *key, struct export_name *name)
{
    char *end;
    name->line = (uint32_t)strtoul(key, &end, 10);
    size_t length = strtoul(end, &end, 10);
    name->name = end + 1;
    name->file = name->name + length;
    assert(*end == ' ' && *name->file == '\n'); /* export_add_frame() made the key */
    *name->file++ = '\0';
}

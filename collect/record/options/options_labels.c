#include "collect/record/options/options_modes.h"

#include <string.h>

enum { LABELS_MAX = 16, NAME_MAX_BYTES = 64, VALUE_MAX_BYTES = 200 };

void options_labels_add(struct argp_state *state, json_t **labels, const char *text)
{
    static const char FIRST[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    size_t length = strcspn(text, "=");
    char name[NAME_MAX_BYTES + 1] = "";
    if (length <= NAME_MAX_BYTES)
        memcpy(name, text, length);
    if (text[length] != '=' || !*name || !strchr(FIRST, *name) ||
        name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")])
        argp_error(state,
                   "--label %s: must be NAME=VALUE (gc=serial), with a name of at most %d letters, digits, _, . and -",
                   text, NAME_MAX_BYTES);
    const char *value = text + length + 1;
    json_t *json = strlen(value) <= VALUE_MAX_BYTES ? json_string(value) : NULL;
    bool prints = json && *value;
    for (const char *at = value; *at; at++)
        prints &= (unsigned char)*at >= ' ';
    if (!prints)
        argp_error(state, "--label %s: the value must be UTF-8 text of 1 to %d bytes", text, VALUE_MAX_BYTES);
    if (!*labels)
        *labels = json_object();
    if (json_object_get(*labels, name))
        argp_error(state, "--label %s: '%s' is given twice", text, name);
    if (json_object_size(*labels) == LABELS_MAX)
        argp_error(state, "--label: at most %d labels", LABELS_MAX);
    json_object_set_new(*labels, name, json);
}

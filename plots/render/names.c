#include "plots/render/names.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The length up to a comma outside of brackets. */
static size_t names_part_length(const char *text)
{
    int depth = 0;
    size_t length = 0;
    for (; text[length] && (text[length] != ',' || depth > 0); length++)
        depth += text[length] == '(' || text[length] == '[' ? 1 : text[length] == ')' || text[length] == ']' ? -1 : 0;
    return length;
}

bool names_add(struct names *names, const char *text, bool valued)
{
    for (const char *at = text;; at++) {
        size_t length = names_part_length(at);
        const char *equals = valued ? memrchr(at, '=', length) : NULL;
        if (valued && !equals && names->count > 0) {
            struct name *last = &names->items[names->count - 1];
            last->value_length = (size_t)(at + length - last->value);
        } else if (length > 0) {
            struct name *items = realloc(names->items, (names->count + 1) * sizeof *items);
            if (!items)
                return false;
            names->items = items;
            items[names->count++] = (struct name){.text = at,
                                                  .length = equals ? (size_t)(equals - at) : length,
                                                  .value = equals ? equals + 1 : at + length,
                                                  .value_length = equals ? length - (size_t)(equals + 1 - at) : 0};
        }
        at += length;
        if (!*at)
            return true;
    }
}

static bool names_match(const struct name *name, const char *text)
{
    size_t length = strlen(text);
    if (length == name->length && memcmp(text, name->text, length) == 0)
        return true;
    const char *open = strchr(text, '(');
    bool parameters = open && open > text && memchr(name->text, '(', name->length) == NULL;
    length = parameters ? (size_t)(open - text) : length;
    if (length < name->length || memcmp(text + length - name->length, name->text, name->length) != 0)
        return false;
    return length == name->length || strchr(".:/#", text[length - name->length - 1]);
}

size_t names_find(struct names *names, const char *text)
{
    for (size_t i = 0; i < names->count; i++)
        if (names_match(&names->items[i], text)) {
            names->items[i].used = true;
            return i;
        }
    return SIZE_MAX;
}

const struct name *names_unused(const struct names *names)
{
    for (size_t i = 0; i < names->count; i++)
        if (!names->items[i].used)
            return &names->items[i];
    return NULL;
}

void names_free(struct names *names)
{
    free(names->items);
    *names = (struct names){0};
}

#include "analyze/program/command.h"

#include <stdint.h>
#include <stdio.h>

char *command_text(const json_t *words)
{
    const json_t *word;
    size_t i, size;
    char *text = NULL;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    json_array_foreach((json_t *)(uintptr_t)words, i, word)
        fprintf(out, "%s%s", i ? " " : "", json_is_string(word) ? json_string_value(word) : "");
    return fclose(out) == 0 ? text : NULL;
}

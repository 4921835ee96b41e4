#include "base/shell_word.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

void shell_word_append(char *text, size_t size, const char *word)
{
    bool plain = *word && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%") ==
                              strlen(word);
    size_t length = strlen(text);
    length += (size_t)snprintf(text + length, size - length, "%s%s", length > 0 ? " " : "", plain ? "" : "'");
    for (; *word && length < size; word++)
        length += (size_t)snprintf(text + length, size - length, *word == '\'' ? "'\\''" : "%c", *word);
    if (!plain && length < size)
        snprintf(text + length, size - length, "'");
}

#include "base/shell_word.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
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

/* Where a text is read, and where its words are written: never beyond it. */
struct shell_word_cursor {
    const char *from;
    char *to;
};

static int shell_word_refuse(const char *at, struct error_text *message)
{
    return error_set(message, STATUS_USAGE, "'%c' needs a shell: sh -c '...', or quote it", *at);
}

/* One word, from its first character to the blank behind it. */
static int shell_word_copy(struct shell_word_cursor *cursor, struct error_text *message)
{
    char quote = '\0';
    for (; *cursor->from && (quote || !strchr(" \t\n", *cursor->from)); cursor->from++) {
        char c = *cursor->from;
        if (quote ? c == quote : c == '\'' || c == '"') {
            quote = quote ? '\0' : c;
            continue;
        }
        if (quote != '\'' && (c == '$' || c == '`'))
            return shell_word_refuse(cursor->from, message);
        if (!quote && strchr("|&;<>()*?[~#!", c))
            return shell_word_refuse(cursor->from, message);
        if (c == '\\' && quote != '\'' && cursor->from[1] && (!quote || strchr("\\\"$`", cursor->from[1])))
            c = *++cursor->from;
        *cursor->to++ = c;
    }
    *cursor->to++ = '\0';
    return quote ? error_set(message, STATUS_USAGE, "the quote %c is not closed", quote) : STATUS_GOOD;
}

int shell_word_split(const char *text, char ***words, struct error_text *message)
{
    /* A word takes at least one character and a blank. */
    size_t length = strlen(text), most = length / 2 + 2, count = 0;
    char **all = malloc(most * sizeof *all + length + 1);
    if (!all)
        return error_set(message, STATUS_BAD, "out of memory");
    struct shell_word_cursor cursor = {text, (char *)(all + most)};
    int status = STATUS_GOOD;
    while (!status && *(cursor.from += strspn(cursor.from, " \t\n"))) {
        all[count++] = cursor.to;
        status = shell_word_copy(&cursor, message);
    }
    if (!status && count == 0)
        status = error_set(message, STATUS_USAGE, "it is empty");
    if (status) {
        free(all);
        return status;
    }
    all[count] = NULL;
    *words = all;
    return STATUS_GOOD;
}

#include "collect/experiment/description/words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void words_add(struct obstack *memory, struct words *words, const char *word)
{
    words->list = memory_lengthen(memory, words->list, words->count + 1, &words->capacity, sizeof *words->list);
    words->list[words->count++] = word;
    words->list[words->count] = NULL;
}

/* ------------------------------------------------------------------------------------------------ splitting -- */

static bool words_is_shell_code(const char *at)
{
    if (*at == '$')
        return isalpha((unsigned char)at[1]) || strchr("_{(", at[1] ? at[1] : ' ');
    return strchr("|&;<>`", *at) != NULL;
}

/* Grows the current word by the quoted text at `at`, which begins with its quote; NULL if the quote has no end. */
static const char *words_quoted(struct obstack *memory, const char *at)
{
    char quote = *at++;
    for (; *at && *at != quote; at++) {
        if (quote == '"' && *at == '\\' && at[1] && strchr("\"\\$`", at[1]))
            at++;
        obstack_1grow(memory, *at);
    }
    return *at ? at + 1 : NULL;
}

int words_split(struct obstack *memory, const char *text, struct words *words, struct error_text *message)
{
    const char *at = text;
    for (;;) {
        at += strspn(at, " \t\r\n");
        if (!*at)
            return STATUS_GOOD;
        while (*at && !strchr(" \t\r\n", *at)) {
            if (*at == '\'' || *at == '"') {
                const char *quote = at;
                at = words_quoted(memory, at);
                if (!at) {
                    obstack_free(memory, obstack_finish(memory));
                    return error_set(message, STATUS_BAD, "the quote %c has no end: %.60s", *quote, quote);
                }
            } else if (*at == '\\' && at[1]) {
                obstack_1grow(memory, at[1]);
                at += 2;
            } else if (words_is_shell_code(at)) {
                obstack_free(memory, obstack_finish(memory));
                return error_set(message, STATUS_BAD,
                                 "'%c' is for a shell, and no shell reads this; quote it, or write sh -c '...'", *at);
            } else {
                obstack_1grow(memory, *at++);
            }
        }
        words_add(memory, words, memory_finish(memory));
    }
}

/* ---------------------------------------------------------------------------------------------- expanding -- */

/* The length of the name between braces at `at`; 0 if there is none. */
static size_t words_name_length(const char *at)
{
    if (*at != '{' || !isalpha((unsigned char)at[1]))
        return 0;
    size_t length = 1;
    while (isalnum((unsigned char)at[1 + length]) || at[1 + length] == '_' || at[1 + length] == '-')
        length++;
    return at[1 + length] == '}' ? length : 0;
}

bool words_next_part(const char *text, size_t *at, struct words_part *part)
{
    const char *from = text + *at;
    size_t name = words_name_length(from);
    if (!*from)
        return false;
    if (name > 0) {
        *part = (struct words_part){from + 1, name, true};
        *at += name + 2;
        return true;
    }
    if (*from == '{' && words_name_length(from + 1) > 0) {
        name = words_name_length(from + 1);
        *part = (struct words_part){from + 1, name + 2, false};
        *at += name + 3 + (from[name + 3] == '}');
        return true;
    }
    size_t length = 1 + strcspn(from + 1, "{");
    *part = (struct words_part){from, length, false};
    *at += length;
    return true;
}

static const struct words_value *words_find(const struct words_part *part, const struct words_value *values,
                                            size_t count)
{
    for (size_t i = 0; part->is_name && i < count; i++)
        if (strlen(values[i].name) == part->length && strncmp(values[i].name, part->text, part->length) == 0)
            return &values[i];
    return NULL;
}

const char *words_expand_text(struct obstack *memory, const char *text, const struct words_value *values, size_t count)
{
    struct words_part part;
    for (size_t at = 0; words_next_part(text, &at, &part);) {
        const struct words_value *value = words_find(&part, values, count);
        if (value)
            memory_grow(memory, value->text, strlen(value->text));
        else if (part.is_name)
            memory_grow(memory, part.text - 1, part.length + 2);
        else
            memory_grow(memory, part.text, part.length);
    }
    return memory_finish(memory);
}

void words_expand(struct obstack *memory, const struct words *from, const struct words_value *values, size_t count,
                  struct words *to)
{
    for (size_t i = 0; i < from->count; i++) {
        struct words_part part;
        size_t at = 0;
        const char *word = from->list[i];
        const struct words_value *value =
            words_next_part(word, &at, &part) && !word[at] ? words_find(&part, values, count) : NULL;
        for (size_t w = 0; value && value->words && w < value->words->count; w++)
            words_add(memory, to, value->words->list[w]);
        if (!value || !value->words)
            words_add(memory, to, words_expand_text(memory, word, values, count));
    }
}

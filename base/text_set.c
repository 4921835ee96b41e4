#include "base/text_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

struct wanted {
    const struct text_set *set;
    const char *text;
};

static bool text_set_texts_are_equal(const void *user, uint32_t id)
{
    const struct wanted *wanted = user;
    return strcmp(wanted->set->texts[id - 1], wanted->text) == 0;
}

uint32_t text_set_add(struct text_set *set, const char *text)
{
    uint64_t key = hash_text(text, 0);
    struct wanted wanted = {set, text};
    uint32_t id = hash_find(&set->hash, key, text_set_texts_are_equal, &wanted);
    if (id)
        return id - 1;
    char **texts = grow_unset(set->texts, &set->capacity, set->count, sizeof *texts);
    if (!texts)
        return TEXT_SET_FULL;
    set->texts = texts;
    char *copy = strdup(text);
    if (!copy || hash_add(&set->hash, key, set->count + 1)) {
        free(copy);
        return TEXT_SET_FULL;
    }
    set->texts[set->count] = copy;
    return set->count++;
}

char *text_set_tuple_key(const char *const *texts, size_t count)
{
    enum { LENGTH_CHARS = 24 };
    size_t size = 1;
    for (size_t i = 0; i < count; i++)
        size += LENGTH_CHARS + strlen(texts[i]);
    char *key = malloc(size), *end = key;
    if (!key)
        return NULL;
    *end = '\0';
    /* Each text as sprintf() would print it by "%zu:%s"; with sprintf() this took an eighth of assay causality. */
    for (size_t i = 0; i < count; i++) {
        size_t rest = strlen(texts[i]);
        char digits[LENGTH_CHARS], *first = digits + LENGTH_CHARS;
        *--first = ':';
        do {
            *--first = (char)('0' + rest % 10);
        } while (rest /= 10);
        end = mempcpy(end, first, (size_t)(digits + LENGTH_CHARS - first));
        end = stpcpy(end, texts[i]);
    }
    return key;
}

uint32_t text_set_add_tuple(struct text_set *set, const char *const *texts, size_t count)
{
    char *key = text_set_tuple_key(texts, count);
    uint32_t number = key ? text_set_add(set, key) : TEXT_SET_FULL;
    free(key);
    return number;
}

uint32_t text_set_find(const struct text_set *set, const char *text)
{
    struct wanted wanted = {set, text};
    uint32_t id = hash_find(&set->hash, hash_text(text, 0), text_set_texts_are_equal, &wanted);
    return id ? id - 1 : TEXT_SET_FULL;
}

bool text_set_has(const struct text_set *set, const char *text)
{
    return text_set_find(set, text) != TEXT_SET_FULL;
}

void text_set_free(struct text_set *set)
{
    for (uint32_t i = 0; i < set->count; i++)
        free(set->texts[i]);
    free(set->texts);
    hash_free(&set->hash);
    *set = (struct text_set){0};
}

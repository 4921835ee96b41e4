/*
 * text_set.h - distinct strings, numbered from 0 in insertion order.
 */
#ifndef ASSAY_BASE_TEXT_SET_H
#define ASSAY_BASE_TEXT_SET_H

#include <stdbool.h>

#include "base/hash.h"

struct text_set {
    char **texts;
    uint32_t count;
    size_t capacity;
    struct hash hash;
};

enum { TEXT_SET_FULL = UINT32_MAX };

/* The number of this string, added if it is new (copied); TEXT_SET_FULL without memory. Expected O(length). */
uint32_t text_set_add(struct text_set *set, const char *text);
uint32_t text_set_find(const struct text_set *set, const char *text); /* TEXT_SET_FULL: there is none */
/*
 * A text that stands for a tuple of texts, and for no other tuple, whatever bytes they hold: each text comes after its
 * length. Allocated; NULL without memory. O(length).
 */
char *text_set_tuple_key(const char *const *texts, size_t count);

/* text_set_add() with the key of this tuple. */
uint32_t text_set_add_tuple(struct text_set *set, const char *const *texts, size_t count);
bool text_set_has(const struct text_set *set, const char *text);
void text_set_free(struct text_set *set);

#endif

#include "plots/render/shorten.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool shorten_ends_word(char character)
{
    return strchr(" /,=", character);
}

/* A length without its last word. */
static size_t shorten_cut_word(const char *text, size_t length)
{
    while (length && shorten_ends_word(text[length - 1]))
        length--;
    while (length && !shorten_ends_word(text[length - 1]))
        length--;
    return length;
}

/* The length of the common beginning of all names, without its last word, which belongs to what follows. */
static size_t shorten_common_head(const char *const *names, size_t count)
{
    size_t length = strlen(names[0]);
    for (size_t i = 1; i < count; i++)
        for (size_t same = 0; same < length; same++)
            if (names[i][same] != names[0][same])
                length = same;
    while (length && !shorten_ends_word(names[0][length - 1]))
        length--;
    return shorten_cut_word(names[0], length);
}

/* The same for their ends, which do not overlap the beginnings, by whole words. */
static size_t shorten_common_tail(const char *const *names, size_t count, size_t head)
{
    size_t whole = strlen(names[0]), length = whole - head;
    for (size_t i = 1; i < count; i++) {
        size_t own = strlen(names[i]), same = 0;
        while (same < length && same < own - head && names[i][own - 1 - same] == names[0][whole - 1 - same])
            same++;
        length = same;
    }
    while (length && !shorten_ends_word(names[0][whole - length]))
        length--;
    return length;
}

/* Names without their common beginning and end. */
static bool shorten_cut_common(const char *const *names, size_t count, char **labels)
{
    size_t head = shorten_common_head(names, count), tail = shorten_common_tail(names, count, head);
    for (size_t i = 0; i < count; i++)
        if (asprintf(&labels[i], "%s%.*s%s", head ? "…" : "", (int)(strlen(names[i]) - head - tail), names[i] + head,
                     tail ? "…" : "") < 0) {
            labels[i] = NULL;
            return false;
        }
    return true;
}

static bool shorten_all_fit(const char *const *names, size_t count, size_t longest)
{
    for (size_t i = 0; i < count; i++) {
        size_t length = 0;
        for (const char *at = names[i]; *at; at++)
            length += (*at & 0xc0) != 0x80;
        if (length > longest)
            return false;
    }
    return true;
}

bool shorten_texts(const char *const *names, size_t count, size_t longest, char **labels)
{
    bool good = true, cut = count > 1 && !shorten_all_fit(names, count, longest);
    for (size_t i = 0; i < count; i++)
        labels[i] = NULL;
    if (cut)
        good = shorten_cut_common(names, count, labels);
    for (size_t i = 0; good && i < count; i++)
        good = cut || (labels[i] = strdup(names[i]));
    for (size_t i = 0; good && i < count; i++) {
        char *shorter = shorten_middle(labels[i], longest);
        free(labels[i]);
        labels[i] = shorter;
        good = shorter;
    }
    return (good && shorten_undo(names, count, labels)) || shorten_drop(labels, count);
}

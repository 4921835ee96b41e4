#include "base/shorten.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool shorten_ends_word(char character)
{
    return strchr(" /,=", character);
}

/* Names without their common beginning and end, by whole words. */
static bool shorten_cut_common(const char *const *names, size_t count, char **labels)
{
    const char *first = names[0];
    size_t whole = strlen(first), head = whole;
    for (size_t i = 1; i < count; i++)
        for (size_t same = 0; same < head; same++)
            if (names[i][same] != first[same])
                head = same;
    while (head && !shorten_ends_word(first[head - 1]))
        head--;
    /* The last word of the beginning belongs to what follows. */
    while (head && shorten_ends_word(first[head - 1]))
        head--;
    while (head && !shorten_ends_word(first[head - 1]))
        head--;

    size_t tail = whole - head; /* does not overlap the beginning */
    for (size_t i = 1; i < count; i++) {
        size_t own = strlen(names[i]), same = 0;
        while (same < tail && same < own - head && names[i][own - 1 - same] == first[whole - 1 - same])
            same++;
        tail = same;
    }
    while (tail && !shorten_ends_word(first[whole - tail]))
        tail--;

    for (size_t i = 0; i < count; i++)
        if (asprintf(&labels[i], "%s%.*s%s", head ? "…" : "", (int)(strlen(names[i]) - head - tail), names[i] + head,
                     tail ? "…" : "") < 0) {
            labels[i] = NULL;
            return false;
        }
    return true;
}

bool shorten_nothing(const char *const *names, size_t count, char **labels)
{
    for (size_t i = 0; i < count; i++)
        labels[i] = NULL;
    for (size_t i = 0; i < count; i++)
        if (!(labels[i] = strdup(names[i])))
            return shorten_drop(labels, count);
    return true;
}

bool shorten_texts(const char *const *names, size_t count, size_t longest, char **labels)
{
    bool good = true, cut = false;
    for (size_t i = 0; i < count; i++) {
        size_t length = 0;
        for (const char *at = names[i]; *at; at++)
            length += (*at & 0xc0) != 0x80;
        cut |= count > 1 && length > longest;
        labels[i] = NULL;
    }
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

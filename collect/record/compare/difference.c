#include "collect/record/compare/difference.h"

#include <stdlib.h>
#include <string.h>

long difference_bytes(FILE *file)
{
    return fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
}

/* The line around the position where they differ begins `back` bytes before it in a long one. */
static void difference_show_line(const char *line, ssize_t length, size_t from, char out[DIFFERENCE_SHOWN + 32])
{
    size_t at = 0;
    if (length < 0) {
        strcpy(out, "(ends before)");
        return;
    }
    if (from > 0)
        at = (size_t)sprintf(out, "...");
    for (ssize_t i = (ssize_t)from; i < length && line[i] != '\n' && at < DIFFERENCE_SHOWN; i++) {
        unsigned char byte = (unsigned char)line[i];
        at += (size_t)sprintf(out + at, byte >= ' ' && byte < 0x7f ? "%c" : "\\x%02x", byte);
    }
    out[at] = '\0';
}

/* Puts one byte that no text has in place of each sequence of digits; returns the new length. */
static ssize_t difference_mask_numbers(char *line, ssize_t length)
{
    static const char NUMBER = '\1';
    ssize_t out = 0;
    for (ssize_t i = 0; i < length; i++) {
        bool digit = line[i] >= '0' && line[i] <= '9';
        if (!digit || out == 0 || line[out - 1] != NUMBER)
            line[out++] = digit ? NUMBER : line[i];
    }
    return length < 0 ? length : out;
}

bool difference_find(FILE *one, FILE *other, bool numbers, struct difference *found)
{
    enum { BEFORE = 40 };
    char *lines[2] = {NULL, NULL};
    size_t sizes[2] = {0, 0};
    ssize_t lengths[2];
    bool same = true;
    rewind(one);
    rewind(other);
    found->line = 0;
    do {
        found->line++;
        lengths[0] = getline(&lines[0], &sizes[0], one);
        lengths[1] = getline(&lines[1], &sizes[1], other);
        for (size_t i = 0; i < 2 && !numbers; i++)
            lengths[i] = difference_mask_numbers(lines[i], lengths[i]);
        same = lengths[0] == lengths[1] && (lengths[0] < 0 || memcmp(lines[0], lines[1], (size_t)lengths[0]) == 0);
    } while (same && lengths[0] >= 0);
    if (!same) {
        size_t at = 0;
        while ((ssize_t)at < lengths[0] && (ssize_t)at < lengths[1] && lines[0][at] == lines[1][at])
            at++;
        size_t from = at > BEFORE ? at - BEFORE : 0;
        difference_show_line(lines[0], lengths[0], from, found->one);
        difference_show_line(lines[1], lengths[1], from, found->other);
    }
    free(lines[0]);
    free(lines[1]);
    return !same;
}

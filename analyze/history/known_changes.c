#include "analyze/history/known_changes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

enum { ABBREVIATED_MIN = 7 };

void known_changes_free(struct known_changes *known)
{
    for (size_t i = 0; i < known->count; i++)
        free(known->items[i].line);
    free(known->items);
    *known = (struct known_changes){0};
}

static bool known_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Cuts the comment and the blanks at the end. */
static void known_trim(char *line)
{
    bool quoted = false;
    for (char *c = line; *c; c++) {
        quoted ^= *c == '"';
        if (*c == '#' && !quoted && (c == line || known_is_blank(c[-1])))
            *c-- = '\0';
    }
    size_t length = strlen(line);
    while (length > 0 && known_is_blank(line[length - 1]))
        line[--length] = '\0';
}

/* Finds the parts of a trimmed line; false if it is empty. */
static bool known_split(char *line, struct known_change *item)
{
    while (known_is_blank(*line))
        line++;
    if (!*line)
        return false;
    char *end = *line == '"' ? strchr(line + 1, '"') : NULL;
    item->commit = end ? line + 1 : line;
    if (!end)
        end = line + strcspn(line, " \t");
    char *rest = *end ? end + 1 : end;
    *end = '\0';
    item->benchmark = rest + strspn(rest, " \t");
    return true;
}

int known_changes_read(struct known_changes *known, const char *path, struct error_text *message)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t capacity = 0;
    int status = STATUS_GOOD;
    if (!file)
        return error_set(message, STATUS_BAD, "%.400s: %s", path, strerror(errno));
    while (!status && getline(&line, &capacity, file) >= 0) {
        struct known_change item = {0};
        known_trim(line);
        item.line = strdup(line);
        struct known_change *items = grow(known->items, &known->capacity, known->count, sizeof *items);
        if (items)
            known->items = items;
        if (!item.line || !items) {
            free(item.line);
            status = error_set(message, STATUS_BAD, "out of memory");
        } else if (known_split(item.line, &item)) {
            known->items[known->count++] = item;
        } else {
            free(item.line);
        }
    }
    if (!status && ferror(file))
        status = error_set(message, STATUS_BAD, "%.400s: %s", path, strerror(errno));
    free(line);
    fclose(file);
    return status;
}

static bool known_is_same_commit(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b), shorter = n < m ? n : m;
    return n == m ? strcmp(a, b) == 0 : shorter >= ABBREVIATED_MIN && strncmp(a, b, shorter) == 0;
}

bool known_changes_match(struct known_changes *known, const char *commit, const char *benchmark)
{
    bool found = false;
    for (size_t i = 0; i < known->count; i++) {
        struct known_change *item = &known->items[i];
        if (known_is_same_commit(item->commit, commit) &&
            (!*item->benchmark || strcmp(item->benchmark, benchmark) == 0))
            found = item->used = true;
    }
    return found;
}

size_t known_changes_unused(const struct known_changes *known)
{
    size_t count = 0;
    for (size_t i = 0; i < known->count; i++)
        count += !known->items[i].used;
    return count;
}

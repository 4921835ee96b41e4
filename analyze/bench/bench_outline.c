#include "analyze/bench/bench_outline.h"

#include <stdbool.h>
#include <string.h>

/* Deeper values can't be on any requested path. */
enum { DEPTH_MAX = 6, PATH_MAX_LENGTH = 96 };

struct outline {
    const char *const *paths;
    size_t path_count;
    uint32_t seen;
    char path[PATH_MAX_LENGTH + 4];
    size_t length;
    size_t depth;                /* of open objects and arrays */
    size_t start[DEPTH_MAX + 1]; /* the length of the path of each of them */
    bool object[DEPTH_MAX + 1];
    bool key_next;
};

static bool outline_watches(const struct outline *outline)
{
    return outline->depth <= DEPTH_MAX;
}

static void append(struct outline *outline, const char *text, size_t length)
{
    size_t room = PATH_MAX_LENGTH - outline->length;
    if (length > room)
        length = room;
    memcpy(outline->path + outline->length, text, length);
    outline->length += length;
    outline->path[outline->length] = '\0';
}

static void compare(struct outline *outline)
{
    for (size_t i = 0; i < outline->path_count; i++)
        if (strcmp(outline->path, outline->paths[i]) == 0)
            outline->seen |= UINT32_C(1) << i;
}

/* A value that is not a key begins: kind is appended to its path. In an object its key came before, in an array the
 * path is the array's. */
static void begin_value(struct outline *outline, const char *kind)
{
    if (!outline_watches(outline))
        return;
    if (outline->depth && !outline->object[outline->depth]) {
        outline->length = outline->start[outline->depth];
        append(outline, "[]", 2);
    } else if (!outline->depth) {
        outline->length = 0;
        outline->path[0] = '\0';
    }
    size_t length = outline->length;
    append(outline, kind, strlen(kind));
    compare(outline);
    outline->length = length;
}

static void open_container(struct outline *outline, bool object)
{
    begin_value(outline, object ? "" : "[");
    outline->depth++;
    if (!outline_watches(outline))
        return;
    outline->start[outline->depth] = outline->length;
    outline->object[outline->depth] = object;
    outline->key_next = object;
}

static void close_container(struct outline *outline)
{
    if (outline->depth)
        outline->depth--;
    outline->key_next = false;
}

static void take_key(struct outline *outline, const char *key, size_t length)
{
    outline->key_next = false;
    if (!outline_watches(outline))
        return;
    outline->length = outline->start[outline->depth];
    if (outline->length)
        append(outline, ".", 1);
    append(outline, key, length);
    compare(outline);
}

/* From the opening quote to the closing one, or the end of the text. */
static const char *skip_string(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++)
        if (*at == '\\' && at + 1 < end)
            at++;
    return at;
}

static const char *take_string(struct outline *outline, const char *at, const char *end)
{
    const char *close = skip_string(at, end);
    if (outline->key_next)
        take_key(outline, at + 1, (size_t)(close - at) - (close > at));
    else
        begin_value(outline, "");
    return close < end ? close : end - 1;
}

static bool is_number_start(char c)
{
    return c == '-' || (c >= '0' && c <= '9');
}

static const char *take_number(struct outline *outline, const char *at, const char *end)
{
    begin_value(outline, "#");
    while (at + 1 < end && at[1] && strchr("+-.eE0123456789", at[1]))
        at++;
    return at;
}

uint32_t bench_outline(const char *text, size_t length, const char *const *paths, size_t path_count)
{
    struct outline outline = {.paths = paths, .path_count = path_count};
    const char *end = text + length;
    for (const char *at = text; at < end; at++) {
        if (*at == '"')
            at = take_string(&outline, at, end);
        else if (*at == '{' || *at == '[')
            open_container(&outline, *at == '{');
        else if (*at == '}' || *at == ']')
            close_container(&outline);
        else if (*at == ',')
            outline.key_next = outline.depth && outline_watches(&outline) && outline.object[outline.depth];
        else if (is_number_start(*at))
            at = take_number(&outline, at, end);
    }
    return outline.seen;
}

#include "trace/import/json.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <yajl/yajl_parse.h>

enum { PIECE_BYTES = 1 << 16, KEY_BYTES = 64 };

struct level {
    int state;
    bool array;
    uint64_t index;
    char key[KEY_BYTES];
};

struct stream {
    const struct json_format *format;
    void *user;
    size_t depth; /* of levels in use */
    struct level levels[JSON_DEPTH_MAX];
    char *text;
    size_t capacity;
    bool deep, full;
    struct {
        unsigned char last; /* byte that is not a blank; 0: none yet */
        bool in_text, escaped;
        bool in_array[JSON_DEPTH_MAX + 1]; /* [depth]: the innermost open bracket is that of an array */
        size_t depth;
        bool stands_in; /* the next null represents a missing item */
    } gaps;
};

/* The key or index of the next item in the current level. */
static const char *json_next_key(struct stream *stream, uint64_t *index)
{
    assert(stream->depth > 0);
    struct level *level = &stream->levels[stream->depth - 1];
    *index = level->index++;
    return level->array ? NULL : level->key;
}

static int json_open_level(struct stream *stream, bool array)
{
    if (stream->depth == JSON_DEPTH_MAX) {
        stream->deep = true;
        return 0;
    }
    int state = JSON_ROOT;
    if (stream->depth > 0) {
        uint64_t index;
        int around = stream->levels[stream->depth - 1].state;
        const char *key = json_next_key(stream, &index);
        state = around == JSON_OTHER ? JSON_OTHER : stream->format->on_enter(stream->user, around, key, array);
    } else if (array) {
        state = stream->format->on_enter(stream->user, JSON_ROOT, NULL, true);
    }
    struct level *level = &stream->levels[stream->depth++];
    level->state = state;
    level->array = array;
    level->index = 0;
    level->key[0] = '\0';
    return 1;
}

static int json_on_object(void *user)
{
    return json_open_level(user, false);
}

static int json_on_array(void *user)
{
    return json_open_level(user, true);
}

static int json_on_end(void *user)
{
    struct stream *stream = user;
    assert(stream->depth > 0);
    int state = stream->levels[--stream->depth].state;
    bool good = state == JSON_OTHER || stream->format->on_leave(stream->user, state);
    stream->full |= !good;
    return good;
}

static int json_on_key(void *user, const unsigned char *key, size_t length)
{
    struct stream *stream = user;
    struct level *level = &stream->levels[stream->depth - 1];
    size_t kept = length < KEY_BYTES ? length : KEY_BYTES - 1;
    memcpy(level->key, key, kept);
    level->key[kept] = '\0';
    return 1;
}

static int json_pass_value(struct stream *stream, const struct json_value *value)
{
    uint64_t index;
    if (stream->depth == 0)
        return 1;
    int state = stream->levels[stream->depth - 1].state;
    const char *key = json_next_key(stream, &index);
    bool good = state == JSON_OTHER || stream->format->on_value(stream->user, state, key ? key : "", index, value);
    stream->full |= !good;
    return good;
}

static const char *json_copy_text(struct stream *stream, const void *text, size_t length)
{
    if (length + 1 > stream->capacity) {
        char *grown = realloc(stream->text, 2 * length + 64);
        if (!grown)
            return NULL;
        stream->text = grown;
        stream->capacity = 2 * length + 64;
    }
    memcpy(stream->text, text, length);
    stream->text[length] = '\0';
    return stream->text;
}

static int json_on_text(void *user, const unsigned char *text, size_t length)
{
    struct stream *stream = user;
    if (stream->depth == 0 || stream->levels[stream->depth - 1].state == JSON_OTHER)
        return json_pass_value(stream, &(struct json_value){.type = VALUE_NULL});
    const char *copy = json_copy_text(stream, text, length);
    stream->full |= !copy;
    return copy ? json_pass_value(stream, &(struct json_value){.type = VALUE_TEXT, .text = copy, .length = length}) : 0;
}

static int json_on_number(void *user, const char *text, size_t length)
{
    struct stream *stream = user;
    struct json_value value = {.type = VALUE_NUMBER, .length = length};
    if (stream->depth == 0 || stream->levels[stream->depth - 1].state == JSON_OTHER)
        return json_pass_value(stream, &value);
    char *end;
    value.text = json_copy_text(stream, text, length);
    stream->full |= !value.text;
    if (!value.text)
        return 0;
    errno = 0;
    value.integer = strtoll(value.text, &end, 10);
    value.whole = *end == '\0' && errno == 0;
    value.real = value.whole ? (double)value.integer : strtod(value.text, NULL);
    if (!value.whole) /* 3.0 and 1e3 are whole, too */
        value.integer = value.real >= -9e18 && value.real <= 9e18 ? (int64_t)value.real : 0;
    value.whole |= (double)value.integer == value.real && value.real >= -9e15 && value.real <= 9e15;
    return json_pass_value(stream, &value);
}

static int json_on_null(void *user)
{
    struct stream *stream = user;
    if (stream->gaps.stands_in) {
        stream->gaps.stands_in = false;
        stream->format->on_gap(stream->user);
        return 1;
    }
    return json_pass_value(user, &(struct json_value){.type = VALUE_NULL});
}

static int json_on_bool(void *user, int truth)
{
    return json_pass_value(user, &(struct json_value){.type = VALUE_BOOL, .integer = truth});
}

static const yajl_callbacks callbacks = {.yajl_null = json_on_null,
                                         .yajl_boolean = json_on_bool,
                                         .yajl_number = json_on_number,
                                         .yajl_string = json_on_text,
                                         .yajl_start_map = json_on_object,
                                         .yajl_map_key = json_on_key,
                                         .yajl_end_map = json_on_end,
                                         .yajl_start_array = json_on_array,
                                         .yajl_end_array = json_on_end};

/* yajl's message, without its excerpts. */
static int json_report_error(const struct stream *stream, yajl_handle yajl, uint64_t at, struct error_text *message)
{
    unsigned char *why = yajl_get_error(yajl, 0, NULL, 0);
    at += yajl_get_bytes_consumed(yajl);
    if (why)
        why[strcspn((char *)why, "\n")] = '\0';
    int status = stream->full   ? error_set(message, STATUS_BAD, "byte %" PRIu64 ": out of memory", at)
                 : stream->deep ? error_set(message, STATUS_BAD, "byte %" PRIu64 ": nested too deep", at)
                                : error_set(message, STATUS_BAD, "byte %" PRIu64 ": %s; what comes before it was read",
                                            at, why ? (char *)why : "not JSON");
    yajl_free_error(yajl, why);
    return status;
}

/* ---------------------------------------------------------------------------------- missing items -- */

/* The next item of an array that is missing is before *at, or *at is `size`. */
static bool json_find_gap(struct stream *stream, const unsigned char *bytes, size_t size, size_t *at)
{
    for (; *at < size; ++*at) {
        unsigned char byte = bytes[*at], last = stream->gaps.last;
        if (stream->gaps.in_text) {
            stream->gaps.in_text = stream->gaps.escaped || byte != '"';
            stream->gaps.escaped = !stream->gaps.escaped && byte == '\\';
            continue;
        }
        if (byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t')
            continue;
        size_t *depth = &stream->gaps.depth;
        bool gap = stream->gaps.in_array[*depth] &&
                   ((byte == ',' && (last == ',' || last == '[')) || (byte == ']' && last == ','));
        if ((byte == '[' || byte == '{') && *depth < JSON_DEPTH_MAX)
            stream->gaps.in_array[++*depth] = byte == '[';
        else if ((byte == ']' || byte == '}') && *depth > 0)
            --*depth;
        stream->gaps.in_text = byte == '"';
        stream->gaps.last = byte;
        if (gap)
            return true;
    }
    return false;
}

/* *begun: the start in the piece of the last bytes passed to yajl. */
static yajl_status json_parse_piece(struct stream *stream, yajl_handle yajl, const unsigned char *bytes, size_t size,
                                    size_t *begun)
{
    *begun = 0;
    for (size_t at = 0; stream->format->on_gap && json_find_gap(stream, bytes, size, &at); at++) {
        yajl_status status = yajl_parse(yajl, bytes + *begun, at - *begun);
        if (status != yajl_status_ok)
            return status;
        *begun = at;
        stream->gaps.stands_in = true;
        status = yajl_parse(yajl, (const unsigned char *)"null", 4);
        if (status != yajl_status_ok)
            return status;
    }
    return yajl_parse(yajl, bytes + *begun, size - *begun);
}

int json_parse_stream(struct source *source, const struct json_format *format, void *user, struct error_text *message)
{
    struct stream *stream = calloc(1, sizeof *stream);
    yajl_handle yajl = stream ? yajl_alloc(&callbacks, NULL, stream) : NULL;
    if (!yajl) {
        free(stream);
        return error_set(message, STATUS_BAD, "out of memory");
    }
    stream->format = format;
    stream->user = user;
    yajl_config(yajl, yajl_dont_validate_strings, 1);
    yajl_config(yajl, yajl_allow_multiple_values, format->lines);
    yajl_status status = yajl_status_ok;
    uint64_t at = 0;
    while (status == yajl_status_ok) {
        size_t got;
        at = source_offset(source);
        const unsigned char *bytes = source_peek(source, PIECE_BYTES, &got);
        if (!bytes)
            break;
        size_t piece = got < PIECE_BYTES ? got : PIECE_BYTES;
        size_t begun;
        status = json_parse_piece(stream, yajl, bytes, piece, &begun);
        at += status == yajl_status_ok ? 0 : begun;
        if (status == yajl_status_ok)
            source_skip(source, piece);
    }
    bool cut = false;
    if (status == yajl_status_ok) {
        status = yajl_complete_parse(yajl);
        cut = status != yajl_status_ok || stream->depth > 0;
    }
    /* The bytes may end between the items, all objects, of a list at the root that may lack its end. */
    if (cut && stream->format->on_unended && stream->gaps.depth == 1 && stream->gaps.in_array[1] &&
        !stream->gaps.in_text && (stream->gaps.last == '}' || stream->gaps.last == ',')) {
        format->on_unended(user);
        status = yajl_status_ok;
        cut = false;
    }
    int result = cut ? error_set(message, STATUS_BAD, "byte %" PRIu64 ": the file ends within its JSON", at)
                 : status != yajl_status_ok ? json_report_error(stream, yajl, at, message)
                                            : STATUS_GOOD;
    yajl_free(yajl);
    free(stream->text);
    free(stream);
    return result;
}

bool json_recognize(const unsigned char *head, size_t length)
{
    size_t at = 0;
    while (at < length && (head[at] == ' ' || head[at] == '\t' || head[at] == '\n' || head[at] == '\r'))
        at++;
    return at < length && (head[at] == '{' || head[at] == '[');
}

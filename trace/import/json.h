/*
 * json.h - streaming JSON: states instead of a tree. A format determines the state of each object and array from its
 * key and the state of what contains it, and gets the values in those whose state is not 0.
 */
#ifndef ASSAY_TRACE_IMPORT_JSON_H
#define ASSAY_TRACE_IMPORT_JSON_H

#include "trace/import/source.h"

enum { JSON_DEPTH_MAX = 1024, JSON_ROOT = 1, JSON_OTHER = 0 };

struct json_value {
    enum { VALUE_NULL, VALUE_BOOL, VALUE_NUMBER, VALUE_TEXT } type;
    const char *text; /* terminated: of a text; of a number as written */
    size_t length;
    bool whole;      /* a number that is `integer` */
    int64_t integer; /* of a number: rounded down, within bounds */
    double real;
};

struct json_format {
    /* The state of an object or array (`key` is NULL in an array); JSON_OTHER: nothing in it is wanted. */
    int (*on_enter)(void *user, int state, const char *key, bool array);
    /* `key`: "" in an array; `index`: position in it. Return false to stop (out of memory). */
    bool (*on_value)(void *user, int state, const char *key, uint64_t index, const struct json_value *value);
    bool (*on_leave)(void *user, int state);
    /* If set, items of arrays may be missing between commas; called instead for each missing one. */
    void (*on_gap)(void *user);
    /* If set, and on_gap() too, a list at the root may lack its end: called if the file ends between its items. */
    void (*on_unended)(void *user);
    bool lines; /* there may be several values, as in JSON lines; on_leave() gets JSON_ROOT after each object */
};

/* Reads one value, or with `lines` all, to the end. STATUS_GOOD, or a status with place and cause: everything before
 * has been passed on. */
int json_parse_stream(struct source *source, const struct json_format *format, void *user, struct error_text *message);

/* Whether the first byte that is not a blank opens an object or an array. */
bool json_recognize(const unsigned char *head, size_t length);

#endif

/*
 * export_format.h - between profile_export.c, which reads traces, and the formats, which write.
 */
#ifndef ASSAY_TRACE_EXPORT_EXPORT_FORMAT_H
#define ASSAY_TRACE_EXPORT_EXPORT_FORMAT_H

#include <zlib.h>

#include "trace/names/method_name.h"
#include "trace/export/profile_export.h"
#include "base/text.h"
#include "base/text_set.h"

struct export_bytes {
    unsigned char *bytes;
    size_t length, capacity;
};

struct export_format;
struct profile_export {
    const struct export_format *format;
    FILE *out;
    bool lines;
    char *unit, *mode; /* of the first trace; NULL before it */
    uint64_t period_ns;
    size_t more_count; /* further weights, of a format that has all of them */
    struct {
        char *name, *unit;
    } more[SAMPLE_WEIGHTS_MAX - 1];
    /* the current trace */
    unsigned trace_number;
    const struct trace_names *names;
    uint64_t *counts;      /* [context]: of the current thread */
    uint64_t *more_counts; /* [context * more_count + weight]: likewise */
    char thread[256];
    uint64_t tid;
    uint32_t *cache; /* of the format; freed after each trace */
    /* of all traces */
    struct text_set frames; /* keys of export_add_frame() */
    unsigned items;         /* written so far: whether a comma is needed */
    /* pprof */
    struct text_set functions, texts;
    struct export_bytes message, part;
    z_stream gz;
    bool failed;
};

struct export_format {
    const char *name;
    bool one_trace;                                    /* only one trace is allowed */
    bool all_weights;                                  /* samples have all their weights, unless one is chosen */
    void (*begin_file)(struct profile_export *export); /* before the first trace, with its unit */
    bool (*begin_trace)(struct profile_export *export);
    void (*sample)(struct profile_export *export, uint32_t context, uint64_t time_ns, uint64_t weight); /* or NULL */
    bool (*thread)(struct profile_export *export, uint64_t total);                                      /* or NULL */
    bool (*end_file)(struct profile_export *export);
};
extern const struct export_format export_speedscope, export_pprof, export_chrome;

/* Writes a text as JSON, whatever its bytes. */
void export_write_text(FILE *out, const char *text);

/* The number of a frame's name, file and line among export->frames; TEXT_SET_FULL without memory. */
uint32_t export_add_frame(struct profile_export *export, uint32_t frame);

/* Splits such a key in place. */
struct export_name {
    char *name, *file;
    uint32_t line;
};
void export_split_key(char *key, struct export_name *name);

#endif

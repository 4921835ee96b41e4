/*
 * reading.h - the interface of all formats: what a reader of one format receives and returns.
 */
#ifndef ASSAY_TRACE_IMPORT_READING_H
#define ASSAY_TRACE_IMPORT_READING_H

#include "trace/import/sink.h"
#include "trace/import/source.h"

struct reading {
    const char *path; /* path of the file, for formats that seek */
    struct source *source;
    struct sink *sink;
    const char *profile;     /* the only profile wanted, or NULL */
    uint64_t bad;            /* number of pieces left out: lines, events, samples */
    struct error_text first; /* the first of them */
    struct error_text note;  /* what the user should know about the result, or "" */
};

/* Leaves out one piece; the reader continues. */
void reading_report_bad(struct reading *reading, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What follows the last slash of a path; the whole path if it has none or ends with one. */
const char *reading_file_name(const char *path);

/*
 * A format. `recognize` decides by the first bytes of the file (uncompressed, at most READING_HEAD). `read` passes
 * everything up to the first damage to the sink: STATUS_GOOD, or a status with a message: place and cause.
 */
enum { READING_HEAD = 1 << 16 };
struct profile_format {
    const char *name;
    bool (*recognize)(const unsigned char *head, size_t length);
    int (*read)(struct reading *reading, struct error_text *message);
};

extern const struct profile_format format_folded, format_perf, format_pprof, format_otlp, format_otlp_json,
    format_gperftools, format_jfr, format_callgrind, format_gprof, format_csv, format_speedscope, format_cpuprofile,
    format_chrome, format_firefox, format_gecko, format_cpuprofile_old, format_heapprofile, format_xctrace,
    format_simpleperf;

#endif

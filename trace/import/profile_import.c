#include "trace/import/profile_import.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "trace/import/nearest.h"
#include "trace/import/reading.h"

/* The more reliably a format recognizes its files, the earlier it is tried. */
static const struct profile_format *const formats[] = {
    &format_jfr,        &format_otlp_json,      &format_gperftools,  &format_pprof,   &format_otlp,
    &format_callgrind,  &format_gprof,          &format_speedscope,  &format_gecko,   &format_firefox,
    &format_cpuprofile, &format_cpuprofile_old, &format_heapprofile, &format_xctrace, &format_chrome,
    &format_simpleperf, &format_perf,           &format_csv,         &format_folded};
enum { FORMATS = sizeof formats / sizeof *formats };

static int import_read_profile(struct reading *reading, const struct profile_format *format,
                               struct import_result *result, struct error_text *message)
{
    struct error_text ending = {""};
    sink_set_origin(reading->sink, format->name, NULL, NULL);
    int status = format->read(reading, message);
    const char *error = source_error(reading->source);
    if (error) { /* in decompression: the cause of whatever the reader reports */
        status =
            error_set(message, STATUS_BAD, "byte %llu: %s", (unsigned long long)source_offset(reading->source), error);
    } else if (reading->bad > 0) {
        if (status == STATUS_GOOD)
            message->text[0] = '\0';
        error_append(message, "%.300s; %llu such place%s in all", reading->first.text, (unsigned long long)reading->bad,
                     reading->bad == 1 ? "" : "s");
        status = STATUS_BAD;
    }
    if (sink_finish(reading->sink, &result->traces, &result->trace_count, &ending) != STATUS_GOOD) {
        *message = ending;
        return STATUS_BAD;
    }
    result->note = reading->note;
    uint64_t samples = 0;
    for (size_t i = 0; i < result->trace_count; i++)
        samples += result->traces[i].samples;
    if (status == STATUS_GOOD && samples == 0)
        status = error_set(message, STATUS_BAD, "holds no sample (%s)", format->name);
    return status;
}

/* Says what else the file is, by bytes that need not be unpacked. */
static bool import_is_other_file(const char *path, struct error_text *message)
{
    unsigned char head[512];
    struct stat file;
    if (stat(path, &file) == 0 && S_ISDIR(file.st_mode))
        return nearest_directory(path, message) ||
               error_set(message, STATUS_BAD, "is a directory; name the traces or profiles in it");
    FILE *stream = stat(path, &file) == 0 && S_ISREG(file.st_mode) ? fopen(path, "rbe") : NULL;
    size_t length = stream ? fread(head, 1, sizeof head, stream) : 0;
    if (stream)
        fclose(stream);
    return nearest_by_magic(head, length, message);
}

static int import_report_unknown(const char *path, const unsigned char *head, size_t length,
                                 struct import_result *result, struct error_text *message)
{
    if (!head)
        return error_set(message, STATUS_BAD, "is empty");
    if (nearest_by_text(path, head, length, message))
        return STATUS_BAD;
    char names[256] = "";
    for (size_t i = 0; i < FORMATS; i++)
        if (formats[i] != &format_cpuprofile_old) /* which has the name of the other */
            error_list(names, sizeof names, formats[i]->name);
    result->unlike = true;
    return error_set(message, STATUS_BAD, "is not a profile of a known format (%s)", names);
}

int profile_import(const char *path, const struct sink_options *options, struct import_result *result,
                   struct error_text *message)
{
    struct reading reading = {.path = path, .profile = options->profile};
    size_t length;
    *result = (struct import_result){0};
    if (import_is_other_file(path, message))
        return STATUS_BAD;
    int status = source_open(path, &reading.source, message);
    if (status)
        return status;
    const unsigned char *head = source_peek(reading.source, READING_HEAD, &length);
    const char *error = source_error(reading.source);
    length = length < READING_HEAD ? length : READING_HEAD;
    const bool other = head && nearest_by_magic(head, length, message);
    const struct profile_format *format = NULL;
    for (size_t i = 0; head && !other && !format && i < FORMATS; i++)
        if (formats[i]->recognize(head, length))
            format = formats[i];
    if (other) {
        status = STATUS_BAD;
    } else if (format) {
        result->format = format->name;
        result->sink = reading.sink = sink_new(options);
        status = reading.sink ? import_read_profile(&reading, format, result, message)
                              : error_set(message, STATUS_BAD, "out of memory");
    } else if (error) {
        status = error_set(message, STATUS_BAD, "byte 0: %s", error);
    } else {
        status = import_report_unknown(options->source, head, length, result, message);
    }
    source_close(reading.source);
    return status;
}

const char *reading_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

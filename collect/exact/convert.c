#include "collect/exact/convert.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "collect/exact/batch.h"

/* What the metadata can grow by once all is known. */
enum { SPARE_BYTES = 2048 };

struct conversion {
    struct raw_file file;
    uint64_t at; /* what lies before is in the trace */
    struct raw_time time;
    json_t *metadata;
    struct definitions definitions;
    struct sink sink;
    struct contexts contexts;
    struct convert_report *report;
};

/* ---------------------------------------------------------------------------- metadata -- */

static int64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + (int64_t)now.tv_nsec;
}

/* The moment of a monotonic time of this boot, as text; NULL for none that can be. */
static json_t *realtime_of(uint64_t monotonic_ns)
{
    int64_t ns = clock_ns(CLOCK_REALTIME) - (clock_ns(CLOCK_MONOTONIC) - (int64_t)monotonic_ns);
    time_t seconds = (time_t)(ns / 1000000000);
    struct tm parts;
    char text[64];
    if (ns < 0 || !gmtime_r(&seconds, &parts) || !strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts))
        return NULL;
    return json_sprintf("%s.%06dZ", text, (int)(ns % 1000000000 / 1000));
}

static json_t *describe(const json_t *base, const struct raw_hello *hello, const char *json)
{
    json_t *metadata = base ? json_copy((json_t *)(uintptr_t)base) : json_object();
    json_t *said = json_loadb(json, hello->json_bytes, 0, NULL);
    if (json_is_object(said))
        json_object_update(metadata, said);
    json_decref(said);
    json_object_set_new(metadata, "pid", json_integer(hello->pid));
    json_object_set_new(metadata, "start_monotonic_ns", json_integer((json_int_t)hello->start_monotonic_ns));
    json_object_set_new(metadata, "start_realtime", realtime_of(hello->start_monotonic_ns)); /* NULL: not set */
    return metadata;
}

static void describe_lost(json_t *object, const uint64_t lost[CONVERT_CAUSES])
{
    static const char *const NAMES[CONVERT_CAUSES] = {
        [RAW_LOST_NODES] = "lost_nodes",           [RAW_LOST_DEPTH] = "lost_depth",
        [RAW_LOST_SCOPES] = "lost_scopes",         [RAW_LOST_WRITES] = "lost_writes",
        [RAW_OTHER_THREAD] = "other_thread_bytes", [RAW_LOST_MEMORY] = "lost_memory"};
    for (size_t cause = 1; cause < CONVERT_CAUSES; cause++)
        json_object_set_new(object, NAMES[cause], json_integer((json_int_t)lost[cause]));
}

static int describe_end(struct conversion *conversion)
{
    static const char *const ENDS[] = {[RAW_EXITED] = "exited", [RAW_SIGNALLED] = "signalled", [RAW_EXEC] = "exec"};
    const struct convert_report *report = conversion->report;
    json_t *exact = json_pack("{s:I, s:o, s:o, s:I, s:b}", "instructions", (json_int_t)report->instructions, "ended",
                              report->ended ? json_string(ENDS[report->end.kind]) : json_null(), "status",
                              report->ended ? json_integer(report->end.status) : json_null(), "unread_bytes",
                              (json_int_t)report->unread_bytes, "damaged", (int)report->damaged);
    if (!exact || json_object_set_new(conversion->metadata, "exact", exact) != 0)
        return ENOMEM;
    describe_lost(exact, report->lost);
    return output_describe(&conversion->sink.output, conversion->metadata);
}

static void describe_loss(const struct convert_report *report, char text[512])
{
    static const struct {
        enum raw_cause cause;
        const char *text;
    } LINES[] = {{RAW_LOST_WRITES, "records could not be written"},
                 {RAW_LOST_MEMORY, "accesses were not seen for want of memory"},
                 {RAW_LOST_NODES, "calls were lumped together, being too many"}};
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof LINES / sizeof *LINES; i++)
        if (report->lost[LINES[i].cause])
            length += (size_t)snprintf(text + length, 512 - length, "%s%" PRIu64 " %s", length ? "; " : "",
                                       report->lost[LINES[i].cause], LINES[i].text);
    if (report->damaged)
        snprintf(text + length, 512 - length, "%sthe tool's file is damaged: %" PRIu64 " bytes of it are not used",
                 length ? "; " : "", report->unread_bytes);
}

/* ---------------------------------------------------------------------------- the file -- */

static int convert_batches(struct conversion *conversion)
{
    struct convert_report *report = conversion->report;
    int error = 0;
    while (!error && !report->ended) {
        struct batch batch;
        error = batch_scan(&conversion->definitions, &conversion->file, conversion->at, &conversion->time, &batch);
        if (!error)
            error = batch_put(&batch, &conversion->file, &conversion->contexts, &conversion->sink, report);
        if (error)
            break;
        conversion->at = batch.end;
        conversion->time = batch.time;
        raw_file_let_go(&conversion->file, batch.begin);
    }
    report->unread_bytes = conversion->file.size - conversion->at;
    report->damaged = error == EILSEQ || (report->ended && report->unread_bytes > 0);
    return error == EILSEQ || error == ENODATA ? 0 : error;
}

static int write_trace(struct conversion *conversion, const char *path)
{
    int error = sink_open(&conversion->sink, path, conversion->metadata, SPARE_BYTES, &conversion->definitions);
    conversion->contexts = (struct contexts){.definitions = &conversion->definitions, .tree = &conversion->sink.tree};
    if (!error)
        error = convert_batches(conversion);
    if (!error)
        error = sink_flush(&conversion->sink, conversion->time.monotonic_ns);
    /* What was cut off must not look whole. */
    if (!error && conversion->report->ended)
        error = output_end(&conversion->sink.output);
    if (!error)
        error = describe_end(conversion);
    int closed = sink_close(&conversion->sink);
    contexts_free(&conversion->contexts);
    return error ? error : closed;
}

static int write_anew(struct conversion *conversion, const char *trace)
{
    char *fresh;
    const char *slash = strrchr(trace, '/');
    int directory = slash ? (int)(slash - trace) + 1 : 0;
    if (asprintf(&fresh, "%.*s.%s.tmp", directory, trace, trace + directory) < 0)
        return ENOMEM;
    int error = write_trace(conversion, fresh);
    if (!error && rename(fresh, trace) != 0)
        error = errno;
    if (error)
        unlink(fresh);
    free(fresh);
    return error;
}

/* The first record. 0; ENODATA: it is not whole; EILSEQ: it is something else. */
static int read_hello(struct conversion *conversion, const json_t *base)
{
    struct raw_record record;
    enum raw_step step = raw_file_next(&conversion->file, &conversion->at, &record);
    if (step != STEP_RECORD)
        return step == STEP_DAMAGED ? EILSEQ : ENODATA;
    const struct raw_hello *hello = record.payload;
    if (record.type != RAW_HELLO || record.bytes < sizeof *hello || hello->magic != RAW_MAGIC ||
        hello->json_bytes > record.bytes - sizeof *hello || hello->start_monotonic_ns > INT64_MAX / 2)
        return EILSEQ;
    conversion->time.monotonic_ns = hello->start_monotonic_ns;
    conversion->metadata = describe(base, hello, (const char *)(hello + 1));
    return conversion->metadata ? 0 : ENOMEM;
}

enum convert_status convert_raw(const char *raw, const char *trace, const json_t *base, struct convert_report *report,
                                struct trace_problem *problem)
{
    struct conversion conversion = {.report = report};
    enum convert_status status = CONVERT_FAILED;
    *report = (struct convert_report){0};
    int error = raw_file_open(raw, &conversion.file);
    if (!error)
        error = read_hello(&conversion, base);
    if (error == ENODATA && unlink(raw) == 0)
        status = CONVERT_NOTHING;
    else if (!error && !(error = write_anew(&conversion, trace)) && unlink(raw) == 0)
        status = CONVERT_DONE;
    else
        snprintf(problem->text, sizeof problem->text, "%s",
                 error == EILSEQ ? "is no file of the exact tool" : strerror(error ? error : errno));
    describe_loss(report, report->text);
    json_decref(conversion.metadata);
    definitions_free(&conversion.definitions);
    raw_file_close(&conversion.file);
    return status;
}

#include "collect/exact/convert/convert.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/replace.h"
#include "collect/exact/convert/batch.h"
#include "collect/exact/convert/ring_accesses.h"
#include "collect/exact/convert/ring_file.h"
#include "collect/exact/convert/similar_names.h"

/* The capacity that the metadata may need once all is known. */
enum { SPARE_BYTES = 2048 };

struct conversion {
    char *raw, *trace, *fresh, *ring_path; /* fresh: the trace until it is complete */
    int error;                             /* of a step */
    struct raw_file file;
    struct ring_file ring;
    struct ring_accesses accesses; /* in the ring */
    uint64_t at;                   /* everything before is in the trace */
    struct raw_time time;
    json_t *metadata;
    struct definitions definitions;
    struct trace_sink sink;
    struct contexts contexts;
    struct convert_report report;
};

/* ---------------------------------------------------------------------------- the file -- */

/* The current state of the file. */
static int convert_reopen_raw(struct conversion *conversion)
{
    struct raw_file file;
    int error = raw_file_open(conversion->raw, &file);
    if (error)
        return error;
    if (file.size < conversion->at) { /* it has become shorter than what was read of it */
        raw_file_close(&file);
        return EILSEQ;
    }
    raw_file_close(&conversion->file);
    conversion->file = file;
    return 0;
}

/*
 * Up to the end of the complete part. While the process runs no batch is checked twice, and its end record is not used
 * until it has exited, since an exec may fail.
 */
static int convert_read_batches(struct conversion *conversion, bool gone)
{
    struct convert_report *report = &conversion->report;
    int error = 0;
    bool last;
    while (!error && !report->ended) {
        struct batch batch;
        if (!gone && (!batch_is_whole(&conversion->file, conversion->at, &last) || last))
            return 0;
        error = batch_scan(&conversion->definitions, &conversion->file, conversion->at, &conversion->time, &batch);
        if (!error)
            error = batch_put(&batch, &conversion->file, &conversion->contexts, &conversion->sink, report);
        if (error)
            break;
        conversion->at = batch.end;
        conversion->time = batch.time;
        raw_file_release(&conversion->file, batch.begin);
    }
    report->damaged = error == EILSEQ;
    return error == EILSEQ || error == ENODATA ? 0 : error;
}

static int convert_read_rest(struct conversion *conversion)
{
    struct convert_report *report = &conversion->report;
    int error = convert_read_batches(conversion, true);
    report->unread_bytes = conversion->file.size - conversion->at;
    report->damaged |= report->ended && report->unread_bytes > 0;
    return error;
}

/* ---------------------------------------------------------------------------- the ring -- */

/*
 * If a process was killed, or continues, within an access after an exit that it did not take, that exit's mark is still
 * there and hides the access.
 */
static int convert_read_segment(struct conversion *conversion, const uint64_t *words, bool whole)
{
    int error = ring_accesses_read(&conversion->accesses, words, conversion->ring.segment_words, whole,
                                   conversion->time.monotonic_ns);
    if (error == EILSEQ && !whole && !conversion->report.ended)
        error = ENODATA;
    conversion->report.cut |= error == ENODATA;
    conversion->report.ring_damaged |= error == EILSEQ;
    return error;
}

/* At most once around, since the process may fill it as fast. */
int convert_step(struct conversion *conversion, bool *moved)
{
    const uint64_t *words;
    for (uint32_t left = conversion->ring.segments; !conversion->error && left > 0; left--) {
        words = ring_file_segment(&conversion->ring);
        if (!words)
            break;
        conversion->error = convert_reopen_raw(conversion);
        if (!conversion->error)
            conversion->error = convert_read_batches(conversion, false);
        if (!conversion->error)
            conversion->error = convert_read_segment(conversion, words, true);
        if (!conversion->error)
            ring_file_drain(&conversion->ring);
        *moved = true;
    }
    if (conversion->error)
        ring_file_refuse(&conversion->ring);
    return conversion->error;
}

/* The rest of it when the process has ended, or is to continue without it. */
static int convert_read_ring(struct conversion *conversion)
{
    bool moved;
    ring_file_refuse(&conversion->ring);
    int error = convert_step(conversion, &moved);
    if (!error)
        error = convert_reopen_raw(conversion);
    if (!error)
        error = convert_read_rest(conversion);
    const uint64_t *rest = error ? NULL : ring_file_rest(&conversion->ring);
    if (rest)
        error = convert_read_segment(conversion, rest, false);
    if (error == ENODATA || error == EILSEQ)
        error = 0;
    if (!error)
        error = ring_accesses_flush(&conversion->accesses, conversion->time.monotonic_ns);
    conversion->report.accesses = conversion->accesses.count;
    conversion->report.instructions = conversion->accesses.instructions;
    return error;
}

/* ---------------------------------------------------------------------------- metadata -- */

/* The date and time of a monotonic time of this boot, as text; NULL for an impossible one. */
static json_t *convert_realtime_text(uint64_t monotonic_ns)
{
    int64_t ns = (int64_t)clock_ns(CLOCK_REALTIME) - ((int64_t)clock_ns(CLOCK_MONOTONIC) - (int64_t)monotonic_ns);
    time_t seconds = (time_t)(ns / 1000000000);
    struct tm parts;
    char text[64];
    if (ns < 0 || !gmtime_r(&seconds, &parts) || !strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts))
        return NULL;
    return json_sprintf("%s.%06dZ", text, (int)(ns % 1000000000 / 1000));
}

/* ---------------------------------------------------------------------------- the whole -- */

static void conversion_free(struct conversion *conversion)
{
    ring_accesses_free(&conversion->accesses);
    contexts_free(&conversion->contexts);
    json_decref(conversion->metadata);
    definitions_free(&conversion->definitions);
    raw_file_close(&conversion->file);
    ring_file_close(&conversion->ring);
    free(conversion->raw);
    free(conversion->trace);
    free(conversion->fresh);
    free(conversion->ring_path);
}

static int convert_open_raw(struct conversion *conversion, const char *raw, const char *trace, const json_t *base)
{
    const char *dot = strrchr(raw, '.');
    conversion->raw = strdup(raw);
    conversion->trace = strdup(trace);
    conversion->fresh = replace_name(trace);
    if (asprintf(&conversion->ring_path, "%.*s.memory", dot ? (int)(dot - raw) : (int)strlen(raw), raw) < 0)
        conversion->ring_path = NULL;
    if (!conversion->raw || !conversion->trace || !conversion->fresh || !conversion->ring_path)
        return ENOMEM;
    int error = raw_file_open(raw, &conversion->file);
    if (error)
        return error;
    /* The first record: ENODATA if it is incomplete, EILSEQ if it is something else. */
    struct raw_record record;
    enum raw_step step = raw_file_next(&conversion->file, &conversion->at, &record);
    if (step != STEP_RECORD)
        return step == STEP_DAMAGED ? EILSEQ : ENODATA;
    const struct raw_hello *hello = record.payload;
    if (record.type != RAW_HELLO || record.bytes < sizeof *hello || hello->magic != RAW_MAGIC ||
        hello->json_bytes > record.bytes - sizeof *hello || hello->start_monotonic_ns > INT64_MAX / 2)
        return EILSEQ;
    conversion->time.monotonic_ns = hello->start_monotonic_ns;
    /* What the tool says goes over `base`, and what is known here over both. */
    json_t *metadata = base ? json_copy((json_t *)(uintptr_t)base) : json_object();
    json_t *reported = json_loadb((const char *)(hello + 1), hello->json_bytes, 0, NULL);
    if (json_is_object(reported))
        json_object_update(metadata, reported);
    json_decref(reported);
    json_object_set_new(metadata, "pid", json_integer(hello->pid));
    json_object_set_new(metadata, "start_monotonic_ns", json_integer((json_int_t)hello->start_monotonic_ns));
    json_object_set_new(metadata, "start_realtime",
                        convert_realtime_text(hello->start_monotonic_ns)); /* NULL: not set */
    conversion->metadata = metadata;
    return conversion->metadata ? 0 : ENOMEM;
}

static int convert_open_trace(struct conversion *conversion)
{
    conversion->contexts = (struct contexts){.definitions = &conversion->definitions, .tree = &conversion->sink.tree};
    return trace_sink_open(&conversion->sink, conversion->fresh, conversion->metadata, SPARE_BYTES,
                           &conversion->definitions);
}

/* A cut trace must not look complete. Sets the metadata's key "exact". */
static int convert_finish_trace(struct conversion *conversion)
{
    static const char *const ENDS[] = {[RAW_EXITED] = "exited", [RAW_SIGNALLED] = "signalled", [RAW_EXEC] = "exec"};
    static const char *const LOST[CONVERT_CAUSES] = {
        [RAW_LOST_NODES] = "lost_nodes",   [RAW_LOST_DEPTH] = "lost_depth",           [RAW_LOST_SCOPES] = "lost_scopes",
        [RAW_LOST_WRITES] = "lost_writes", [RAW_OTHER_THREAD] = "other_thread_bytes", [RAW_LOST_MEMORY] = "lost_memory",
        [RAW_LOST_RING] = "lost_ring",     [RAW_ELSEWHERE] = "elsewhere_bytes",       [RAW_HIDDEN] = "hidden_classes"};
    struct convert_report *report = &conversion->report;
    int error = trace_sink_flush(&conversion->sink, conversion->time.monotonic_ns);
    if (!error && conversion->definitions.functions) {
        /* Which functions the names that the user gave have found. */
        report->functions = json_incref(conversion->definitions.functions);
        report->similar = similar_names(&conversion->definitions);
        error = report->similar ? 0 : ENOMEM;
    }
    if (!error && report->ended && !report->cut && !report->ring_damaged && report->lost[RAW_LOST_RING] == 0)
        error = output_end(&conversion->sink.output);
    if (error)
        return error;

    json_t *exact =
        json_pack("{s:I, s:o, s:o, s:I, s:b}", "instructions", (json_int_t)report->instructions, "ended",
                  report->ended ? json_string(ENDS[report->end.kind]) : json_null(), "status",
                  report->ended ? json_integer(report->end.status) : json_null(), "unread_bytes",
                  (json_int_t)report->unread_bytes, "damaged", (int)(report->damaged || report->ring_damaged));
    if (exact && report->functions)
        json_object_set(exact, "functions", report->functions);
    if (exact && json_object_get(conversion->metadata, "values"))
        json_object_set_new(exact, "accesses", json_integer((json_int_t)report->accesses));
    if (!exact || json_object_set_new(conversion->metadata, "exact", exact) != 0)
        return ENOMEM;
    for (size_t cause = 1; cause < CONVERT_CAUSES; cause++)
        json_object_set_new(exact, LOST[cause], json_integer((json_int_t)report->lost[cause]));
    return output_describe(&conversion->sink.output, conversion->metadata);
}

static int convert_close_trace(struct conversion *conversion, int error)
{
    int closed = trace_sink_close(&conversion->sink);
    error = error ? error : closed;
    return replace_end(conversion->fresh, conversion->trace, error);
}

static enum convert_status convert_set_status(int error, int removed, struct convert_report *report,
                                              struct error_text *message)
{
    /* The user gets a line about what is missing; "" if nothing is. */
    static const struct {
        enum raw_cause cause;
        const char *text;
    } LINES[] = {{RAW_LOST_WRITES, "records could not be written"},
                 {RAW_LOST_MEMORY, "accesses were not seen for lack of memory"},
                 {RAW_LOST_NODES, "calls were lumped together because there were too many contexts"}};
    report->missing = (struct error_text){""};
    for (size_t i = 0; i < sizeof LINES / sizeof *LINES; i++)
        if (report->lost[LINES[i].cause])
            error_append(&report->missing, "%" PRIu64 " %s", report->lost[LINES[i].cause], LINES[i].text);
    if (report->cut)
        error_append(&report->missing, "its last accesses are missing: it was killed");
    if (report->lost[RAW_LOST_RING])
        error_append(&report->missing,
                     "its accesses are missing from the point where the ring had no room or no reader");
    if (report->ring_damaged)
        error_append(&report->missing, "the ring is damaged: its accesses end before that");
    if (report->damaged)
        error_append(&report->missing, "the tool's file is damaged: %" PRIu64 " bytes of it were not used",
                     report->unread_bytes);
    if ((!error || error == ENODATA) && removed == 0)
        return error ? CONVERT_NOTHING : CONVERT_DONE;
    error_set(message, CONVERT_FAILED, "%s",
              error == EILSEQ ? "is not a file of the exact tool" : strerror(error ? error : errno));
    return CONVERT_FAILED;
}

enum convert_status convert_raw(const char *raw, const char *trace, const json_t *base, struct convert_report *report,
                                struct error_text *message)
{
    struct conversion conversion = {0};
    int error = convert_open_raw(&conversion, raw, trace, base);
    if (!error) {
        error = convert_open_trace(&conversion);
        if (!error)
            error = convert_read_rest(&conversion);
        if (!error)
            error = convert_finish_trace(&conversion);
        error = convert_close_trace(&conversion, error);
    }
    *report = conversion.report;
    int removed = !error || error == ENODATA ? unlink(raw) : -1;
    enum convert_status status = convert_set_status(error, removed, report, message);
    if (status != CONVERT_FAILED)
        unlink(conversion.ring_path); /* of a run that was broken off */
    conversion_free(&conversion);
    return status;
}

int convert_begin(const char *raw, const char *trace, const json_t *base, struct conversion **out)
{
    struct conversion *conversion = calloc(1, sizeof *conversion);
    if (!conversion)
        return ENOMEM;
    int error = convert_open_raw(conversion, raw, trace, base);
    if (!error)
        error = ring_file_open(conversion->ring_path, &conversion->ring);
    if (!error) {
        conversion->accesses =
            (struct ring_accesses){.contexts = &conversion->contexts,
                                   .sink = &conversion->sink,
                                   .loops = {.contexts = &conversion->contexts, .sink = &conversion->sink},
                                   .values = json_is_true(json_object_get(conversion->metadata, "values")),
                                   .fetches = json_is_true(json_object_get(conversion->metadata, "fetches"))};
        error = convert_open_trace(conversion);
        if (error)
            convert_close_trace(conversion, error);
    }
    if (!error) {
        *out = conversion;
        return 0;
    }
    if (error == ENODATA || error == ENOENT)
        error = EAGAIN;
    if (error != EAGAIN && (conversion->ring.ring || ring_file_open(conversion->ring_path, &conversion->ring) == 0))
        ring_file_refuse(&conversion->ring);
    conversion_free(conversion);
    free(conversion);
    return error;
}

enum convert_status convert_end(struct conversion *conversion, struct convert_report *report,
                                struct error_text *message)
{
    int error = convert_read_ring(conversion);
    if (!error)
        error = convert_finish_trace(conversion);
    error = convert_close_trace(conversion, error);
    *report = conversion->report;
    error = error == ENODATA ? EIO : error;
    enum convert_status status = convert_set_status(error, error ? -1 : truncate(conversion->raw, 0), report, message);
    unlink(conversion->ring_path);
    conversion_free(conversion);
    free(conversion);
    return status;
}

/*
 * The text of `simpleperf report-sample`, Android's perf:
 *
 *     sample:
 *       event_type: cpu-clock
 *       time: 1000000
 *       event_count: 250000
 *       thread_id: 7
 *       thread_name: main
 *       vaddr_in_file: 1a2b
 *       file: /data/app/lib.so
 *       symbol: f
 *       callchain:
 *         vaddr_in_file: 1a3c
 *         file: /data/app/lib.so
 *         symbol: caller
 *
 * With --show-callchain alone the first frame is in the callchain, too. The event_count of a sample is its period
 * (perf_profile.h). Source: Android, system/extras/simpleperf, cmd_report_sample.cpp.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/import/perf/perf_profile.h"
#include "trace/import/reading.h"
#include "trace/import/stack.h"

enum { NAME_BYTES = 4096 };

struct simpleperf {
    struct reading *reading;
    bool open;  /* a sample has begun */
    bool other; /* inside a record that is not a sample */
    char event[128], thread[256], file[NAME_BYTES];
    uint64_t time_ns, count, tid, address, lost;
    struct stack stack;
    unsigned last_profile;
    uint32_t last_thread;
};

static void simpleperf_end_sample(struct simpleperf *simpleperf)
{
    struct sink *sink = simpleperf->reading->sink;
    const char *event = *simpleperf->event ? simpleperf->event : "samples";
    const bool periods = perf_wants_periods(simpleperf->reading, event);
    if (!simpleperf->open)
        return;
    simpleperf->last_profile = perf_open_profile(simpleperf->reading, event, true, UNKNOWN_ROLES);
    simpleperf->last_thread = sink_add_thread(sink, simpleperf->tid, simpleperf->thread);
    sink_add_sample(sink, &(struct sink_sample){.profile = simpleperf->last_profile,
                                                .thread = simpleperf->last_thread,
                                                .time_ns = simpleperf->time_ns,
                                                .weight = periods ? simpleperf->count : 1,
                                                .more = {periods ? 1 : simpleperf->count},
                                                .frames = simpleperf->stack.frames,
                                                .depth = simpleperf->stack.depth});
    simpleperf->open = false;
}

/* The value of "KEY: VALUE", or NULL. */
static char *simpleperf_field_value(char *line, const char *key)
{
    size_t length = strlen(key);
    if (strncmp(line, key, length) != 0 || line[length] != ':')
        return NULL;
    return line + length + 1 + (line[length + 1] == ' ');
}

/* False without memory. */
static bool simpleperf_read_field(struct simpleperf *simpleperf, char *line, uint64_t number)
{
    char *value;
    if ((value = simpleperf_field_value(line, "event_type")))
        snprintf(simpleperf->event, sizeof simpleperf->event, "%s", value);
    else if ((value = simpleperf_field_value(line, "time")))
        simpleperf->time_ns = strtoull(value, NULL, 10);
    else if ((value = simpleperf_field_value(line, "event_count")))
        simpleperf->count = strtoull(value, NULL, 10);
    else if ((value = simpleperf_field_value(line, "thread_id")))
        simpleperf->tid = strtoull(value, NULL, 10);
    else if ((value = simpleperf_field_value(line, "thread_name")))
        snprintf(simpleperf->thread, sizeof simpleperf->thread, "%s", value);
    else if ((value = simpleperf_field_value(line, "vaddr_in_file")))
        simpleperf->address = strtoull(value, NULL, 16);
    else if ((value = simpleperf_field_value(line, "file")))
        snprintf(simpleperf->file, sizeof simpleperf->file, "%s", value);
    else if ((value = simpleperf_field_value(line, "symbol"))) {
        /* A position without a symbol is "NAME[+OFFSET]", and named as in other traces: [NAME]. */
        char module[NAME_BYTES];
        char *offset = strstr(value, "[+");
        bool known = *value && strcmp(value, "unknown") != 0 && !offset;
        const char *file = reading_file_name(simpleperf->file);
        if (!known)
            snprintf(module, sizeof module, *file == '[' || !*file ? "%.255s" : "[%.255s]",
                     !*file || strcmp(file, "unknown") == 0 ? "unknown" : file);
        if (!known && *module != '[')
            snprintf(module, sizeof module, "[unknown]");
        uint32_t frame =
            sink_add_frame(simpleperf->reading->sink, &(struct sink_frame){.method = known ? value : module,
                                                                           .file = file,
                                                                           .position = (int64_t)simpleperf->address});
        simpleperf->file[0] = '\0';
        simpleperf->address = 0;
        return stack_push(&simpleperf->stack, frame);
    } else if (!simpleperf_field_value(line, "callchain") && !simpleperf_field_value(line, "execution_type") &&
               !simpleperf_field_value(line, "unwinding_result"))
        reading_report_bad(simpleperf->reading, "line %" PRIu64 ": no field of a sample: '%.60s'", number, line);
    return true;
}

static int read_simpleperf(struct reading *reading, struct error_text *message)
{
    struct simpleperf simpleperf = {.reading = reading};
    int status = STATUS_GOOD;
    char *line, *lost;
    size_t length;
    sink_set_origin(reading->sink, "simpleperf", "simpleperf", NULL);
    for (uint64_t number = 0; status == STATUS_GOOD && !sink_has_failed(reading->sink) &&
                              (line = source_read_line(reading->source, &length, &number));) {
        char *at = line + strspn(line, " \t");
        if (*at == '\0')
            continue;
        if (at == line) {
            bool sample = strcmp(line, "sample:") == 0;
            simpleperf_end_sample(&simpleperf);
            simpleperf.open = sample;
            simpleperf.other = !sample;
            simpleperf.event[0] = simpleperf.thread[0] = simpleperf.file[0] = '\0';
            simpleperf.time_ns = simpleperf.tid = simpleperf.address = 0;
            simpleperf.count = 1;
            simpleperf.stack.depth = 0;
            if (line[strlen(line) - 1] != ':')
                reading_report_bad(reading, "line %" PRIu64 ": neither a record nor a field: '%.60s'", number, line);
            continue;
        }
        if (simpleperf.other && (lost = simpleperf_field_value(at, "lost_count")))
            simpleperf.lost += strtoull(lost, NULL, 10);
        if (simpleperf.open && !simpleperf_read_field(&simpleperf, at, number))
            status = error_set(message, STATUS_BAD, "line %" PRIu64 ": out of memory", number);
    }
    simpleperf_end_sample(&simpleperf);
    if (simpleperf.lost > 0 && simpleperf.last_thread > 0)
        sink_add_lost(reading->sink, simpleperf.last_profile, simpleperf.last_thread, simpleperf.lost);
    stack_free(&simpleperf.stack);
    return status;
}

static bool simpleperf_recognize(const unsigned char *head, size_t length)
{
    static const char record[] = "sample:\n  ";
    const unsigned char *at = memmem(head, length, record, sizeof record - 1);
    return at && (at == head || at[-1] == '\n') && memmem(head, length, "event_type: ", 12);
}

const struct profile_format format_simpleperf = {"simpleperf", simpleperf_recognize, read_simpleperf};

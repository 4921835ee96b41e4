/*
 * The text of `perf script`: for each sample a header line, then one line per frame, the innermost first, then a blank
 * line.
 *
 *     COMM TID [CPU] TIME: [PERIOD] EVENT: [IP SYMBOL (MODULE)]
 *     \tADDRESS SYMBOL+OFFSET (MODULE)
 *
 * perf_header.h says which other columns there may be, and perf_frame.h which other addresses. A sample counts as one,
 * as in `perf script | stackcollapse-perf.pl`; perf_profile.h says where its period counts. Records of tasks, mappings
 * and losses may be in between. Source: linux, tools/perf/builtin-script.c.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/import/perf/perf_frame.h"
#include "trace/import/perf/perf_header.h"
#include "trace/import/perf/perf_profile.h"
#include "trace/import/reading.h"
#include "trace/import/stack.h"
#include "base/grow.h"

struct perf {
    struct reading *reading;
    struct perf_layout layout;
    struct stack stack;
    struct sink_sample sample;
    bool open;        /* a header was read, and its sample has not ended */
    bool side;        /* the last record was none of a sample */
    bool from_header; /* the frame that waits comes from the header */
    uint64_t sides, lost;
    /* the last frame, whose line of source may follow */
    bool pending;
    char *text;
    size_t text_capacity;
    struct perf_frame frame;
};

/* ------------------------------------------------------------------------------------------ frames -- */

/* Copies the text of a frame, which waits for its line of source. False without memory. */
static bool perf_hold_frame(struct perf *perf, const struct perf_frame *frame)
{
    const char *module = frame->module ? frame->module : "";
    const size_t symbol_size = strlen(frame->symbol) + 1, module_size = strlen(module) + 1;
    char *text = grow_unset(perf->text, &perf->text_capacity, symbol_size + module_size, 1);
    if (!text)
        return false;
    perf->text = text;
    memcpy(text, frame->symbol, symbol_size);
    memcpy(text + symbol_size, module, module_size);
    perf->frame = (struct perf_frame){frame->address, text, frame->module ? text + symbol_size : NULL};
    perf->pending = true;
    return true;
}

/* Pushes the frame that waits, and with it methods that were compiled into it. False without memory. */
static bool perf_push_frame(struct perf *perf, const char *file, uint64_t line)
{
    char name[256], *symbol = perf->frame.symbol, *module = perf->frame.module, *inlined;
    if (!perf->pending)
        return true;
    perf->pending = false;
    bool known = module && *module && strcmp(module, "[unknown]") != 0 && strcmp(module, "inlined") != 0;
    struct sink_frame frame = {.file = file    ? file
                                       : known ? reading_file_name(module)
                                               : "",
                               .line = line,
                               .position = (int64_t)perf->frame.address};
    while ((inlined = perf_cut_inlined(symbol))) {
        frame.method = inlined;
        if (!stack_push(&perf->stack, sink_add_frame(perf->reading->sink, &frame)))
            return false;
    }
    if (!*symbol || strcmp(symbol, "[unknown]") == 0) {
        /* A code address without a symbol is named as in other traces: [MODULE]. */
        if (!known)
            strcpy(name, "[unknown]");
        else
            snprintf(name, sizeof name, *module == '[' ? "%.200s" : "[%.200s]",
                     *module == '[' ? module : reading_file_name(module));
        symbol = name;
    }
    frame.method = symbol;
    return stack_push(&perf->stack, sink_add_frame(perf->reading->sink, &frame));
}

/* ------------------------------------------------------------------------------------------ samples -- */

/* False without memory. */
static bool perf_end_sample(struct perf *perf)
{
    bool good = perf_push_frame(perf, NULL, 0);
    perf->side = false;
    if (!perf->open)
        return good;
    perf->sample.frames = perf->stack.frames;
    perf->sample.depth = perf->stack.depth;
    sink_add_sample(perf->reading->sink, &perf->sample);
    perf->open = false;
    perf->stack.depth = 0;
    return good;
}

/* The names of HotSpot's threads that run no Java code, as cut by the kernel. Other names don't determine a role. */
static unsigned perf_thread_role(const char *comm)
{
    static const struct {
        const char *prefix;
        unsigned role;
    } known[] = {{"C1 Compiler", ROLE_JIT}, {"C2 Compiler", ROLE_JIT}, {"JVMCI", ROLE_JIT},
                 {"GC Thread", ROLE_GC},    {"G1 ", ROLE_GC},          {"ParGC Thread", ROLE_GC},
                 {"Shenandoah", ROLE_GC},   {"ZWorker", ROLE_GC},      {"ZDirector", ROLE_GC},
                 {"ZDriver", ROLE_GC},      {"VM Thread", ROLE_VM},    {"VM Periodic", ROLE_VM}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncmp(comm, known[i].prefix, strlen(known[i].prefix)) == 0)
            return known[i].role;
    return ROLE_NATIVE;
}

static bool perf_begin_sample(struct perf *perf, const struct perf_header *header)
{
    const char *event = *header->event ? header->event : "samples";
    const bool periods = perf_wants_periods(perf->reading, event);
    const unsigned unknown = UNKNOWN_ROLES | (perf->layout.time || perf->layout.time_of_day ? 0 : UNKNOWN_TIMES) |
                             (perf->layout.tid ? 0 : UNKNOWN_THREADS);
    bool good = perf_end_sample(perf);
    perf->from_header = false;
    perf->sample = (struct sink_sample){.profile = perf_open_profile(perf->reading, event, header->period > 0, unknown),
                                        .thread = sink_add_thread(perf->reading->sink, header->tid, header->comm),
                                        .time_ns = header->time_ns,
                                        .weight = periods && header->period > 0 ? header->period : 1,
                                        .more = {periods ? 1 : header->period}};
    if (perf_thread_role(header->comm) != ROLE_NATIVE)
        sink_set_thread_role(perf->reading->sink, perf->sample.thread, perf_thread_role(header->comm));
    perf->open = true;
    struct perf_frame frame;
    return good && (perf_is_chained(&perf->layout, header->event) || !perf_parse_ip(header->rest, &frame) ||
                    (perf->from_header = perf_hold_frame(perf, &frame)));
}

/* A line that may be a frame, and is not a header: a frame, or the source of the last one. False if it is neither. */
static bool perf_read_frame(struct perf *perf, char *line, bool *good)
{
    struct perf_frame frame;
    char *file = NULL;
    uint64_t number = 0;
    if (perf->open && perf_parse_frame(line, &frame)) {
        perf->pending &= !perf->from_header; /* which was of another column, then */
        perf->from_header = false;
        *good = perf_push_frame(perf, NULL, 0) && perf_hold_frame(perf, &frame);
        return true;
    }
    int source = perf->pending ? perf_parse_srcline(line, &file, &number) : 0;
    if (source > 0)
        *good = perf_push_frame(perf, file, number);
    return source != 0 || perf->side; /* namespaces take several lines */
}

/* A line of a sample, or any other; false without memory. */
static bool perf_read_line(struct perf *perf, char *line, size_t length, uint64_t number)
{
    struct perf_header header;
    char shown[64];
    bool good = true;
    snprintf(shown, sizeof shown, "%s", line);
    const bool text = !memchr(line, '\0', length);
    if (text && line[strspn(line, " \t")] == '\0')
        return perf_end_sample(perf);
    const char *record = text && line[0] != '\t' ? perf_find_side_record(line) : NULL;
    if (record) {
        /* A record that is not a sample. Lost samples are lost records of the thread that had the last sample. */
        const char *lost = strncmp(record, "LOST", 4) == 0 ? strstr(record, " lost ") : NULL;
        bool ended = perf_end_sample(perf);
        perf->sides += !lost;
        perf->lost += lost ? strtoull(lost + 6, NULL, 10) : 0;
        perf->side = true;
        return ended;
    }
    if (text && line[0] != '\t' && line[0] != '#' && perf_parse_header(line, &perf->layout, &header))
        return perf_begin_sample(perf, &header);
    if (text && perf_may_be_frame(line) && perf_read_frame(perf, line, &good))
        return good;
    if (text && line[0] == '\t' && perf->layout.instructions)
        return true; /* an instruction, or the symbol above some */
    if (!text || line[0] != '#')
        reading_report_bad(perf->reading, "line %" PRIu64 ": neither the header nor a frame of a sample: '%s'", number,
                           shown);
    return true;
}

static int read_perf(struct reading *reading, struct error_text *message)
{
    struct perf perf = {.reading = reading};
    int status = STATUS_GOOD;
    char *line;
    size_t length;
    const unsigned char *head = source_peek(reading->source, READING_HEAD, &length);
    sink_set_origin(reading->sink, "perf", "perf script", NULL);
    if (!head || !perf_detect_layout(head, length < READING_HEAD ? length : READING_HEAD, &perf.layout))
        return error_set(message, STATUS_BAD, "it holds no header of a sample");
    for (uint64_t number = 0; status == STATUS_GOOD && !sink_has_failed(reading->sink) &&
                              (line = source_read_line(reading->source, &length, &number));)
        if (!perf_read_line(&perf, line, length, number))
            status = error_set(message, STATUS_BAD, "line %" PRIu64 ": out of memory", number);
    if (!perf_end_sample(&perf) && status == STATUS_GOOD)
        status = error_set(message, STATUS_BAD, "out of memory");
    if (perf.lost > 0 && perf.sample.thread > 0)
        sink_add_lost(reading->sink, perf.sample.profile, perf.sample.thread, perf.lost);
    if (perf.sides > 0)
        error_append(&reading->note, "%" PRIu64 " records of tasks and mappings (PERF_RECORD) were left out",
                     perf.sides);
    stack_free(&perf.stack);
    free(perf.text);
    return status;
}

static bool perf_recognize(const unsigned char *head, size_t length)
{
    struct perf_layout layout;
    return perf_detect_layout(head, length, &layout);
}

const struct profile_format format_perf = {"perf", perf_recognize, read_perf};

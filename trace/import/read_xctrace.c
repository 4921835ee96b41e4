/*
 * The XML that `xctrace export` makes of a table of Instruments with samples, such as time-profile and cpu-profile:
 * rows of elements, each of which is defined once, with id=, and later referred to, with ref=. Source: xctrace(1) of
 * Xcode 12 to 26, and its output; there is no published schema.
 *
 * A row is a sample, weighted by its weight: ns of a time profile, cycles of a CPU profile. What rows share (threads,
 * frames, weights) is kept in memory. Stacks and times have an id in each row, so they are in temporary files.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <expat.h>

#include "trace/import/idmap.h"
#include "trace/import/reading.h"
#include "trace/import/stack.h"
#include "base/grow.h"
#include "base/temporary.h"
#include "base/text_set.h"
#include "base/transfer.h"

enum element { OTHER, ROW, TIME, THREAD, TID, STATE, WEIGHT, BACKTRACE, FRAME, BINARY, SOURCE, PATH, SCHEMA };
enum { DEPTH_MAX = 64, TEXT_BYTES = 4096, PIECE_BYTES = 1 << 16 };

/* Values by the ids of elements. */
struct values {
    struct idmap ids;
    uint64_t *items;
    size_t capacity;
};

struct frame_texts {
    char name[TEXT_BYTES], binary[TEXT_BYTES], path[TEXT_BYTES];
    uint64_t address, base, line;
};

struct xctrace {
    struct reading *reading;
    enum element elements[DEPTH_MAX]; /* the open ones */
    uint64_t ids[DEPTH_MAX];          /* 0: without one */
    size_t depth, too_deep;
    struct text_set names;    /* ids that are not numbers */
    struct text_set binaries; /* and paths of sources */
    struct values frames, threads, tids, weights, states, bases, of_binaries, paths;
    int file;   /* at each id: 1 + a time, or 1 + the place of a stack in the next file */
    int stacks; /* depth and frames of each stack, 4 bytes each */
    uint64_t stack_end;
    char text[TEXT_BYTES];
    size_t length;
    char schema[64];
    /* The current thread, frame and row. */
    char thread_name[256];
    uint64_t tid;
    struct frame_texts frame;
    struct stack stack;
    uint64_t time_ns, weight;
    uint32_t thread;
    bool has_weight, in_cycles, runs, failed;
    uint64_t idle, samples;
};

/* ------------------------------------------------------------------------------------------ ids -- */

/* The number of an id: its own, or one beyond those if it is not a number. 0: none, or no memory. */
static uint64_t xctrace_id_number(struct xctrace *xctrace, const char *id)
{
    enum { OTHERS = 1 << 30 };
    char *end;
    uint64_t number = strtoull(id, &end, 10);
    if (*id && !*end && number > 0 && number < OTHERS)
        return number;
    uint32_t text = text_set_add(&xctrace->names, id);
    return text == TEXT_SET_FULL ? 0 : (uint64_t)OTHERS + text;
}

static void xctrace_set_value(struct xctrace *xctrace, struct values *values, uint64_t id, uint64_t value)
{
    if (id == 0)
        return;
    uint32_t index = idmap_add(&values->ids, id);
    uint64_t *items = index ? grow(values->items, &values->capacity, index, sizeof *items) : NULL;
    xctrace->failed |= items == NULL;
    if (items) {
        values->items = items;
        items[index] = value;
    }
}

static bool xctrace_find_value(struct xctrace *xctrace, const struct values *values, uint64_t id, uint64_t *value)
{
    uint32_t index = idmap_find(&values->ids, id);
    if (index)
        *value = values->items[index];
    else
        reading_report_bad(xctrace->reading, "ref=\"%" PRIu64 "\" refers to nothing", id);
    return index != 0;
}

/* A value in the file; 0 of an id that has none. */
static void xctrace_write_value(struct xctrace *xctrace, uint64_t id, uint64_t value)
{
    if (id > 0 && !transfer_write_at(xctrace->file, &value, sizeof value, (off_t)(id * sizeof value)))
        xctrace->failed = true;
}

static uint64_t xctrace_read_value(struct xctrace *xctrace, uint64_t id)
{
    uint64_t value = 0;
    if (transfer_read_at(xctrace->file, &value, sizeof value, (off_t)(id * sizeof value)) != (ssize_t)sizeof value ||
        value == 0) {
        reading_report_bad(xctrace->reading, "ref=\"%" PRIu64 "\" refers to nothing", id);
        return 0;
    }
    return value;
}

static void xctrace_write_stack(struct xctrace *xctrace, uint64_t id)
{
    const uint32_t depth = (uint32_t)xctrace->stack.depth;
    const size_t bytes = depth * sizeof *xctrace->stack.frames;
    const off_t at = (off_t)xctrace->stack_end;
    if (id == 0)
        return;
    if (!transfer_write_at(xctrace->stacks, &depth, sizeof depth, at) ||
        (bytes > 0 && !transfer_write_at(xctrace->stacks, xctrace->stack.frames, bytes, at + (off_t)sizeof depth)))
        xctrace->failed = true;
    xctrace_write_value(xctrace, id, xctrace->stack_end + 1);
    xctrace->stack_end += sizeof depth + bytes;
}

static void xctrace_read_stack(struct xctrace *xctrace, uint64_t id)
{
    uint64_t index = xctrace_read_value(xctrace, id);
    uint32_t depth = 0, frames[256];
    off_t at = (off_t)index - 1;
    xctrace->stack.depth = 0;
    if (index == 0 || transfer_read_at(xctrace->stacks, &depth, sizeof depth, at) != (ssize_t)sizeof depth)
        return;
    for (uint32_t done = 0; done < depth;) {
        uint32_t part = depth - done < 256 ? depth - done : 256;
        if (transfer_read_at(xctrace->stacks, frames, part * sizeof *frames,
                             at + (off_t)sizeof depth + (off_t)(done * sizeof *frames)) !=
            (ssize_t)(part * sizeof *frames)) {
            xctrace->failed = true;
            return;
        }
        for (uint32_t i = 0; i < part; i++)
            xctrace->failed |= !stack_push(&xctrace->stack, frames[i]);
        done += part;
    }
}

/* ------------------------------------------------------------------------------------------ elements -- */

static enum element xctrace_find_element(const char *name)
{
    static const struct {
        const char *name;
        enum element element;
    } known[] = {{"row", ROW},
                 {"sample-time", TIME},
                 {"event-time", TIME},
                 {"start-time", TIME},
                 {"thread", THREAD},
                 {"tid", TID},
                 {"thread-state", STATE},
                 {"weight", WEIGHT},
                 {"cycle-weight", WEIGHT},
                 {"backtrace", BACKTRACE},
                 {"tagged-backtrace", BACKTRACE},
                 {"frame", FRAME},
                 {"binary", BINARY},
                 {"source", SOURCE},
                 {"path", PATH},
                 {"schema", SCHEMA}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i].name) == 0)
            return known[i].element;
    return OTHER;
}

static const char *xctrace_attribute(const char **attributes, const char *name)
{
    for (; *attributes; attributes += 2)
        if (strcmp(attributes[0], name) == 0)
            return attributes[1];
    return "";
}

/* "Main Thread 0x12aa (WindowServer, pid: 581)" and "Main Thread (0x12aa) (…)" without number and process. */
static void xctrace_parse_thread(struct xctrace *xctrace, const char *text)
{
    char *name = xctrace->thread_name;
    snprintf(name, sizeof xctrace->thread_name, "%s", text);
    char *process = strstr(name, ", pid: ");
    while (process && process > name && *process != '(')
        process--;
    if (process && process > name)
        process[*(process - 1) == ' ' ? -1 : 0] = '\0';
    char *number = strstr(name, "0x");
    for (char *next = number; next && (next = strstr(next + 1, "0x"));)
        number = next;
    xctrace->tid = number ? strtoull(number, NULL, 16) : 0;
    if (number && number > name && number[-1] == '(')
        number--;
    while (number && number > name && number[-1] == ' ')
        number--;
    if (number && number > name)
        *number = '\0';
}

/* What an element that refers to another one stands for. */
static void xctrace_resolve_reference(struct xctrace *xctrace, enum element element, uint64_t id)
{
    uint64_t value;
    switch (element) {
    case TIME:
        value = xctrace_read_value(xctrace, id);
        xctrace->time_ns = value > 0 ? value - 1 : 0;
        break;
    case BACKTRACE:
        xctrace_read_stack(xctrace, id);
        break;
    case FRAME:
        if (xctrace_find_value(xctrace, &xctrace->frames, id, &value))
            xctrace->failed |= !stack_push(&xctrace->stack, (uint32_t)value);
        break;
    case THREAD:
        if (xctrace_find_value(xctrace, &xctrace->threads, id, &value))
            xctrace->thread = (uint32_t)value;
        break;
    case TID:
        if (xctrace_find_value(xctrace, &xctrace->tids, id, &value))
            xctrace->tid = value;
        break;
    case STATE:
        if (xctrace_find_value(xctrace, &xctrace->states, id, &value))
            xctrace->runs = value != 0;
        break;
    case WEIGHT:
        xctrace->has_weight |= xctrace_find_value(xctrace, &xctrace->weights, id, &xctrace->weight);
        break;
    case BINARY:
        if (xctrace_find_value(xctrace, &xctrace->of_binaries, id, &value)) {
            snprintf(xctrace->frame.binary, sizeof xctrace->frame.binary, "%s", xctrace->binaries.texts[value]);
            xctrace_find_value(xctrace, &xctrace->bases, id, &xctrace->frame.base);
        }
        break;
    case PATH:
        if (xctrace_find_value(xctrace, &xctrace->paths, id, &value))
            snprintf(xctrace->frame.path, sizeof xctrace->frame.path, "%s", xctrace->binaries.texts[value]);
        break;
    default:
        break;
    }
}

static void xctrace_begin_element(struct xctrace *xctrace, enum element element, const char **attributes, uint64_t id)
{
    const char *path, *name;
    uint32_t text;
    switch (element) {
    case ROW:
        xctrace->time_ns = xctrace->weight = 0;
        xctrace->thread = 0;
        xctrace->has_weight = xctrace->in_cycles = false;
        xctrace->runs = true;
        xctrace->stack.depth = 0;
        break;
    case THREAD:
        xctrace_parse_thread(xctrace, xctrace_attribute(attributes, "fmt"));
        break;
    case BACKTRACE:
        xctrace->stack.depth = 0;
        break;
    case FRAME:
        xctrace->frame.address = strtoull(xctrace_attribute(attributes, "addr"), NULL, 16);
        xctrace->frame.base = xctrace->frame.line = 0;
        xctrace->frame.binary[0] = xctrace->frame.path[0] = '\0';
        snprintf(xctrace->frame.name, sizeof xctrace->frame.name, "%s", xctrace_attribute(attributes, "name"));
        break;
    case BINARY:
        path = xctrace_attribute(attributes, "path");
        name = *path ? path : xctrace_attribute(attributes, "name");
        text = text_set_add(&xctrace->binaries, name);
        xctrace->frame.base = strtoull(xctrace_attribute(attributes, "load-addr"), NULL, 16);
        xctrace->failed |= text == TEXT_SET_FULL;
        snprintf(xctrace->frame.binary, sizeof xctrace->frame.binary, "%s", name);
        xctrace_set_value(xctrace, &xctrace->of_binaries, id, text);
        xctrace_set_value(xctrace, &xctrace->bases, id, xctrace->frame.base);
        break;
    case SOURCE:
        xctrace->frame.line = strtoull(xctrace_attribute(attributes, "line"), NULL, 10);
        break;
    case SCHEMA:
        snprintf(xctrace->schema, sizeof xctrace->schema, "%s", xctrace_attribute(attributes, "name"));
        break;
    default:
        break;
    }
}

static void xctrace_on_start(void *user, const char *name, const char **attributes)
{
    struct xctrace *xctrace = user;
    const char *id = xctrace_attribute(attributes, "id"), *ref = xctrace_attribute(attributes, "ref");
    enum element element = xctrace_find_element(name);
    if (xctrace->depth == DEPTH_MAX) {
        xctrace->too_deep++;
        return;
    }
    xctrace->length = 0;
    xctrace->elements[xctrace->depth] = *ref ? OTHER : element;
    xctrace->ids[xctrace->depth++] = *id ? xctrace_id_number(xctrace, id) : 0;
    if (element == WEIGHT)
        xctrace->in_cycles = strcmp(name, "cycle-weight") == 0;
    if (*ref)
        xctrace_resolve_reference(xctrace, element, xctrace_id_number(xctrace, ref));
    else
        xctrace_begin_element(xctrace, element, attributes, xctrace->ids[xctrace->depth - 1]);
}

static void xctrace_on_text(void *user, const char *bytes, int length)
{
    struct xctrace *xctrace = user;
    size_t capacity = sizeof xctrace->text - 1 - xctrace->length,
           part = (size_t)length < capacity ? (size_t)length : capacity;
    memcpy(xctrace->text + xctrace->length, bytes, part);
    xctrace->length += part;
}

/* ------------------------------------------------------------------------------------------ ends -- */

/* A frame without a symbol has its address as a name. */
static void xctrace_end_frame(struct xctrace *xctrace, uint64_t id)
{
    const struct frame_texts *texts = &xctrace->frame;
    const bool named = *texts->name && strncmp(texts->name, "0x", 2) != 0;
    char module[300];
    snprintf(module, sizeof module, *texts->binary ? "[%.280s]" : "[unknown]", reading_file_name(texts->binary));
    const struct sink_frame frame = {.method = named ? texts->name : module,
                                     .file = texts->path,
                                     .line = texts->line,
                                     .module = named || !*texts->binary ? NULL : texts->binary,
                                     .position = named ? -1
                                                 : texts->address >= texts->base
                                                     ? (int64_t)(texts->address - texts->base)
                                                     : (int64_t)texts->address};
    uint32_t number = sink_add_frame(xctrace->reading->sink, &frame);
    xctrace_set_value(xctrace, &xctrace->frames, id, number);
    xctrace->failed |= !stack_push(&xctrace->stack, number);
}

static void xctrace_end_row(struct xctrace *xctrace)
{
    struct sink *sink = xctrace->reading->sink;
    const char *unit = !xctrace->has_weight ? "samples" : xctrace->in_cycles ? "cycles" : "ns";
    const char *name = *xctrace->schema ? xctrace->schema : "samples";
    if (!xctrace->has_weight && xctrace->stack.depth == 0)
        return; /* a row of another table */
    xctrace->samples++;
    xctrace->idle += !xctrace->runs;
    const struct sink_sample sample = {
        .profile =
            sink_open_profile(sink, &(struct sink_profile){.name = name, .unit = unit, .unknown = UNKNOWN_PERIOD}),
        .thread = xctrace->thread ? xctrace->thread : sink_add_thread(sink, 0, ""),
        .time_ns = xctrace->time_ns,
        .weight = xctrace->has_weight ? xctrace->weight : 1,
        .frames = xctrace->stack.frames,
        .depth = xctrace->stack.depth};
    sink_add_sample(sink, &sample);
}

static void xctrace_end_element(struct xctrace *xctrace, enum element element, uint64_t id)
{
    xctrace->text[xctrace->length] = '\0';
    const uint64_t number = strtoull(xctrace->text, NULL, 10);
    switch (element) {
    case TIME:
        xctrace->time_ns = number;
        xctrace_write_value(xctrace, id, number + 1);
        break;
    case TID:
        xctrace->tid = number;
        xctrace_set_value(xctrace, &xctrace->tids, id, number);
        break;
    case THREAD:
        xctrace->thread = sink_add_thread(xctrace->reading->sink, xctrace->tid, xctrace->thread_name);
        xctrace_set_value(xctrace, &xctrace->threads, id, xctrace->thread);
        break;
    case STATE:
        xctrace->runs = strcmp(xctrace->text, "Running") == 0;
        xctrace_set_value(xctrace, &xctrace->states, id, xctrace->runs);
        break;
    case WEIGHT:
        xctrace->weight = number;
        xctrace->has_weight = true;
        xctrace_set_value(xctrace, &xctrace->weights, id, number);
        break;
    case BACKTRACE:
        xctrace_write_stack(xctrace, id);
        break;
    case FRAME:
        xctrace_end_frame(xctrace, id);
        break;
    case PATH: {
        uint32_t path = text_set_add(&xctrace->binaries, xctrace->text);
        xctrace->failed |= path == TEXT_SET_FULL;
        snprintf(xctrace->frame.path, sizeof xctrace->frame.path, "%s", xctrace->text);
        xctrace_set_value(xctrace, &xctrace->paths, id, path);
        break;
    }
    case ROW:
        xctrace_end_row(xctrace);
        break;
    default:
        break;
    }
    xctrace->length = 0;
}

static void xctrace_on_end(void *user, const char *name)
{
    struct xctrace *xctrace = user;
    (void)name;
    if (xctrace->too_deep > 0) {
        xctrace->too_deep--;
        return;
    }
    xctrace->depth--;
    xctrace_end_element(xctrace, xctrace->elements[xctrace->depth], xctrace->ids[xctrace->depth]);
}

/* ------------------------------------------------------------------------------------------ the file -- */

static int xctrace_parse(struct xctrace *xctrace, struct error_text *message)
{
    struct source *source = xctrace->reading->source;
    XML_Parser parser = XML_ParserCreate(NULL);
    size_t got;
    int status = STATUS_GOOD;
    if (!parser)
        return error_set(message, STATUS_BAD, "out of memory");
    XML_SetUserData(parser, xctrace);
    XML_SetElementHandler(parser, xctrace_on_start, xctrace_on_end);
    XML_SetCharacterDataHandler(parser, xctrace_on_text);
    for (bool last = false; !last && status == STATUS_GOOD && !xctrace->failed;) {
        const char *bytes = (const char *)source_peek(source, PIECE_BYTES, &got);
        got = got < PIECE_BYTES ? got : PIECE_BYTES;
        last = got == 0;
        if (XML_Parse(parser, bytes ? bytes : "", (int)got, last) != XML_STATUS_OK)
            status = error_set(message, STATUS_BAD, "line %lu: %s", (unsigned long)XML_GetCurrentLineNumber(parser),
                               XML_ErrorString(XML_GetErrorCode(parser)));
        source_skip(source, got);
    }
    XML_ParserFree(parser);
    return xctrace->failed ? error_set(message, STATUS_BAD, "out of memory, or of room for temporary files") : status;
}

static int read_xctrace(struct reading *reading, struct error_text *message)
{
    struct xctrace *xctrace = calloc(1, sizeof *xctrace);
    if (!xctrace)
        return error_set(message, STATUS_BAD, "out of memory");
    xctrace->reading = reading;
    xctrace->file = temporary_file();
    xctrace->stacks = temporary_file();
    sink_set_origin(reading->sink, "xctrace", "Instruments", NULL);
    int status = xctrace->file < 0 || xctrace->stacks < 0
                     ? error_set(message, STATUS_BAD, "a temporary file cannot be made")
                     : xctrace_parse(xctrace, message);
    if (status == STATUS_GOOD && xctrace->samples == 0)
        status =
            error_set(message, STATUS_BAD,
                      "holds the table '%s' of Instruments, without samples that have names or weights; export the "
                      "table time-profile",
                      xctrace->schema);
    if (xctrace->idle > 0)
        error_append(&reading->note, "%" PRIu64 " of %" PRIu64 " samples are of threads that did not run",
                     xctrace->idle, xctrace->samples);
    struct values *const all[] = {&xctrace->frames, &xctrace->threads, &xctrace->tids,        &xctrace->weights,
                                  &xctrace->states, &xctrace->bases,   &xctrace->of_binaries, &xctrace->paths};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        idmap_free(&all[i]->ids);
        free(all[i]->items);
    }
    text_set_free(&xctrace->names);
    text_set_free(&xctrace->binaries);
    stack_free(&xctrace->stack);
    if (xctrace->file >= 0)
        close(xctrace->file);
    if (xctrace->stacks >= 0)
        close(xctrace->stacks);
    free(xctrace);
    return status;
}

static bool xctrace_recognize(const unsigned char *head, size_t length)
{
    return length > 0 && memchr(head, '<', length < 64 ? length : 64) &&
           memmem(head, length, "<trace-query-result", 19);
}

const struct profile_format format_xctrace = {"xctrace", xctrace_recognize, read_xctrace};

/*
 * The Firefox Profiler's processed profile, as its "Save profile" and samply write it. Source:
 * firefox-devtools/profiler, src/types/profile.ts and docs-developer/CHANGELOG-formats.md, up to version 70: tables in
 * columns, of each thread, or from version 60 on shared by all; strings from version 56 on.
 *
 * The file is read twice: first what is shared, which may come after the threads, then the threads. The columns of a
 * thread's samples are kept in temporary files until the thread ends, since its tables may come after them.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "trace/import/json.h"
#include "trace/import/net.h"
#include "trace/import/reading.h"
#include "trace/import/spooled.h"
#include "trace/import/texts.h"
#include "base/grow.h"

/* Objects and columns that are wanted. The columns of tables are in the order of enum column. */
enum state {
    ROOT = JSON_ROOT,
    META,
    SHARED,
    THREADS,
    THREAD,
    STRINGS,
    STACK_TABLE,
    FRAME_TABLE,
    FUNC_TABLE,
    SOURCES,
    SAMPLES,
    SAMPLES_STACK,
    SAMPLES_TIME,
    SAMPLES_DELTA,
    SAMPLES_WEIGHT,
    SAMPLES_CPU,
    UNITS,
    COLUMN
};

enum column { STACK_FRAME, STACK_PREFIX, STACK_OFFSET, FRAMES_FUNC, FRAMES_LINE, FRAMES_ADDRESS, FUNC_NAME, FUNC_FILE };
enum { FUNC_SOURCE = FUNC_FILE + 1, SOURCE_FILE, COLUMNS };

/* A column of integers; null is NONE. */
struct numbers {
    int64_t *items;
    size_t count, capacity;
};
static const int64_t NONE = -1;

struct tables {
    struct texts strings;
    struct numbers columns[COLUMNS];
    uint32_t *frames; /* [frame]: the sink's; 0: not created yet */
    size_t frame_capacity;
};

struct firefox {
    struct reading *reading;
    bool second;
    struct tables shared, own; /* own: of the current thread */
    struct spooled stacks, times, deltas, weights, cpus;
    const char *cpu_unit; /* NULL: samples have no CPU time */
    double cpu_scale;
    char name[256], weight_type[32];
    uint64_t tid;
    double interval_ms, start_ms;
    struct stack stack;
};

static const struct {
    int around;
    const char *key;
    int inside;
} objects[] = {{ROOT, "meta", META},
               {META, "sampleUnits", UNITS},
               {ROOT, "shared", SHARED},
               {ROOT, "threads", THREADS},
               {THREAD, "samples", SAMPLES},
               {THREAD, "stringArray", STRINGS},
               {THREAD, "stackTable", STACK_TABLE},
               {THREAD, "frameTable", FRAME_TABLE},
               {THREAD, "funcTable", FUNC_TABLE},
               {SHARED, "stringArray", STRINGS},
               {SHARED, "stackTable", STACK_TABLE},
               {SHARED, "frameTable", FRAME_TABLE},
               {SHARED, "funcTable", FUNC_TABLE},
               {SHARED, "sources", SOURCES},
               {SAMPLES, "stack", SAMPLES_STACK},
               {SAMPLES, "time", SAMPLES_TIME},
               {SAMPLES, "timeDeltas", SAMPLES_DELTA},
               {SAMPLES, "weight", SAMPLES_WEIGHT},
               {SAMPLES, "threadCPUDelta", SAMPLES_CPU},
               {STACK_TABLE, "frame", (unsigned)COLUMN + STACK_FRAME},
               {STACK_TABLE, "prefix", (unsigned)COLUMN + STACK_PREFIX},
               {STACK_TABLE, "prefixOffset", (unsigned)COLUMN + STACK_OFFSET},
               {FRAME_TABLE, "func", (unsigned)COLUMN + FRAMES_FUNC},
               {FRAME_TABLE, "line", (unsigned)COLUMN + FRAMES_LINE},
               {FRAME_TABLE, "address", (unsigned)COLUMN + FRAMES_ADDRESS},
               {FUNC_TABLE, "name", (unsigned)COLUMN + FUNC_NAME},
               {FUNC_TABLE, "fileName", (unsigned)COLUMN + FUNC_FILE},
               {FUNC_TABLE, "source", (unsigned)COLUMN + FUNC_SOURCE},
               {SOURCES, "filename", (unsigned)COLUMN + SOURCE_FILE}};

static void firefox_free_tables(struct tables *tables)
{
    texts_free(&tables->strings);
    for (size_t i = 0; i < COLUMNS; i++)
        free(tables->columns[i].items);
    free(tables->frames);
    *tables = (struct tables){0};
}

static void firefox_begin_thread(struct firefox *firefox)
{
    firefox_free_tables(&firefox->own);
    spooled_free(&firefox->stacks);
    spooled_free(&firefox->times);
    spooled_free(&firefox->deltas);
    spooled_free(&firefox->weights);
    spooled_free(&firefox->cpus);
    firefox->name[0] = firefox->weight_type[0] = '\0';
    firefox->tid = 0;
}

/* Threads are for the second pass, everything else for the first. */
static int firefox_enter(void *user, int state, const char *key, bool array)
{
    struct firefox *firefox = user;
    (void)array;
    if (state == THREADS) {
        firefox_begin_thread(firefox);
        return THREAD;
    }
    for (size_t i = 0; key && i < sizeof objects / sizeof *objects; i++) {
        if (objects[i].around != state || strcmp(objects[i].key, key) != 0)
            continue;
        /* A column that is given twice has its last values, as in JavaScript. */
        int column = objects[i].inside;
        struct spooled *const spooled = column == SAMPLES_STACK    ? &firefox->stacks
                                        : column == SAMPLES_TIME   ? &firefox->times
                                        : column == SAMPLES_DELTA  ? &firefox->deltas
                                        : column == SAMPLES_WEIGHT ? &firefox->weights
                                                                   : NULL;
        if (spooled)
            spooled_free(spooled);
        return state == ROOT && (objects[i].inside == THREADS) != firefox->second ? JSON_OTHER : objects[i].inside;
    }
    return JSON_OTHER;
}

static bool firefox_spool_number(struct spooled *spooled, const struct json_value *value)
{
    if (value->type == VALUE_NUMBER)
        return spooled_add_number(spooled, (struct spooled_number){value->integer, value->real, value->whole});
    return spooled_add_number(spooled, (struct spooled_number){NONE, (double)NONE, true});
}

/* The unit of the CPU time between samples. */
static void firefox_read_unit(struct firefox *firefox, const char *key, const struct json_value *value)
{
    static const struct {
        const char *name, *unit;
        double scale;
    } units[] = {{"ns", "ns", 1}, {"µs", "ns", 1e3}, {"variable CPU cycles", "cycles", 1}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(key, "threadCPUDelta") == 0 && value->type == VALUE_TEXT &&
            strcmp(value->text, units[i].name) == 0) {
            firefox->cpu_unit = units[i].unit;
            firefox->cpu_scale = units[i].scale;
        }
}

static bool firefox_value(void *user, int state, const char *key, uint64_t index, const struct json_value *value)
{
    struct firefox *firefox = user;
    struct tables *tables = firefox->second ? &firefox->own : &firefox->shared;
    (void)index;
    switch (state) {
    case META:
        if (strcmp(key, "interval") == 0)
            firefox->interval_ms = value->real;
        else if (strcmp(key, "startTime") == 0)
            firefox->start_ms = value->real;
        return true;
    case THREAD:
        if (strcmp(key, "name") == 0 && value->type == VALUE_TEXT)
            snprintf(firefox->name, sizeof firefox->name, "%s", value->text);
        else if (strcmp(key, "tid") == 0 && (value->type == VALUE_TEXT || value->type == VALUE_NUMBER))
            firefox->tid = strtoull(value->text, NULL, 10);
        return true;
    case STRINGS:
        return texts_add(&tables->strings, value->type == VALUE_TEXT ? value->text : "",
                         value->type == VALUE_TEXT ? value->length : 0);
    case SAMPLES:
        if (strcmp(key, "weightType") == 0 && value->type == VALUE_TEXT)
            snprintf(firefox->weight_type, sizeof firefox->weight_type, "%s", value->text);
        return true;
    case SAMPLES_STACK:
        return firefox_spool_number(&firefox->stacks, value);
    case SAMPLES_TIME:
        return firefox_spool_number(&firefox->times, value);
    case SAMPLES_DELTA:
        return firefox_spool_number(&firefox->deltas, value);
    case SAMPLES_WEIGHT:
        return firefox_spool_number(&firefox->weights, value);
    case SAMPLES_CPU:
        return firefox_spool_number(&firefox->cpus, value);
    case UNITS:
        firefox_read_unit(firefox, key, value);
        return true;
    default:
        if (state >= COLUMN) {
            struct numbers *numbers = &tables->columns[state - COLUMN];
            int64_t *items = grow(numbers->items, &numbers->capacity, numbers->count, sizeof *items);
            if (!items)
                return false;
            numbers->items = items;
            items[numbers->count++] = value->type == VALUE_NUMBER && value->integer >= 0 ? value->integer : NONE;
        }
        return true;
    }
}

/* ------------------------------------------------------------------------------------------ stacks -- */

/* The thread's own tables if it has any, else the shared ones. */
static struct tables *firefox_tables_with(struct firefox *firefox, enum column column)
{
    return firefox->own.columns[column].count > 0 ? &firefox->own : &firefox->shared;
}

static int64_t firefox_cell(const struct tables *tables, unsigned column, int64_t row)
{
    const struct numbers *numbers = &tables->columns[column];
    return row >= 0 && (uint64_t)row < numbers->count ? numbers->items[row] : NONE;
}

static const char *firefox_string(const struct firefox *firefox, int64_t number)
{
    const struct texts *strings = firefox->own.strings.count > 0 ? &firefox->own.strings : &firefox->shared.strings;
    return number >= 0 ? texts_get(strings, (uint64_t)number) : "";
}

static uint32_t firefox_make_frame(struct firefox *firefox, const struct tables *tables, int64_t frame)
{
    const struct tables *funcs = firefox_tables_with(firefox, FUNC_NAME);
    int64_t func = firefox_cell(tables, FRAMES_FUNC, frame), line = firefox_cell(tables, FRAMES_LINE, frame);
    int64_t source = firefox_cell(funcs, FUNC_SOURCE, func);
    const char *name = firefox_string(firefox, firefox_cell(funcs, FUNC_NAME, func));
    int64_t file =
        source >= 0 ? firefox_cell(&firefox->shared, SOURCE_FILE, source) : firefox_cell(funcs, FUNC_FILE, func);
    if (!*name)
        reading_report_bad(firefox->reading, "thread '%s': frame %" PRId64 " is used but has no name", firefox->name,
                           frame);
    return sink_add_frame(firefox->reading->sink,
                          &(struct sink_frame){.method = *name ? name : "[unknown]",
                                               .file = firefox_string(firefox, file),
                                               .line = line > 0 ? (uint64_t)line : 0,
                                               .position = firefox_cell(tables, FRAMES_ADDRESS, frame)});
}

/* The sink's number of a frame; 0 without memory. */
static uint32_t firefox_find_frame(struct firefox *firefox, int64_t frame)
{
    struct tables *tables = firefox_tables_with(firefox, FRAMES_FUNC);
    if (frame < 0 || (uint64_t)frame >= tables->columns[FRAMES_FUNC].count)
        return firefox_make_frame(firefox, tables, NONE);
    uint32_t *frames = grow(tables->frames, &tables->frame_capacity, (size_t)frame, sizeof *frames);
    if (!frames)
        return 0;
    tables->frames = frames;
    if (!frames[frame])
        frames[frame] = firefox_make_frame(firefox, tables, frame);
    return frames[frame];
}

/* A caller always comes before its callees; violations are reported. False without memory. */
static bool firefox_push_stack(struct firefox *firefox, int64_t stack)
{
    const struct tables *tables = firefox_tables_with(firefox, STACK_FRAME);
    const bool offsets = tables->columns[STACK_OFFSET].count > 0;
    firefox->stack.depth = 0;
    if (stack != NONE && (uint64_t)stack >= tables->columns[STACK_FRAME].count) {
        reading_report_bad(firefox->reading, "thread '%s': stack %" PRId64 " was sampled but is not defined",
                           firefox->name, stack);
        return true;
    }
    while (stack != NONE) {
        uint32_t frame = firefox_find_frame(firefox, firefox_cell(tables, STACK_FRAME, stack));
        if (!frame || !stack_push(&firefox->stack, frame))
            return false;
        int64_t offset = firefox_cell(tables, STACK_OFFSET, stack);
        int64_t parent = !offsets ? firefox_cell(tables, STACK_PREFIX, stack) : offset > 0 ? stack - offset : NONE;
        if (parent >= stack || (offset > 0 && parent < 0)) {
            reading_report_bad(firefox->reading, "thread '%s': stack %" PRId64 " comes before its caller",
                               firefox->name, stack);
            parent = NONE;
        }
        stack = parent;
    }
    return true;
}

/* ------------------------------------------------------------------------------------------ samples -- */

/* The profile for the type of weights, and the value of one weight in its unit. */
static unsigned firefox_open_profile(struct firefox *firefox, double *scale)
{
    bool tracing = strcmp(firefox->weight_type, "tracing-ms") == 0, bytes = strcmp(firefox->weight_type, "bytes") == 0;
    bool timed = firefox->times.number_count + firefox->deltas.number_count > 0;
    double period_ns = firefox->interval_ms * 1e6;
    bool period = !tracing && !bytes && period_ns >= 1 && period_ns < 1e15;
    const char *unit = tracing ? "ns" : bytes ? "bytes" : "samples";
    *scale = tracing ? 1e6 : 1;
    struct sink_profile profile = {.name = unit,
                                   .unit = unit,
                                   .period_ns = period ? (uint64_t)period_ns : 0,
                                   .unknown = (timed ? 0 : UNKNOWN_TIMES) | (period ? 0 : UNKNOWN_PERIOD)};
    size_t more = 0;
    if (tracing || bytes)
        profile.more[more++] = (struct sink_weight){"samples", "samples"};
    if (firefox->cpu_unit)
        profile.more[more++] = (struct sink_weight){"cpu", firefox->cpu_unit};
    if (more > 0)
        profile.weight = tracing ? "duration" : unit;
    return sink_open_profile(firefox->reading->sink, &profile);
}

/* Milliseconds since the start of the profile as a time. */
static uint64_t firefox_time_ns(const struct firefox *firefox, double ms)
{
    if (ms < 0 || ms > 9e12 || firefox->start_ms < 0 || firefox->start_ms > 9e12)
        return 0;
    double whole = floor(firefox->start_ms);
    return (uint64_t)whole * 1000000 + (uint64_t)llround((ms + firefox->start_ms - whole) * 1e6);
}

/* Existing columns are as long as that of the stacks. */
static void firefox_check_columns(struct firefox *firefox)
{
    const struct spooled *const columns[] = {&firefox->times, &firefox->deltas, &firefox->weights, &firefox->cpus};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (columns[i]->number_count > 0 && columns[i]->number_count != firefox->stacks.number_count)
            reading_report_bad(firefox->reading, "thread '%s': %" PRIu64 " samples, but %" PRIu64 " times or weights",
                               firefox->name, firefox->stacks.number_count, columns[i]->number_count);
}

/* The further weights of a sample, in the order of firefox_open_profile(). */
static void firefox_set_more_weights(struct firefox *firefox, double weight, struct sink_sample *sample)
{
    struct spooled_number cpu = {0};
    size_t more = 0;
    if (strcmp(firefox->weight_type, "tracing-ms") == 0 || strcmp(firefox->weight_type, "bytes") == 0)
        sample->more[more++] = (uint64_t)(int64_t)(weight < 0 ? -1 : 1);
    bool known = spooled_next_number(&firefox->cpus, &cpu) && cpu.real > 0 && cpu.real * firefox->cpu_scale < 9e15;
    if (firefox->cpu_unit)
        sample->more[more] = known ? (uint64_t)llround(cpu.real * firefox->cpu_scale) : 0;
}

static bool firefox_end_thread(struct firefox *firefox)
{
    double scale, at_ms = 0;
    struct sink *sink = firefox->reading->sink;
    struct spooled_number stack, number;
    if (firefox->stacks.number_count == 0)
        return true;
    struct sink_sample sample = {.profile = firefox_open_profile(firefox, &scale),
                                 .thread = sink_add_thread(sink, firefox->tid, firefox->name)};
    firefox_check_columns(firefox);
    if (!spooled_rewind(&firefox->stacks) || !spooled_rewind(&firefox->times) || !spooled_rewind(&firefox->deltas) ||
        !spooled_rewind(&firefox->weights) || !spooled_rewind(&firefox->cpus))
        return false;
    struct net net = {0};
    bool good = true;
    while (good && !sink_has_failed(sink) && spooled_next_number(&firefox->stacks, &stack)) {
        double weight = 1;
        if (spooled_next_number(&firefox->times, &number))
            at_ms = number.real;
        else if (spooled_next_number(&firefox->deltas, &number))
            at_ms += number.real;
        if (spooled_next_number(&firefox->weights, &number))
            weight = number.real;
        bool timed = firefox->times.number_count + firefox->deltas.number_count > 0;
        sample.time_ns = timed && !isnan(at_ms) ? firefox_time_ns(firefox, at_ms) : 0;
        if (fabs(weight * scale) > 9e15) {
            reading_report_bad(firefox->reading, "thread '%s': a sample of weight %g", firefox->name, weight);
            continue;
        }
        sample.weight = (uint64_t)llround(weight * scale);
        firefox_set_more_weights(firefox, weight, &sample);
        if (isnan(at_ms)) { /* after infinite times between samples, of both signs */
            reading_report_bad(firefox->reading, "thread '%s': the time of a sample is not a number", firefox->name);
            continue;
        }
        good = firefox_push_stack(firefox, stack.integer < 0 ? NONE : stack.integer);
        sample.frames = firefox->stack.frames;
        sample.depth = firefox->stack.depth;
        if (good && firefox->weights.negative)
            good = net_add_sample(&net, &sample, llround(weight * scale));
        else if (good)
            sink_add_sample(sink, &sample);
    }
    if (firefox->weights.negative)
        net_pass_sums(&net, firefox->reading, firefox->name);
    net_free(&net);
    if (!good)
        return false;
    spooled_free(&firefox->stacks); /* it is done */
    return true;
}

static bool firefox_leave(void *user, int state)
{
    return state != THREAD || firefox_end_thread(user);
}

static int read_firefox(struct reading *reading, struct error_text *message)
{
    static const struct json_format format = {
        .on_enter = firefox_enter, .on_value = firefox_value, .on_leave = firefox_leave};
    struct firefox firefox = {.reading = reading};
    struct error_text second = {""};
    sink_set_origin(reading->sink, "firefox", NULL, NULL);
    int status = json_parse_stream(reading->source, &format, &firefox, message);
    firefox.second = true;
    if (source_rewind(reading->source) && json_parse_stream(reading->source, &format, &firefox, &second) != STATUS_GOOD)
        firefox_end_thread(&firefox); /* the one that was cut */
    firefox_begin_thread(&firefox);   /* frees a thread's data */
    firefox_free_tables(&firefox.shared);
    stack_free(&firefox.stack);
    return status;
}

static bool firefox_recognize(const unsigned char *head, size_t length)
{
    return json_recognize(head, length) &&
           (memmem(head, length, "\"preprocessedProfileVersion\"", 28) ||
            (memmem(head, length, "\"threads\"", 9) && memmem(head, length, "\"stackTable\"", 12)));
}

const struct profile_format format_firefox = {"firefox", firefox_recognize, read_firefox};

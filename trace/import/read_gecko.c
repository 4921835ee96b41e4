/*
 * The raw profile of Firefox, as the browser gives it to the Firefox Profiler (getProfileDataAsGzippedArrayBuffer(),
 * MOZ_PROFILER_SHUTDOWN, perf script's gecko.py), also inside what older developer tools saved: {"label", …, "profile":
 * {…}}. Source: firefox-devtools/profiler, docs-developer/gecko-profile-format.md and src/types/gecko-profile.ts;
 * mozilla-central, tools/profiler/core/ProfileBufferEntry.h.
 *
 * A table is a list of rows, whose columns its schema numbers; tables belong to a thread. A profile may contain those
 * of other processes. The file is read twice: first what describes processes, which may come after threads, then
 * threads.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "trace/import/json.h"
#include "trace/import/reading.h"
#include "trace/import/spooled.h"
#include "trace/import/stack.h"
#include "trace/import/texts.h"
#include "base/grow.h"

enum state {
    ROOT = JSON_ROOT,
    PROFILE,
    META,
    PROCESSES,
    THREADS,
    THREAD,
    STRINGS,
    TABLES, /* TABLES + table; likewise below */
    SCHEMAS = TABLES + 3,
    ROWS = SCHEMAS + 3,
    ROW = ROWS + 3
};
enum table { SAMPLES, STACKS, FRAMES, TABLE_COUNT };

/* The columns that are wanted, two of each table; where they are unless the schema says otherwise. */
static const struct {
    const char *table, *columns[2];
    int positions[2];
} wanted[TABLE_COUNT] = {{"samples", {"stack", "time"}, {0, 1}},
                         {"stackTable", {"prefix", "frame"}, {0, 1}},
                         {"frameTable", {"location", "line"}, {0, 3}}};

static const int64_t NONE = -1;

struct pair {
    int64_t cells[2];
};

struct rows {
    struct pair *items;
    size_t count, capacity;
};

struct process {
    uint32_t around; /* the process whose profile contains this one */
    double start_ms, interval_ms;
};

struct gecko {
    struct reading *reading;
    bool second;
    struct process *processes;
    uint32_t process_count, process;
    size_t process_capacity;
    /* The current thread. */
    char name[256];
    uint64_t tid;
    int positions[TABLE_COUNT][2];
    struct texts strings;
    struct rows rows[TABLE_COUNT]; /* of samples only the current one */
    struct spooled stacks, times;
    double cells[2]; /* of the current row; NAN: null */
    uint32_t *frames;
    size_t frame_capacity;
    struct stack stack;
};

/* ------------------------------------------------------------------------------------------ reading -- */

static bool gecko_begin_process(struct gecko *gecko)
{
    struct process *processes =
        grow(gecko->processes, &gecko->process_capacity, gecko->process_count, sizeof *processes);
    if (!processes)
        return false;
    gecko->processes = processes;
    if (!gecko->second)
        processes[gecko->process_count] = (struct process){.around = gecko->process};
    gecko->process = gecko->process_count++;
    return true;
}

static void gecko_begin_thread(struct gecko *gecko)
{
    texts_free(&gecko->strings);
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        gecko->rows[i].count = 0;
        memcpy(gecko->positions[i], wanted[i].positions, sizeof wanted[i].positions);
    }
    spooled_free(&gecko->stacks);
    spooled_free(&gecko->times);
    free(gecko->frames);
    gecko->frames = NULL;
    gecko->frame_capacity = 0;
    gecko->name[0] = '\0';
    gecko->tid = 0;
}

static int gecko_enter(void *user, int state, const char *key, bool array)
{
    struct gecko *gecko = user;
    (void)array;
    if (state == PROCESSES)
        return gecko_begin_process(gecko) ? PROFILE : JSON_OTHER;
    if (state == THREADS) {
        gecko_begin_thread(gecko);
        return THREAD;
    }
    if (state >= ROWS && state < (int)ROWS + TABLE_COUNT) {
        gecko->cells[0] = gecko->cells[1] = NAN;
        return state - ROWS + ROW;
    }
    if (!key)
        return JSON_OTHER;
    if (state == ROOT || state == PROFILE) {
        if (strcmp(key, "threads") == 0)
            return gecko->second ? THREADS : JSON_OTHER;
        if (strcmp(key, "meta") == 0)
            return gecko->second ? JSON_OTHER : META;
        if (state == ROOT && strcmp(key, "profile") == 0)
            return gecko_begin_process(gecko) ? PROFILE : JSON_OTHER;
        return strcmp(key, "processes") == 0 ? PROCESSES : JSON_OTHER;
    }
    for (int i = 0; state == THREAD && i < TABLE_COUNT; i++)
        if (strcmp(key, wanted[i].table) == 0)
            return TABLES + i;
    if (state == THREAD)
        return strcmp(key, "stringTable") == 0 ? STRINGS : JSON_OTHER;
    if (state >= TABLES && state < (int)TABLES + TABLE_COUNT)
        return strcmp(key, "schema") == 0 ? state - TABLES + SCHEMAS
               : strcmp(key, "data") == 0 ? state - TABLES + ROWS
                                          : JSON_OTHER;
    return JSON_OTHER;
}

static bool gecko_value(void *user, int state, const char *key, uint64_t index, const struct json_value *value)
{
    struct gecko *gecko = user;
    const bool number = value->type == VALUE_NUMBER;
    if (state == STRINGS)
        return texts_add(&gecko->strings, value->type == VALUE_TEXT ? value->text : "",
                         value->type == VALUE_TEXT ? value->length : 0);
    if (state == META && number && strcmp(key, "startTime") == 0)
        gecko->processes[gecko->process].start_ms = value->real;
    else if (state == META && number && strcmp(key, "interval") == 0)
        gecko->processes[gecko->process].interval_ms = value->real;
    else if (state == THREAD && strcmp(key, "name") == 0 && value->type == VALUE_TEXT)
        snprintf(gecko->name, sizeof gecko->name, "%s", value->text);
    else if (state == THREAD && strcmp(key, "tid") == 0 && (number || value->type == VALUE_TEXT))
        gecko->tid = strtoull(value->text, NULL, 10);
    else if (state >= SCHEMAS && state < (int)SCHEMAS + TABLE_COUNT && number)
        for (int i = 0; i < 2; i++)
            gecko->positions[state - SCHEMAS][i] = strcmp(key, wanted[state - SCHEMAS].columns[i]) == 0
                                                       ? (int)value->integer
                                                       : gecko->positions[state - SCHEMAS][i];
    else if (state >= ROW && state < (int)ROW + TABLE_COUNT && number)
        for (int i = 0; i < 2; i++)
            if (gecko->positions[state - ROW][i] >= 0 && (uint64_t)gecko->positions[state - ROW][i] == index)
                gecko->cells[i] = value->real;
    return true;
}

/* ------------------------------------------------------------------------------------------ stacks -- */

static int64_t gecko_whole_number(double cell)
{
    return cell >= 0 && cell < 1e15 ? (int64_t)cell : NONE;
}

static int64_t gecko_cell(const struct rows *rows, int64_t row, int column)
{
    return row >= 0 && (uint64_t)row < rows->count ? rows->items[row].cells[column] : NONE;
}

static uint32_t gecko_make_frame(struct gecko *gecko, int64_t row)
{
    int64_t location = gecko_cell(&gecko->rows[FRAMES], row, 0), line = gecko_cell(&gecko->rows[FRAMES], row, 1);
    char *text = strdup(location >= 0 ? texts_get(&gecko->strings, (uint64_t)location) : "");
    struct sink_frame frame = {.method = "[unknown]", .position = -1};
    if (!text)
        return 0;
    if (*text) {
        /* "name (file:line:column)" of JavaScript; anything else is a name. In "loader -> file" the file is what
         * was loaded. */
        size_t length = strlen(text);
        char *file = length > 0 && text[length - 1] == ')' ? strstr(text, " (") : NULL;
        for (char *next = file; next && (next = strstr(next + 2, " (")) && !strstr(file + 2, "://");)
            file = next;
        frame.method = text;
        if (file && strchr(file, ':')) {
            text[length - 1] = *file = '\0';
            file += 2;
            for (char *arrow; (arrow = strstr(file, " -> "));)
                file = arrow + 4;
            frame.file = file;
            uint64_t numbers[2] = {0, 0};
            for (size_t count = 0; count < 2; count++) { /* from the end */
                char *colon = strrchr(file, ':');
                if (!colon || colon[1] == '\0' || strspn(colon + 1, "0123456789") != strlen(colon + 1))
                    break;
                numbers[1] = numbers[0];
                numbers[0] = strtoull(colon + 1, NULL, 10);
                *colon = '\0';
            }
            frame.line = numbers[0];
        }
    } else
        reading_report_bad(gecko->reading, "thread '%s': frame %" PRId64 " is used but has no name", gecko->name, row);
    if (frame.file && line > 0 && !frame.line)
        frame.line = (uint64_t)line;
    uint32_t id = sink_add_frame(gecko->reading->sink, &frame);
    free(text);
    return id;
}

/* A caller comes before its callees. False without memory. */
static bool gecko_push_stack(struct gecko *gecko, int64_t stack)
{
    const struct rows *stacks = &gecko->rows[STACKS];
    gecko->stack.depth = 0;
    if (stack != NONE && (uint64_t)stack >= stacks->count) {
        reading_report_bad(gecko->reading, "thread '%s': stack %" PRId64 " was sampled but is not defined", gecko->name,
                           stack);
        return true;
    }
    while (stack != NONE) {
        int64_t row = gecko_cell(stacks, stack, 1), prefix = gecko_cell(stacks, stack, 0);
        uint32_t frame = 0;
        if (row < 0 || (uint64_t)row >= gecko->rows[FRAMES].count) {
            frame = gecko_make_frame(gecko, NONE);
        } else {
            uint32_t *frames = grow(gecko->frames, &gecko->frame_capacity, (size_t)row, sizeof *frames);
            gecko->frames = frames ? frames : gecko->frames;
            if (frames && !frames[row])
                frames[row] = gecko_make_frame(gecko, row);
            frame = frames ? frames[row] : 0;
        }
        if (!frame || !stack_push(&gecko->stack, frame))
            return false;
        if (prefix >= stack)
            reading_report_bad(gecko->reading, "thread '%s': stack %" PRId64 " comes before its caller", gecko->name,
                               stack);
        stack = prefix < stack ? prefix : NONE;
    }
    return true;
}

/* ------------------------------------------------------------------------------------------ samples -- */

static bool gecko_end_thread(struct gecko *gecko)
{
    struct sink *sink = gecko->reading->sink;
    struct spooled_number stack, time;
    const double period_ns = gecko->processes[gecko->process].interval_ms * 1e6;
    const double start_ms = gecko->processes[gecko->process].start_ms, second = floor(start_ms);
    bool period = period_ns >= 1 && period_ns < 1e15;
    if (gecko->stacks.number_count == 0)
        return true;
    if (!spooled_rewind(&gecko->stacks) || !spooled_rewind(&gecko->times))
        return false;
    struct sink_sample sample = {
        .profile = sink_open_profile(sink, &(struct sink_profile){.name = "samples",
                                                                  .unit = "samples",
                                                                  .period_ns = period ? (uint64_t)period_ns : 0,
                                                                  .unknown = period ? 0 : UNKNOWN_PERIOD}),
        .thread = sink_add_thread(sink, gecko->tid, gecko->name),
        .weight = 1};
    while (!sink_has_failed(sink) && spooled_next_number(&gecko->stacks, &stack) &&
           spooled_next_number(&gecko->times, &time)) {
        const double ms = time.real;
        const bool known = ms >= 0 && ms <= 9e12 && !(start_ms < 0 || start_ms > 9e12);
        sample.time_ns = known ? (uint64_t)second * 1000000 + (uint64_t)llround((ms + start_ms - second) * 1e6) : 0;
        if (!gecko_push_stack(gecko, stack.integer))
            return false;
        sample.frames = gecko->stack.frames;
        sample.depth = gecko->stack.depth;
        sink_add_sample(sink, &sample);
    }
    spooled_free(&gecko->stacks);
    return true;
}

static bool gecko_leave(void *user, int state)
{
    struct gecko *gecko = user;
    if (state >= ROW && state < ROW + TABLE_COUNT) {
        enum table table = (enum table)(state - ROW);
        struct rows *rows = &gecko->rows[table];
        if (table == SAMPLES)
            return spooled_add_number(&gecko->stacks,
                                      (struct spooled_number){gecko_whole_number(gecko->cells[0]), 0, true}) &&
                   spooled_add_number(&gecko->times, (struct spooled_number){0, gecko->cells[1], false});
        struct pair *items = grow_unset(rows->items, &rows->capacity, rows->count, sizeof *items);
        if (!items)
            return false;
        rows->items = items;
        items[rows->count++] =
            (struct pair){{gecko_whole_number(gecko->cells[0]), gecko_whole_number(gecko->cells[1])}};
        return true;
    }
    if (state == PROFILE)
        gecko->process = gecko->processes[gecko->process].around;
    return state != THREAD || gecko_end_thread(gecko);
}

static int gecko_read_pass(struct gecko *gecko, struct error_text *message)
{
    static const struct json_format format = {
        .on_enter = gecko_enter, .on_value = gecko_value, .on_leave = gecko_leave};
    gecko->process = gecko->process_count = 0;
    return gecko_begin_process(gecko) ? json_parse_stream(gecko->reading->source, &format, gecko, message)
                                      : error_set(message, STATUS_BAD, "out of memory");
}

static int read_gecko(struct reading *reading, struct error_text *message)
{
    struct gecko gecko = {.reading = reading};
    struct error_text again = {""};
    sink_set_origin(reading->sink, "firefox", NULL, NULL);
    int status = gecko_read_pass(&gecko, message);
    gecko.second = true;
    if (source_rewind(reading->source) && gecko_read_pass(&gecko, &again) != STATUS_GOOD)
        gecko_end_thread(&gecko); /* the one that was cut */
    gecko_begin_thread(&gecko);   /* frees the last one */
    for (size_t i = 0; i < TABLE_COUNT; i++)
        free(gecko.rows[i].items);
    free(gecko.processes);
    stack_free(&gecko.stack);
    return status;
}

static bool gecko_head_contains(const unsigned char *head, size_t length, const char *text)
{
    return memmem(head, length, text, strlen(text)) != NULL;
}

/* The tables of threads may begin beyond the first bytes. */
static bool gecko_recognize(const unsigned char *head, size_t length)
{
    if (!json_recognize(head, length) || gecko_head_contains(head, length, "\"preprocessedProfileVersion\"") ||
        gecko_head_contains(head, length, "\"traceEvents\""))
        return false;
    return (gecko_head_contains(head, length, "\"stackTable\"") && gecko_head_contains(head, length, "\"schema\"")) ||
           (gecko_head_contains(head, length, "\"libs\"") && gecko_head_contains(head, length, "\"breakpadId\"")) ||
           (gecko_head_contains(head, length, "\"meta\"") && gecko_head_contains(head, length, "\"gcpoison\"")) ||
           (gecko_head_contains(head, length, "\"label\"") && gecko_head_contains(head, length, "\"duration\"") &&
            gecko_head_contains(head, length, "\"markers\"") && gecko_head_contains(head, length, "\"processType\""));
}

const struct profile_format format_gecko = {"gecko", gecko_recognize, read_gecko};

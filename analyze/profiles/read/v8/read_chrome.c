/*
 * Chrome's trace of events: an array of events, or an object with `traceEvents`. Source: Google, "Trace Event Format".
 *
 * Durations (B and E, X) become the time that each is innermost in its thread, in ns; events of a thread must come in
 * the order of their time, otherwise they are left out and reported. An exit ends the innermost event of its name, and
 * those above it end there too; an exit without an open event (its tracer came late, or lost the entry) is left out and
 * counted, and an event that never ends lasts until the last one of its thread. Where uftrace lost events it writes an
 * empty item into the list: each is a loss of the thread of the preceding event. `samples` with `stackFrames` are
 * samples, as `assay export --to chrome` writes them: frames must come before the samples.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analyze/profiles/read/json.h"
#include "analyze/profiles/read/reading.h"
#include "analyze/profiles/read/stack.h"
#include "analyze/profiles/read/v8/v8_events.h"
#include "base/grow.h"
#include "base/text_set.h"

enum state { ROOT = JSON_ROOT, EVENTS, EVENT, FRAMES, FRAME, SAMPLES, SAMPLE, OTHER_DATA };

struct open_event {
    uint32_t frame;
    double end_us;  /* of X; INFINITY of B */
    double last_us; /* its own time is attributed up to here */
};
struct thread {
    struct open_event *open;
    size_t room, depth;
    double last_us;
    uint32_t sink_thread;
};
struct stack_frame {
    uint32_t frame, parent; /* parent: place */
};

struct chrome {
    struct reading *reading;
    struct text_set keys; /* of threads: "PID/TID" */
    struct thread *threads;
    size_t thread_room;
    struct text_set frame_keys;
    struct stack_frame *frames;
    size_t frame_room;
    struct stack stack;
    struct v8_events v8;
    uint64_t no_entry, no_exit, never_ended; /* events */
    uint64_t gaps, early_gaps;               /* empty items; those of them before the first thread */
    /* the current state */
    char phase, name[2048], id[64], arg_name[256], pid[64], tid[64], sf[64], parent[64], unit[64], frame_key[64];
    double ts_us, duration_us;
    uint64_t weight;
    bool has_time;
    bool full;
};

static void clear(struct chrome *chrome)
{
    chrome->phase = chrome->name[0] = chrome->sf[0] = chrome->parent[0] = '\0';
    chrome->pid[0] = chrome->tid[0] = chrome->id[0] = chrome->arg_name[0] = '\0';
    chrome->ts_us = chrome->duration_us = 0;
    chrome->weight = 1;
    chrome->has_time = false;
}

static int enter(void *user, int state, const char *key, bool array)
{
    static const struct {
        int around;
        const char *key;
        int inside;
    } rules[] = {{ROOT, "traceEvents", EVENTS},
                 {ROOT, "stackFrames", FRAMES},
                 {ROOT, "samples", SAMPLES},
                 {ROOT, "otherData", OTHER_DATA}};
    struct chrome *chrome = user;
    if (state >= V8_NODES)
        return v8_events_enter(&chrome->v8, state, key);
    if (state == EVENT && key && strcmp(key, "args") == 0)
        return V8_ARGS;
    if (state == ROOT && !key)
        return array ? EVENTS : JSON_OTHER;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].around == state && strcmp(rules[i].key, key) == 0)
            return rules[i].inside;
    if (state == EVENTS || state == SAMPLES || state == FRAMES) {
        clear(chrome);
        if (state == FRAMES)
            snprintf(chrome->frame_key, sizeof chrome->frame_key, "%s", key ? key : "");
        return state == EVENTS ? EVENT : state == SAMPLES ? SAMPLE : FRAME;
    }
    return JSON_OTHER;
}

static void keep(char *out, size_t size, const struct json_value *value)
{
    if (value->type == VALUE_TEXT || value->type == VALUE_NUMBER)
        snprintf(out, size, "%s", value->text);
}

static bool value(void *user, int state, const char *key, uint64_t index, const struct json_value *value)
{
    struct chrome *chrome = user;
    struct {
        const char *key;
        char *out;
        size_t size;
    } texts[] = {{"name", chrome->name, sizeof chrome->name}, {"pid", chrome->pid, sizeof chrome->pid},
                 {"tid", chrome->tid, sizeof chrome->tid},    {"id", chrome->id, sizeof chrome->id},
                 {"sf", chrome->sf, sizeof chrome->sf},       {"parent", chrome->parent, sizeof chrome->parent}};
    (void)index;
    if (state == V8_ARGS && strcmp(key, "name") == 0)
        keep(chrome->arg_name, sizeof chrome->arg_name, value);
    if (state >= V8_NODES)
        return v8_events_value(&chrome->v8, state, key, value);
    if (state == OTHER_DATA && strcmp(key, "unit") == 0)
        keep(chrome->unit, sizeof chrome->unit, value);
    if (state != EVENT && state != SAMPLE && state != FRAME)
        return true;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(texts[i].key, key) == 0)
            keep(texts[i].out, texts[i].size, value);
    if (strcmp(key, "ph") == 0 && value->type == VALUE_TEXT)
        chrome->phase = value->text[0];
    else if (strcmp(key, "ts") == 0) {
        chrome->ts_us = value->type == VALUE_TEXT ? strtod(value->text, NULL) : value->real;
        chrome->has_time = true;
    } else if (strcmp(key, "dur") == 0)
        chrome->duration_us = value->real;
    else if (strcmp(key, "weight") == 0 && value->whole && value->integer >= 0)
        chrome->weight = (uint64_t)value->integer;
    return true;
}

static uint32_t frame_of(const struct chrome *chrome)
{
    return sink_frame(chrome->reading->sink,
                      &(struct sink_frame){.method = *chrome->name ? chrome->name : "[unknown]", .position = -1});
}

/* ------------------------------------------------------------------------------------------ durations -- */

static struct thread *thread_of(struct chrome *chrome)
{
    char key[160];
    snprintf(key, sizeof key, "%s/%s", chrome->pid, chrome->tid);
    uint32_t id = text_set_add(&chrome->keys, key);
    struct thread *threads = grow(chrome->threads, &chrome->thread_room, id, sizeof *threads);
    if (id == TEXT_SET_FULL || !threads) {
        chrome->full = true;
        return NULL;
    }
    chrome->threads = threads;
    if (!threads[id].sink_thread)
        threads[id].sink_thread = sink_thread(chrome->reading->sink, strtoull(chrome->tid, NULL, 10), "");
    return &threads[id];
}

static unsigned ns_profile(struct chrome *chrome)
{
    return sink_profile(chrome->reading->sink, &(struct sink_profile){"events", "ns", 0, UNKNOWN_PERIOD});
}

static void lose(struct chrome *chrome, const struct thread *thread, uint64_t count)
{
    if (thread && count > 0)
        sink_lost(chrome->reading->sink, ns_profile(chrome), thread->sink_thread, count);
}

/* The number of events that an empty item represents is unknown, and so is the thread: that of the preceding event is
 * used. */
static void gap(void *user)
{
    struct chrome *chrome = user;
    chrome->gaps++;
    if (*chrome->pid || *chrome->tid)
        lose(chrome, thread_of(chrome), 1);
    else
        chrome->early_gaps++;
}

/* The innermost open event gets the time up to `until`. */
static void give_time(struct chrome *chrome, struct thread *thread, double until_us)
{
    struct open_event *top = &thread->open[thread->depth - 1];
    double ns = (until_us - top->last_us) * 1e3;
    if (ns >= 0.5 && ns < 9e18) {
        chrome->stack.depth = 0;
        for (size_t i = thread->depth; i-- > 0;)
            chrome->full |= !stack_push(&chrome->stack, thread->open[i].frame);
        sink_sample(chrome->reading->sink, &(struct sink_sample){.profile = ns_profile(chrome),
                                                                 .thread = thread->sink_thread,
                                                                 .time_ns = top->last_us > 0 && top->last_us < 9e15
                                                                                ? (uint64_t)(top->last_us * 1e3)
                                                                                : 0,
                                                                 .weight = (uint64_t)llround(ns),
                                                                 .frames = chrome->stack.frames,
                                                                 .depth = chrome->stack.depth});
    }
    top->last_us = until_us;
}

static void close_top(struct chrome *chrome, struct thread *thread, double at_us)
{
    give_time(chrome, thread, at_us);
    if (--thread->depth > 0)
        thread->open[thread->depth - 1].last_us = at_us;
}

/* Events X that have ended by now. */
static void close_ended(struct chrome *chrome, struct thread *thread, double at_us)
{
    while (thread->depth > 0 && thread->open[thread->depth - 1].end_us <= at_us)
        close_top(chrome, thread, thread->open[thread->depth - 1].end_us);
}

static void open_event(struct chrome *chrome, struct thread *thread, double end_us)
{
    if (thread->depth > 0) {
        struct open_event *around = &thread->open[thread->depth - 1];
        give_time(chrome, thread, chrome->ts_us);
        if (end_us > around->end_us)
            end_us = around->end_us; /* rounding of times */
    }
    struct open_event *open = grow(thread->open, &thread->room, thread->depth, sizeof *open);
    if (!open) {
        chrome->full = true;
        return;
    }
    thread->open = open;
    open[thread->depth++] = (struct open_event){frame_of(chrome), end_us, chrome->ts_us};
}

/* An exit: of the innermost event of its name, or if it has none, of the innermost without a length of its own. */
static void close_event(struct chrome *chrome, struct thread *thread)
{
    size_t at = thread->depth;
    uint32_t frame = *chrome->name ? frame_of(chrome) : 0;
    while (at > 0 && (!isinf(thread->open[at - 1].end_us) || (frame && thread->open[at - 1].frame != frame)))
        at--;
    if (at == 0) {
        chrome->no_entry++;
        return;
    }
    while (thread->depth >= at) {
        chrome->no_exit += thread->depth > at && isinf(thread->open[thread->depth - 1].end_us);
        close_top(chrome, thread, chrome->ts_us);
    }
}

static bool end_duration(struct chrome *chrome)
{
    struct thread *thread = thread_of(chrome);
    if (!thread)
        return false;
    if (!chrome->has_time || chrome->ts_us < thread->last_us) {
        reading_bad(chrome->reading,
                    "byte %" PRIu64
                    ": event '%.60s' at %g us, after one at %g us of the same thread; sort events by ts",
                    source_at(chrome->reading->source), chrome->name, chrome->ts_us, thread->last_us);
        return true;
    }
    thread->last_us = chrome->ts_us;
    close_ended(chrome, thread, chrome->ts_us);
    if (chrome->phase == 'E')
        close_event(chrome, thread);
    else
        open_event(chrome, thread, chrome->phase == 'B' ? INFINITY : chrome->ts_us + chrome->duration_us);
    return !chrome->full;
}

static bool end_event(struct chrome *chrome)
{
    if (chrome->phase == 'M' && strcmp(chrome->name, "thread_name") == 0)
        sink_thread(chrome->reading->sink, strtoull(chrome->tid, NULL, 10), chrome->arg_name);
    bool duration = chrome->phase == 'B' || chrome->phase == 'E' || chrome->phase == 'X';
    const struct v8_event event = {
        .name = chrome->name, .pid = chrome->pid, .tid = chrome->tid, .id = chrome->id, .ts_us = chrome->ts_us};
    return v8_events_end(&chrome->v8, &event) && (!duration || end_duration(chrome));
}

/* Events that are still open: X ends at its own time; B was never ended. */
static void close_all(struct chrome *chrome)
{
    for (uint32_t i = 0; i < chrome->keys.count && i < chrome->thread_room; i++) {
        struct thread *thread = &chrome->threads[i];
        while (thread->depth > 0) {
            double end = thread->open[thread->depth - 1].end_us;
            chrome->never_ended += isinf(end) != 0;
            close_top(chrome, thread, isinf(end) ? thread->last_us : end);
        }
        free(thread->open);
    }
}

/* ------------------------------------------------------------------------------------------ samples -- */

static uint32_t frame_place(struct chrome *chrome, const char *key)
{
    uint32_t id = text_set_add(&chrome->frame_keys, key);
    struct stack_frame *frames = grow(chrome->frames, &chrome->frame_room, id + 1, sizeof *frames);
    if (id == TEXT_SET_FULL || !frames) {
        chrome->full = true;
        return 0;
    }
    chrome->frames = frames;
    return id + 1;
}

static bool end_frame(struct chrome *chrome)
{
    uint32_t place = frame_place(chrome, chrome->frame_key);
    uint32_t parent = *chrome->parent ? frame_place(chrome, chrome->parent) : 0;
    if (chrome->full)
        return false;
    chrome->frames[place] = (struct stack_frame){frame_of(chrome), parent};
    return true;
}

static bool end_sample(struct chrome *chrome)
{
    struct sink *sink = chrome->reading->sink;
    chrome->stack.depth = 0;
    uint32_t place = frame_place(chrome, chrome->sf);
    if (!place || !chrome->frames[place].frame)
        reading_bad(chrome->reading, "byte %" PRIu64 ": stack frame '%s' is not defined before it is used",
                    source_at(chrome->reading->source), chrome->sf);
    for (uint32_t at = place, steps = 0; at && chrome->frames[at].frame && steps++ < chrome->frame_keys.count;
         at = chrome->frames[at].parent)
        chrome->full |= !stack_push(&chrome->stack, chrome->frames[at].frame);
    const char *unit = *chrome->unit ? chrome->unit : "samples";
    sink_sample(sink,
                &(struct sink_sample){
                    .profile = sink_profile(sink, &(struct sink_profile){*chrome->name ? chrome->name : "samples", unit,
                                                                         0, UNKNOWN_PERIOD}),
                    .thread = sink_thread(sink, strtoull(chrome->tid, NULL, 10), ""),
                    .time_ns = chrome->ts_us > 0 && chrome->ts_us < 9e15 ? (uint64_t)llround(chrome->ts_us * 1e3) : 0,
                    .weight = chrome->weight,
                    .frames = chrome->stack.frames,
                    .depth = chrome->stack.depth});
    return !chrome->full;
}

static bool leave(void *user, int state)
{
    struct chrome *chrome = user;
    return state >= V8_NODES ? v8_events_leave(&chrome->v8, state)
           : state == EVENT  ? end_event(chrome)
           : state == FRAME  ? end_frame(chrome)
           : state == SAMPLE ? end_sample(chrome)
                             : true;
}

/* Events without an entry or exit, in one note. */
static void tell(const struct chrome *chrome)
{
    const struct {
        uint64_t count;
        const char *text;
    } parts[] = {{chrome->gaps, "empty items, where the recorder lost an unknown number of events"},
                 {chrome->no_entry, "exits without an entry, left out"},
                 {chrome->no_exit, "events without an exit, ended with the one around them"},
                 {chrome->never_ended, "events that never end, taken to last until the last event of their thread"},
                 {chrome->v8.unbegun,
                  "samples of CPU profiles whose beginning is missing, so that their times and threads are unknown"}};
    char *out = chrome->reading->note.text;
    size_t used = 0, size = sizeof chrome->reading->note.text;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].count > 0 && used < size)
            used += (size_t)snprintf(out + used, size - used, "%s%" PRIu64 " %s", used ? "; " : "", parts[i].count,
                                     parts[i].text);
}

static int read_chrome(struct reading *reading, struct complaint *complaint)
{
    static const struct json_format format = {.enter = enter, .value = value, .leave = leave, .gap = gap};
    struct chrome chrome = {.reading = reading, .v8 = {.reading = reading}};
    sink_origin(reading->sink, "chrome", NULL, NULL);
    int status = json_stream(reading->source, &format, &chrome, complaint);
    lose(&chrome, chrome.keys.count > 0 ? &chrome.threads[0] : NULL, chrome.early_gaps);
    close_all(&chrome);
    if (!v8_events_finish(&chrome.v8) && status == STATUS_GOOD)
        status = complain(complaint, STATUS_BAD, "out of memory, or no room for temporary files");
    tell(&chrome);
    v8_events_free(&chrome.v8);
    text_set_free(&chrome.keys);
    text_set_free(&chrome.frame_keys);
    stack_free(&chrome.stack);
    free(chrome.threads);
    free(chrome.frames);
    return status;
}

static bool looks(const unsigned char *head, size_t length)
{
    return json_looks(head, length) &&
           (memmem(head, length, "\"traceEvents\"", 13) || memmem(head, length, "\"ph\"", 4));
}

const struct profile_format format_chrome = {"chrome", looks, read_chrome};

/*
 * Chrome's trace of events: an array of events, or an object with `traceEvents`. Source: Google, "Trace Event Format".
 *
 * Durations (B and E, X), in any order, become the time that each is innermost in its thread, in ns (durations.h). An
 * exit ends the innermost event of its name, and those above it end there too; an exit without an open event (its
 * tracer came late, or lost the entry) is left out and counted, and an event that never ends lasts until the last one
 * of its thread. Asynchronous events have no stacks, and are counted. Where uftrace lost events it writes an empty item
 * into the list: each is a loss of the thread of the preceding event. `samples` with `stackFrames` are samples, as
 * `assay export --to chrome` writes them: frames must come before the samples.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "trace/import/json.h"
#include "trace/import/reading.h"
#include "trace/import/stack.h"
#include "trace/import/v8/durations.h"
#include "trace/import/v8/v8_events.h"
#include "base/grow.h"
#include "base/text_set.h"

enum state { ROOT = JSON_ROOT, EVENTS, EVENT, FRAMES, FRAME, SAMPLES, SAMPLE, OTHER_DATA };

struct stack_frame {
    uint32_t frame, parent; /* parent: place */
};

/* A sample whose frames come later. */
struct early_sample {
    uint32_t index;
    struct sink_sample sample;
};

struct chrome {
    struct reading *reading;
    struct durations durations;
    struct text_set frame_keys;
    struct stack_frame *frames;
    size_t frame_capacity;
    FILE *early;
    struct stack stack;
    struct v8_events v8;
    bool unended;              /* its list has no end */
    uint64_t asynchronous;     /* events */
    uint64_t gaps, early_gaps; /* empty items; those of them before the first thread */
    /* the current state */
    char phase, name[2048], id[64], arg_name[256], pid[64], tid[64], sf[64], parent[64], unit[64], frame_key[64];
    double ts_us, duration_us, thread_us; /* NAN: none */
    uint64_t weight;
    bool has_time;
    bool full;
};

static int chrome_enter(void *user, int state, const char *key, bool array)
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
        chrome->phase = chrome->name[0] = chrome->sf[0] = chrome->parent[0] = '\0';
        chrome->pid[0] = chrome->tid[0] = chrome->id[0] = chrome->arg_name[0] = '\0';
        chrome->ts_us = 0;
        chrome->duration_us = chrome->thread_us = NAN;
        chrome->weight = 1;
        chrome->has_time = false;
        if (state == FRAMES)
            snprintf(chrome->frame_key, sizeof chrome->frame_key, "%s", key ? key : "");
        return state == EVENTS ? EVENT : state == SAMPLES ? SAMPLE : FRAME;
    }
    return JSON_OTHER;
}

static void chrome_copy_text(char *out, size_t size, const struct json_value *value)
{
    if (value->type == VALUE_TEXT || value->type == VALUE_NUMBER)
        snprintf(out, size, "%s", value->text);
}

static bool chrome_value(void *user, int state, const char *key, uint64_t index, const struct json_value *value)
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
        chrome_copy_text(chrome->arg_name, sizeof chrome->arg_name, value);
    if (state >= V8_NODES)
        return v8_events_value(&chrome->v8, state, key, value);
    if (state == OTHER_DATA && strcmp(key, "unit") == 0)
        chrome_copy_text(chrome->unit, sizeof chrome->unit, value);
    if (state != EVENT && state != SAMPLE && state != FRAME)
        return true;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(texts[i].key, key) == 0)
            chrome_copy_text(texts[i].out, texts[i].size, value);
    if (strcmp(key, "ph") == 0 && value->type == VALUE_TEXT)
        chrome->phase = value->text[0];
    else if (strcmp(key, "ts") == 0) {
        chrome->ts_us = value->type == VALUE_TEXT ? strtod(value->text, NULL) : value->real;
        chrome->has_time = true;
    } else if (strcmp(key, "dur") == 0)
        chrome->duration_us = value->real;
    else if (strcmp(key, "tdur") == 0)
        chrome->thread_us = value->real;
    else if (strcmp(key, "weight") == 0 && value->whole && value->integer >= 0)
        chrome->weight = (uint64_t)value->integer;
    return true;
}

static uint32_t chrome_make_frame(const struct chrome *chrome)
{
    return sink_add_frame(chrome->reading->sink,
                          &(struct sink_frame){.method = *chrome->name ? chrome->name : "[unknown]", .position = -1});
}

/* ------------------------------------------------------------------------------------------ durations -- */

/* The number of events that an empty item represents is unknown, and so is the thread: that of the preceding event is
 * used. */
static void chrome_on_gap(void *user)
{
    struct chrome *chrome = user;
    uint32_t thread;
    chrome->gaps++;
    if (!*chrome->pid && !*chrome->tid)
        chrome->early_gaps++;
    else if (durations_add_thread(&chrome->durations, chrome->pid, chrome->tid, &thread))
        durations_add_lost(&chrome->durations, thread, 1);
    else
        chrome->full = true;
}

/* Tools append events as they come, so a list without an end is right. */
static void chrome_on_unended(void *user)
{
    ((struct chrome *)user)->unended = true;
}

static bool chrome_end_event(struct chrome *chrome)
{
    if (chrome->phase == 'M' && strcmp(chrome->name, "thread_name") == 0)
        sink_add_thread(chrome->reading->sink, strtoull(chrome->tid, NULL, 10), chrome->arg_name);
    chrome->asynchronous += chrome->phase == 'b' || chrome->phase == 'S';
    const struct v8_event of_v8 = {
        .name = chrome->name, .pid = chrome->pid, .tid = chrome->tid, .id = chrome->id, .ts_us = chrome->ts_us};
    if (!v8_events_end_event(&chrome->v8, &of_v8))
        return false;
    if (chrome->phase != 'B' && chrome->phase != 'E' && chrome->phase != 'X')
        return true;

    struct duration event = {.ts_us = chrome->ts_us, .end_us = chrome->ts_us, .phase = chrome->phase};
    if (event.phase == 'X')
        event.end_us += !isnan(chrome->duration_us) ? chrome->duration_us
                        : !isnan(chrome->thread_us) ? chrome->thread_us
                                                    : 0;
    if (!chrome->has_time || !isfinite(event.ts_us) || !(event.end_us >= event.ts_us) || isinf(event.end_us)) {
        reading_report_bad(chrome->reading, "byte %" PRIu64 ": event '%.60s' has no time, or a negative length",
                           source_offset(chrome->reading->source), chrome->name);
        return true;
    }
    event.frame = event.phase != 'E' || *chrome->name ? chrome_make_frame(chrome) : 0;
    return durations_add_thread(&chrome->durations, chrome->pid, chrome->tid, &event.thread) &&
           durations_add(&chrome->durations, &event);
}

/* ------------------------------------------------------------------------------------------ samples -- */

static uint32_t chrome_frame_index(struct chrome *chrome, const char *key)
{
    uint32_t id = text_set_add(&chrome->frame_keys, key);
    struct stack_frame *frames = grow(chrome->frames, &chrome->frame_capacity, id + 1, sizeof *frames);
    if (id == TEXT_SET_FULL || !frames) {
        chrome->full = true;
        return 0;
    }
    chrome->frames = frames;
    return id + 1;
}

static bool chrome_end_frame(struct chrome *chrome)
{
    uint32_t index = chrome_frame_index(chrome, chrome->frame_key);
    uint32_t parent = *chrome->parent ? chrome_frame_index(chrome, chrome->parent) : 0;
    if (chrome->full)
        return false;
    chrome->frames[index] = (struct stack_frame){chrome_make_frame(chrome), parent};
    return true;
}

/* Passes a sample whose innermost frame is at this place. False without memory. */
static bool chrome_pass_sample(struct chrome *chrome, const struct early_sample *early)
{
    struct sink_sample sample = early->sample;
    chrome->stack.depth = 0;
    for (uint32_t at = early->index, steps = 0; at && chrome->frames[at].frame && steps++ < chrome->frame_keys.count;
         at = chrome->frames[at].parent)
        chrome->full |= !stack_push(&chrome->stack, chrome->frames[at].frame);
    sample.frames = chrome->stack.frames;
    sample.depth = chrome->stack.depth;
    sink_add_sample(chrome->reading->sink, &sample);
    return !chrome->full;
}

/* A sample may come before its frame: then it waits. False without memory or capacity. */
static bool chrome_end_sample(struct chrome *chrome)
{
    struct sink *sink = chrome->reading->sink;
    const char *unit = *chrome->unit ? chrome->unit : "samples";
    struct sink_profile profile = {
        .name = *chrome->name ? chrome->name : "samples", .unit = unit, .unknown = UNKNOWN_PERIOD};
    if (strcmp(unit, "samples") != 0) {
        profile.weight = unit;
        profile.more[0] = (struct sink_weight){"samples", "samples"};
    }
    const struct early_sample sample = {
        .index = chrome_frame_index(chrome, chrome->sf),
        .sample = {.profile = sink_open_profile(sink, &profile),
                   .thread = sink_add_thread(sink, strtoull(chrome->tid, NULL, 10), ""),
                   .time_ns = chrome->ts_us > 0 && chrome->ts_us < 9e15 ? (uint64_t)llround(chrome->ts_us * 1e3) : 0,
                   .weight = chrome->weight,
                   .more = {1}}};
    if (!sample.index)
        return false;
    if (chrome->frames[sample.index].frame)
        return chrome_pass_sample(chrome, &sample);
    if (!chrome->early)
        chrome->early = tmpfile();
    return chrome->early && fwrite(&sample, sizeof sample, 1, chrome->early) == 1;
}

/* Passes the samples that came before their frames. False without memory or capacity. */
static bool chrome_pass_early_samples(struct chrome *chrome)
{
    struct early_sample sample;
    bool good = !chrome->early || fseek(chrome->early, 0, SEEK_SET) == 0;
    while (good && chrome->early && fread(&sample, sizeof sample, 1, chrome->early) == 1) {
        if (!chrome->frames[sample.index].frame)
            reading_report_bad(chrome->reading, "stack frame '%s' is not defined",
                               chrome->frame_keys.texts[sample.index - 1]);
        good = chrome_pass_sample(chrome, &sample);
    }
    return good;
}

static bool chrome_leave(void *user, int state)
{
    struct chrome *chrome = user;
    return state >= V8_NODES ? v8_events_leave(&chrome->v8, state)
           : state == EVENT  ? chrome_end_event(chrome)
           : state == FRAME  ? chrome_end_frame(chrome)
           : state == SAMPLE ? chrome_end_sample(chrome)
                             : true;
}

static int read_chrome(struct reading *reading, struct error_text *message)
{
    static const struct json_format format = {.on_enter = chrome_enter,
                                              .on_value = chrome_value,
                                              .on_leave = chrome_leave,
                                              .on_gap = chrome_on_gap,
                                              .on_unended = chrome_on_unended};
    struct chrome chrome = {.reading = reading, .durations = {.reading = reading}, .v8 = {.reading = reading}};
    sink_set_origin(reading->sink, "chrome", NULL, NULL);
    int status = json_parse_stream(reading->source, &format, &chrome, message);
    if (chrome.durations.keys.count > 0)
        durations_add_lost(&chrome.durations, 0, chrome.early_gaps);
    bool good =
        chrome_pass_early_samples(&chrome) && durations_finish(&chrome.durations) && v8_events_finish(&chrome.v8);
    if ((!good || chrome.full) && status == STATUS_GOOD)
        status = error_set(message, STATUS_BAD, "out of memory, or no room for temporary files");
    /* Events without an entry or exit, in one note. */
    const struct {
        uint64_t count;
        const char *text;
    } parts[] = {
        {chrome.gaps, "empty items, where the recorder lost an unknown number of events"},
        {chrome.durations.no_entry, "exits without an entry, left out"},
        {chrome.durations.no_exit, "events without an exit, ended with the one around them"},
        {chrome.durations.overlapping, "events that end after the one around them, ended with it"},
        {chrome.asynchronous, "asynchronous events, left out"},
        {chrome.durations.never_ended, "events that never end, taken to last until the last event of their thread"},
        {chrome.v8.unbegun,
         "samples of CPU profiles whose beginning is missing, so that their times and threads are unknown"}};
    char *out = chrome.reading->note.text;
    size_t used = 0, size = sizeof chrome.reading->note.text;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].count > 0 && used < size)
            used += (size_t)snprintf(out + used, size - used, "%s%" PRIu64 " %s", used ? "; " : "", parts[i].count,
                                     parts[i].text);
    if (chrome.unended)
        error_append(&chrome.reading->note, "its list has no end, so whether it is whole is not known");
    v8_events_free(&chrome.v8);
    durations_free(&chrome.durations);
    text_set_free(&chrome.frame_keys);
    stack_free(&chrome.stack);
    free(chrome.frames);
    if (chrome.early)
        fclose(chrome.early);
    return status;
}

static bool chrome_recognize(const unsigned char *head, size_t length)
{
    return json_recognize(head, length) &&
           (memmem(head, length, "\"traceEvents\"", 13) || memmem(head, length, "\"ph\"", 4));
}

const struct profile_format format_chrome = {"chrome", chrome_recognize, read_chrome};

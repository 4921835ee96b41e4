#include "analyze/intervals/clock_series.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/text.h"

static int clock_series_error(enum stats_status status)
{
    return status == STATS_OK ? 0 : status == STATS_NO_MEMORY ? ENOMEM : EINVAL;
}

void *clock_set_init(const struct analysis_options *options)
{
    struct clock_set *set = calloc(1, sizeof *set);
    if (set)
        set->options = options->own;
    return set;
}

static void clock_series_free(struct clock_series *series)
{
    free(series->trace);
    free(series->thread);
    free(series->clock);
    randomness_free(series->intervals);
}

void clock_set_free(void *state)
{
    struct clock_set *set = state;
    if (!set)
        return;
    for (size_t i = 0; i < set->count; i++)
        clock_series_free(&set->items[i]);
    free(set->items);
    free(set);
}

/* Space for one more series; the caller fills it and counts it. */
static struct clock_series *clock_set_reserve(struct clock_set *set)
{
    struct clock_series *items = grow_unset(set->items, &set->capacity, set->count, sizeof *items);
    if (!items)
        return NULL;
    set->items = items;
    return &set->items[set->count];
}

/* ---------------------------------------------------------------------------------------- threads of a trace -- */

static const struct trace_thread *clock_series_thread(const struct analysis_trace *trace, uint64_t stream)
{
    return &trace->names->threads[stream < trace->names->thread_count ? stream : 0];
}

static const char *clock_series_metadata_text(const struct analysis_trace *trace, const char *key,
                                              const char *otherwise)
{
    const char *text = json_string_value(json_object_get(trace_metadata(trace->trace), key));
    return text ? text : otherwise;
}

static int clock_set_add_series(struct clock_set *set, const struct analysis_trace *trace, uint64_t stream)
{
    const struct trace_thread *thread = clock_series_thread(trace, stream);
    /* In ns; 0: the trace has no period in time, or no cap is wanted. */
    double cap =
        set->options->cap_periods * json_number_value(json_object_get(trace_metadata(trace->trace), "period_ns"));
    bool is_time = strcmp(clock_series_metadata_text(trace, "period_unit", "ns"), "ns") == 0;
    bool is_shared = !*thread->name;
    for (size_t i = 1; i < trace->names->thread_count; i++)
        is_shared |= i != stream && strcmp(trace->names->threads[i].name, thread->name) == 0;

    struct clock_series *series = clock_set_reserve(set);
    if (!series)
        return ENOMEM;
    *series =
        (struct clock_series){.trace = strdup(trace->path),
                              .clock = strdup(*trace->clock ? trace->clock : "unknown"),
                              .stream = stream,
                              .cpu = strcmp(clock_series_metadata_text(trace, "interval_clock", "wall"), "cpu") == 0,
                              .cap_ns = is_time && cap >= 1 && cap < (double)INT64_MAX ? (uint64_t)cap : 0};
    if (!is_shared)
        series->thread = strdup(thread->name);
    else if (asprintf(&series->thread, "%s#%" PRIu64, thread->name, thread->tid) < 0)
        series->thread = NULL;
    int error = clock_series_error(randomness_new(set->options->lags, series->cap_ns, &series->intervals));
    if (error || !series->trace || !series->thread || !series->clock) {
        clock_series_free(series);
        return error ? error : ENOMEM;
    }
    set->count++;
    return 0;
}

/* --------------------------------------------------------------------------------------------- feed and merge -- */

/* The interval between two samples; false, and a gap is counted, if there is none. */
static bool clock_series_interval(struct clock_series *series, struct clock_sample from, struct clock_sample to,
                                  int64_t *interval)
{
    bool unknown = series->cpu && (from.at_ns == 0 || to.at_ns == 0); /* the thread's time could not be read */
    if (unknown || to.expiry != from.expiry + 1 || to.at_ns < from.at_ns || to.at_ns - from.at_ns > INT64_MAX) {
        series->gaps++;
        return false;
    }
    *interval = (int64_t)(to.at_ns - from.at_ns);
    return true;
}

static int clock_series_append(struct clock_series *series, const uint64_t *at_ns, const uint64_t *expiries, size_t n)
{
    int64_t intervals[1024];
    for (size_t i = 0; i < n;) {
        size_t count = 0;
        for (; i < n && count < sizeof intervals / sizeof *intervals; i++) {
            struct clock_sample sample = {at_ns[i], expiries[i]};
            if (series->samples++ == 0)
                series->first = sample;
            else
                count += clock_series_interval(series, series->last, sample, &intervals[count]);
            series->last = sample;
        }
        int error = clock_series_error(randomness_add(series->intervals, intervals, count));
        if (error)
            return error;
    }
    return 0;
}

static bool clock_set_continues(const struct clock_set *set, const char *trace, uint64_t stream)
{
    const struct clock_series *last = set->count ? &set->items[set->count - 1] : NULL;
    return last && last->stream == stream && strcmp(last->trace, trace) == 0;
}

int clock_set_feed(void *state, const struct analysis_trace *trace, const struct trace_batch *batch)
{
    struct clock_set *set = state;
    const struct trace_thread *thread = clock_series_thread(trace, batch->thread);
    const char *wanted = set->options->thread;
    char tid[24];
    int error = 0;
    snprintf(tid, sizeof tid, "%" PRIu64, thread->tid);
    if (wanted && strcmp(wanted, thread->name) != 0 && strcmp(wanted, tid) != 0)
        return 0;
    if (!clock_set_continues(set, trace->path, batch->thread))
        error = clock_set_add_series(set, trace, batch->thread);
    if (error)
        return error;
    struct clock_series *series = &set->items[set->count - 1];
    const uint64_t *at_ns = batch->integers[series->cpu ? SAMPLE_CPU : SAMPLE_TIME];
    return clock_series_append(series, at_ns, batch->integers[SAMPLE_TICK], batch->count);
}

static int clock_series_continue(struct clock_series *series, struct clock_series *next)
{
    if (next->samples == 0)
        return 0;
    int64_t interval;
    int error = 0;
    if (series->samples > 0 && clock_series_interval(series, series->last, next->first, &interval))
        error = clock_series_error(randomness_add(series->intervals, &interval, 1));
    if (!error)
        error = clock_series_error(randomness_merge(series->intervals, next->intervals));
    if (series->samples == 0)
        series->first = next->first;
    series->last = next->last;
    series->samples += next->samples;
    series->gaps += next->gaps;
    return error;
}

int clock_set_merge(void *state, void *other)
{
    struct clock_set *set = state, *next = other;
    for (size_t i = 0; i < next->count; i++) {
        struct clock_series *series = &next->items[i];
        if (clock_set_continues(set, series->trace, series->stream)) {
            int error = clock_series_continue(&set->items[set->count - 1], series);
            if (error)
                return error;
            continue;
        }
        struct clock_series *added = clock_set_reserve(set);
        if (!added)
            return ENOMEM;
        *added = *series;
        set->count++;
        *series = (struct clock_series){0}; /* moved */
    }
    return 0;
}

/* ---------------------------------------------------------------------------------------------- partial states -- */

static json_t *clock_series_save_words(struct randomness *intervals)
{
    size_t count = randomness_word_count(intervals);
    uint64_t *words = calloc(count, sizeof *words);
    json_t *array = words ? json_array() : NULL;
    if (array)
        randomness_to_words(intervals, words);
    for (size_t i = 0; array && i < count; i++)
        json_array_append_new(array, json_integer((json_int_t)words[i]));
    free(words);
    return array;
}

static int clock_series_load_words(const json_t *array, struct randomness **intervals)
{
    size_t count = json_array_size(array);
    uint64_t *words = calloc(count + 1, sizeof *words);
    if (!words)
        return ENOMEM;
    for (size_t i = 0; i < count; i++)
        words[i] = (uint64_t)json_integer_value(json_array_get(array, i));
    int error = clock_series_error(randomness_from_words(words, count, intervals));
    free(words);
    return error;
}

json_t *clock_set_save(void *state)
{
    const struct clock_set *set = state;
    json_t *list = json_array();
    for (size_t i = 0; i < set->count; i++) {
        const struct clock_series *series = &set->items[i];
        json_array_append_new(list, json_pack("{s:o, s:o, s:s, s:I, s:b, s:I, s:I, s:I, s:[I,I,I,I], s:o}", "trace",
                                              text_json(series->trace, strlen(series->trace)), "thread",
                                              text_json(series->thread, strlen(series->thread)), "clock", series->clock,
                                              "stream", (json_int_t)series->stream, "cpu", series->cpu, "cap_ns",
                                              (json_int_t)series->cap_ns, "samples", (json_int_t)series->samples,
                                              "gaps", (json_int_t)series->gaps, "ends", (json_int_t)series->first.at_ns,
                                              (json_int_t)series->first.expiry, (json_int_t)series->last.at_ns,
                                              (json_int_t)series->last.expiry, "intervals",
                                              clock_series_save_words(series->intervals)));
    }
    if (json_array_size(list) < set->count) {
        json_decref(list);
        return NULL;
    }
    return json_pack("{s:o}", "threads", list);
}

/* A label is the thread's name, or NAME#TID. */
static bool clock_series_is_called(const char *label, const char *wanted)
{
    size_t length = strlen(wanted);
    const char *tid = strrchr(label, '#');
    return strcmp(label, wanted) == 0 || (strncmp(label, wanted, length) == 0 && label[length] == '#') ||
           (tid && strcmp(tid + 1, wanted) == 0);
}

static int clock_set_load_series(struct clock_set *set, json_t *saved)
{
    json_int_t stream, cap, samples, gaps, ends[4];
    const char *trace, *thread, *clock;
    int cpu;
    json_t *words;
    if (json_unpack(saved, "{s:s, s:s, s:s, s:I, s:b, s:I, s:I, s:I, s:[I,I,I,I], s:o}", "trace", &trace, "thread",
                    &thread, "clock", &clock, "stream", &stream, "cpu", &cpu, "cap_ns", &cap, "samples", &samples,
                    "gaps", &gaps, "ends", &ends[0], &ends[1], &ends[2], &ends[3], "intervals", &words) != 0)
        return EINVAL;
    if (set->options->thread && !clock_series_is_called(thread, set->options->thread))
        return 0;
    struct clock_series *series = clock_set_reserve(set);
    if (!series)
        return ENOMEM;
    *series = (struct clock_series){.trace = strdup(trace),
                                    .thread = strdup(thread),
                                    .clock = strdup(clock),
                                    .stream = (uint64_t)stream,
                                    .cpu = cpu,
                                    .cap_ns = (uint64_t)cap,
                                    .samples = (uint64_t)samples,
                                    .gaps = (uint64_t)gaps,
                                    .first = {(uint64_t)ends[0], (uint64_t)ends[1]},
                                    .last = {(uint64_t)ends[2], (uint64_t)ends[3]}};
    int error = clock_series_load_words(words, &series->intervals);
    if (!error && (!series->trace || !series->thread || !series->clock))
        error = ENOMEM;
    if (error)
        clock_series_free(series);
    else
        set->count++;
    return error;
}

int clock_set_load(void *state, const json_t *saved)
{
    struct clock_set *set = state;
    const json_t *list = json_object_get(saved, "threads");
    if (!json_is_array(list))
        return EINVAL;
    int error = 0;
    for (size_t i = 0; !error && i < json_array_size(list); i++)
        error = clock_set_load_series(set, json_array_get(list, i));
    return error;
}

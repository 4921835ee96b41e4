#include "analyze/intervals/clock_series.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int clock_series_error(enum stats_status status)
{
    return status == STATS_OK ? 0 : status == STATS_NO_MEMORY ? ENOMEM : EINVAL;
}

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

/* -------------------------------------------------------------------------------------------------- relations -- */

static int clock_intervals_words(const void *object, struct field_counts *words)
{
    struct randomness *intervals = *(struct randomness *const *)object;
    int error = field_counts_extend(words, randomness_word_count(intervals));
    if (!error)
        randomness_to_words(intervals, words->values);
    return error;
}

static json_t *clock_intervals_save(const void *object)
{
    struct field_counts words = {0};
    json_t *saved = clock_intervals_words(object, &words) == 0 ? field_counts_class.save(&words) : NULL;
    field_counts_class.free(&words);
    return saved;
}

static int clock_intervals_load(void *object, const json_t *saved)
{
    struct field_counts words = {0};
    int error = field_counts_class.load(&words, saved);
    if (!error)
        error = clock_series_error(randomness_from_words(words.values, words.length, object));
    field_counts_class.free(&words);
    return error;
}

static void clock_intervals_free(void *object)
{
    randomness_free(*(struct randomness **)object);
}

static int clock_intervals_join(void *object, const void *other)
{
    struct randomness **intervals = object;
    struct field_counts words = {0};
    if (*intervals)
        return clock_series_error(randomness_merge(*intervals, *(struct randomness *const *)other));
    int error = clock_intervals_words(other, &words);
    if (!error)
        error = clock_series_error(randomness_from_words(words.values, words.length, intervals));
    field_counts_class.free(&words);
    return error;
}

static const struct field_class clock_intervals_class = {.bytes = sizeof(struct randomness *),
                                                         .join = clock_intervals_join,
                                                         .save = clock_intervals_save,
                                                         .load = clock_intervals_load,
                                                         .free = clock_intervals_free};

static const struct field series_fields[] = {FIELD(clock_series, trace, FIELD_TEXT, JOIN_FIRST),
                                             FIELD(clock_series, thread, FIELD_TEXT, JOIN_FIRST),
                                             FIELD(clock_series, clock, FIELD_TEXT, JOIN_FIRST),
                                             FIELD(clock_series, stream, FIELD_COUNT, JOIN_FIRST),
                                             FIELD(clock_series, cpu, FIELD_FLAG, JOIN_FIRST),
                                             FIELD(clock_series, samples, FIELD_COUNT, JOIN_OWN),
                                             FIELD(clock_series, gaps, FIELD_COUNT, JOIN_SUM),
                                             FIELD(clock_series, first.at_ns, FIELD_COUNT, JOIN_OWN),
                                             FIELD(clock_series, first.expiry, FIELD_COUNT, JOIN_OWN),
                                             FIELD(clock_series, last.at_ns, FIELD_COUNT, JOIN_OWN),
                                             FIELD(clock_series, last.expiry, FIELD_COUNT, JOIN_OWN),
                                             FIELD_OBJECT_OF(clock_series, intervals, &clock_intervals_class)};

/* The next part of a series; its own intervals are joined afterwards. */
static int clock_series_join(struct relations *unused, void *row, const void *other)
{
    (void)unused;
    struct clock_series *series = row;
    const struct clock_series *next = other;
    int64_t interval;
    int error = 0;
    if (next->samples == 0)
        return 0;
    if (series->samples == 0)
        series->first = next->first;
    else if (clock_series_interval(series, series->last, next->first, &interval))
        error = clock_series_error(randomness_add(series->intervals, &interval, 1));
    series->last = next->last;
    series->samples += next->samples;
    return error;
}

/* A label is the thread's name, or NAME#TID. */
static bool clock_series_is_called(const char *label, const char *wanted)
{
    size_t length = strlen(wanted);
    const char *tid = strrchr(label, '#');
    return strcmp(label, wanted) == 0 || (strncmp(label, wanted, length) == 0 && label[length] == '#') ||
           (tid && strcmp(tid + 1, wanted) == 0);
}

/* What directly follows the last series, of the same stream, is its next part. */
static bool clock_series_admit(struct relations *relations, void *row)
{
    const struct clock_set *set = (const struct clock_set *)relations;
    struct clock_series *series = row;
    size_t count = clock_series_count(set);
    const struct clock_series *last = count > 0 ? clock_series_at(set, count - 1) : NULL;
    if (set->selects && !clock_series_is_called(clock_text(set, series->thread), set->options->thread))
        return false;
    bool continues = last && last->trace == series->trace && last->stream == series->stream;
    series->number = (uint32_t)(continues ? count - 1 : count);
    return true;
}

static const struct relation clock_relations[CLOCK_RELATIONS] = {
    [CLOCK_SERIES] = {"threads", sizeof(struct clock_series), sizeof(uint32_t), RELATION_FIELDS(series_fields),
                      .join = clock_series_join, .admit = clock_series_admit}};

void *clock_set_init(const struct analysis_options *options)
{
    struct clock_set *set = calloc(1, sizeof *set);
    if (!set)
        return NULL;
    relations_init(&set->relations, clock_relations, CLOCK_RELATIONS);
    set->options = options->own;
    return set;
}

/* Only the wanted threads of a saved state, which may have others. */
int clock_set_load(void *state, const json_t *saved)
{
    struct clock_set *set = state, all = {.options = set->options};
    struct relations_numbers numbers;
    if (!set->options->thread)
        return relations_load(&set->relations, saved);
    relations_init(&all.relations, clock_relations, CLOCK_RELATIONS);
    int error = relations_load(&all.relations, saved);
    if (!error) {
        set->selects = true;
        error = relations_merge_numbered(&set->relations, &all.relations, &numbers);
        relations_numbers_free(&numbers);
        set->selects = false;
    }
    relations_free(&all.relations);
    return error;
}

/* -------------------------------------------------------------------------------------------------------- feed -- */

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

/* Begins a series, of which trace, stream and number are known. */
static int clock_set_add_series(struct clock_set *set, const struct analysis_trace *trace, struct clock_series *row)
{
    const struct trace_thread *thread = clock_series_thread(trace, row->stream);
    /* In ns; 0: the trace has no period in time, or no cap is wanted. */
    double cap =
        set->options->cap_periods * json_number_value(json_object_get(trace_metadata(trace->trace), "period_ns"));
    bool is_time = strcmp(clock_series_metadata_text(trace, "period_unit", "ns"), "ns") == 0;
    bool is_shared = !*thread->name;
    char *label = NULL;
    for (size_t i = 1; i < trace->names->thread_count; i++)
        is_shared |= i != row->stream && strcmp(trace->names->threads[i].name, thread->name) == 0;
    if (is_shared && asprintf(&label, "%s#%" PRIu64, thread->name, thread->tid) < 0)
        return ENOMEM;
    row->thread = relations_text(&set->relations, is_shared ? label : thread->name);
    row->clock = relations_text(&set->relations, *trace->clock ? trace->clock : "unknown");
    row->cpu = strcmp(clock_series_metadata_text(trace, "interval_clock", "wall"), "cpu") == 0;
    free(label);
    if (row->thread == FIELD_NONE || row->clock == FIELD_NONE ||
        relations_row(&set->relations, CLOCK_SERIES, row) == FIELD_NONE)
        return ENOMEM;
    uint64_t cap_ns = is_time && cap >= 1 && cap < (double)INT64_MAX ? (uint64_t)cap : 0;
    return clock_series_error(
        randomness_new(set->options->lags, cap_ns, &clock_series_at(set, row->number)->intervals));
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

int clock_set_feed(void *state, const struct analysis_trace *trace, const struct trace_batch *batch)
{
    struct clock_set *set = state;
    const struct trace_thread *thread = clock_series_thread(trace, batch->thread);
    const char *wanted = set->options->thread;
    char tid[24];
    snprintf(tid, sizeof tid, "%" PRIu64, thread->tid);
    if (wanted && strcmp(wanted, thread->name) != 0 && strcmp(wanted, tid) != 0)
        return 0;
    struct clock_series row = {.trace = relations_text(&set->relations, trace->path), .stream = batch->thread};
    if (row.trace == FIELD_NONE)
        return ENOMEM;
    clock_series_admit(&set->relations, &row);
    int error = row.number == clock_series_count(set) ? clock_set_add_series(set, trace, &row) : 0;
    if (error)
        return error;
    struct clock_series *series = clock_series_at(set, row.number);
    const uint64_t *at_ns = batch->integers[series->cpu ? SAMPLE_CPU : SAMPLE_TIME];
    return clock_series_append(series, at_ns, batch->integers[SAMPLE_TICK], batch->count);
}

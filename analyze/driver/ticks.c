#include "analyze/driver/ticks.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *samples_metadata_text(const json_t *metadata, const char *key)
{
    const char *text = json_string_value(json_object_get(metadata, key));
    return text ? text : "";
}

static bool recording_is_watching(const json_t *metadata)
{
    return json_is_object(json_object_get(metadata, "watch"));
}

/* ------------------------------------------------------------------------------------------ changes -- */

static void samples_describe_change(const struct trace_batch *batch, size_t i, char text[TICKS_TEXT_MAX])
{
    static const char *const sources[] = {"cpu-clock", "timer-thread", "pmu"};
    uint64_t from = batch->integers[CLOCK_FROM][i], to = batch->integers[CLOCK_TO][i];
    double share = (double)batch->integers[CLOCK_SHARE][i] / 10;
    switch (batch->integers[CLOCK_WHAT][i]) {
    case CLOCK_SLOWED:
        snprintf(text, TICKS_TEXT_MAX,
                 "sampling took %.0f %% of a thread's CPU time, so its interval was lengthened from %g to %g ms (use a "
                 "longer --period, or raise --max-cost)",
                 share, (double)from / 1e6, round((double)to / 1e4) / 1e2);
        break;
    case CLOCK_CORRECTED:
        snprintf(text, TICKS_TEXT_MAX,
                 "a hardware counter ran faster than when it was calibrated, so its period was corrected from %" PRIu64
                 " to %" PRIu64 " events",
                 from, to);
        break;
    case CLOCK_REPLACED:
        snprintf(text, TICKS_TEXT_MAX, "a hardware counter stopped; from then on the source is %s",
                 to < sizeof sources / sizeof *sources ? sources[to] : "another one");
        break;
    default:
        snprintf(text, TICKS_TEXT_MAX,
                 "a hardware counter gave impossible values (%" PRIu64 " after %" PRIu64 "), which were left out", to,
                 from);
        break;
    }
}

static void samples_read_changes(const struct trace *trace, struct trace_loss *loss, struct ticks *ticks)
{
    struct trace_batch batch = {0};
    struct error_text problem;
    for (size_t c = 0; c < trace_chunk_count(trace); c++) {
        if (trace_chunk_at(trace, c)->kind != TRACE_CLOCK)
            continue;
        int status = trace_read(trace, c, TRACE_ALL_COLUMNS, &batch, &problem);
        loss->no_memory |= status == TRACE_NO_MEMORY;
        if (status)
            continue;
        for (size_t i = 0; i < batch.count; i++) {
            uint64_t what = batch.integers[CLOCK_WHAT][i];
            if (!*ticks->change)
                samples_describe_change(&batch, i, ticks->change);
            ticks->changes[what < CLOCK_CHANGE_COUNT ? what : CLOCK_IMPOSSIBLE]++;
        }
    }
    trace_batch_free(&batch);
}

/* ------------------------------------------------------------------------------------------ the verdict -- */

static void samples_check_rate(const json_t *metadata, double interval, size_t threads, bool unfinished,
                               struct ticks *ticks)
{
    /* The allowed deviation of ticks from those due: a fifth, plus the effect of chance on the first and last interval
     * of each thread. */
    static const double SHARE = 0.2, FEW = 5, DEVIATIONS = 4;
    double all = (double)(ticks->came + ticks->lost);
    double capacity = SHARE * ticks->due + FEW + DEVIATIONS * sqrt(fmin(ticks->due, (double)threads));
    bool software = strcmp(samples_metadata_text(metadata, "source"), "pmu") != 0;
    /* Accesses in the kernel are not searched. The CPU time of a killed process is a second old. */
    bool fewer_is_well = (recording_is_watching(metadata) && ticks->changes[CLOCK_SLOWED] == 0) || unfinished;
    /* Additional ticks that came while the host ran something else: then the kernel's CPU clock continues, CPU time may
     * not. */
    const json_t *stolen = json_object_get(json_object_get(metadata, "exit"), "stolen_ns");
    double extra = json_is_number(stolen) ? json_number_value(stolen) / interval : INFINITY;
    double more = software ? extra : 0;
    const char *often = all > ticks->due ? "often" : "rarely";
    if ((all < ticks->due - capacity && !fewer_is_well) || (all > ticks->due + capacity + more && !unfinished))
        snprintf(ticks->doubt, TICKS_TEXT_MAX,
                 "%" PRIu64 " ticks for %.1f s of CPU time: too %s for an interval of %g ms, which makes %.0f",
                 ticks->came + ticks->lost, ticks->due * interval / 1e9, often, interval / 1e6, ticks->due);
}

static uint64_t samples_count_records(const struct trace *trace, unsigned kind)
{
    uint64_t records = 0;
    for (size_t c = 0; c < trace_chunk_count(trace); c++)
        if (trace_chunk_at(trace, c)->kind == kind)
            records += trace_chunk_at(trace, c)->count;
    return records;
}

void ticks_count(const struct trace *trace, const struct trace_names *names, struct trace_loss *loss,
                 struct ticks *ticks)
{
    enum { MANY = 20 };
    const json_t *metadata = trace_metadata(trace);
    const char *unit = samples_metadata_text(metadata, "period_unit"),
               *source = samples_metadata_text(metadata, "source");
    bool timed = *samples_metadata_text(metadata, "interval_clock") && strcmp(source, "external") != 0 &&
                 strcmp(unit, "events") != 0;
    double interval = timed ? json_number_value(json_object_get(metadata, "period_ns")) : 0, cpu_ns = 0;
    uint64_t events = samples_count_records(trace, TRACE_EVENT);
    *ticks = (struct ticks){
        .came = samples_count_records(trace, recording_is_watching(metadata) ? TRACE_RANGE : TRACE_SAMPLE)};
    for (unsigned cause = 0; cause < LOST_CAUSE_COUNT; cause++)
        ticks->lost += cause == LOST_LATE_ATTACH || cause == LOST_GIVEN_UP ? 0 : loss->dropped[cause];
    samples_read_changes(trace, loss, ticks);
    if (interval > 0) {
        for (size_t i = 1; i < names->thread_count; i++) {
            const struct trace_thread *thread = &names->threads[i];
            if (thread->last_cpu_ns > thread->first_cpu_ns)
                cpu_ns += (double)(thread->last_cpu_ns - thread->first_cpu_ns);
        }
        ticks->due = cpu_ns / interval;
        samples_check_rate(metadata, interval, names->thread_count, loss->unfinished, ticks);
    }
    ticks->lost += loss->dropped[LOST_LATE_ATTACH];
    if (!*ticks->doubt && ticks->lost >= MANY && ticks->lost > ticks->came + events)
        snprintf(ticks->doubt, TICKS_TEXT_MAX, "%" PRIu64 " of %" PRIu64 " %s were lost while recording", ticks->lost,
                 ticks->lost + ticks->came + events, events > 0 ? "events" : "samples");
}

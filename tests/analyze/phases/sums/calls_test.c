/*
 * Calls from events: totals, lengths and counts of random programs are compared with a model that knows each call, for
 * streams split anywhere into parts; and events that do not nest.
 */
#include "analyze/phases/sums/calls.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/rng.h"
#include "tests/tap.h"

enum { METHODS = 6, STREAMS = 3, EVENTS_MAX = 4000, PROGRAMS = 60, PARTS_MAX = 12 };

static uint64_t draw(uint64_t below)
{
    static struct rng state = {20041024};
    return rng_next(&state) % below;
}

/* ------------------------------------------------------------------------------------------ a program -- */

struct events {
    uint64_t time[EVENTS_MAX], what[EVENTS_MAX], method[EVENTS_MAX], counter[EVENTS_MAX], zero[EVENTS_MAX];
    size_t count;
};

/* The true sums of each method: [0] time, [1] the counter. */
struct model {
    uint64_t calls, finished, exceptions;
    unsigned __int128 inclusive[2], exclusive[2], sum[2], squares[2];
};

static struct events streams[STREAMS];
static struct model model[METHODS];

struct machine {
    struct events *events;
    uint64_t time, counter;
    unsigned open[METHODS];
    size_t capacity; /* events that may come before all calls have to end */
};

static void put(struct machine *machine, uint64_t what, unsigned method)
{
    struct events *events = machine->events;
    events->time[events->count] = machine->time;
    events->counter[events->count] = machine->counter;
    events->what[events->count] = what;
    events->method[events->count++] = method + 1;
}

static void spend(struct machine *machine, unsigned method)
{
    uint64_t time = draw(4) ? draw(1000) : draw(UINT64_C(1) << 34), counter = draw(50);
    machine->time += time;
    machine->counter += counter;
    model[method].exclusive[0] += time;
    model[method].exclusive[1] += counter;
}

/* Returns whether it ended by an exception that its caller may pass on. */
static bool call(struct machine *machine, unsigned method, unsigned depth)
{
    uint64_t time = machine->time, counter = machine->counter;
    bool thrown = false;
    put(machine, EVENT_ENTER, method);
    model[method].calls++;
    machine->open[method]++;
    spend(machine, method);
    while (!thrown && machine->capacity > 0 && depth < 60 && draw(9) < 6) {
        machine->capacity -= machine->capacity > 2 ? 2 : machine->capacity;
        thrown = call(machine, (unsigned)draw(METHODS), depth + 1);
        spend(machine, method);
    }
    thrown = thrown ? draw(3) > 0 : draw(20) == 0;
    put(machine, thrown ? EVENT_EXCEPTION : EVENT_EXIT, method);
    uint64_t took[2] = {machine->time - time, machine->counter - counter};
    model[method].finished++;
    model[method].exceptions += thrown;
    machine->open[method]--;
    for (size_t m = 0; m < 2; m++) {
        model[method].inclusive[m] += machine->open[method] ? 0 : took[m];
        model[method].sum[m] += took[m];
        model[method].squares[m] += (unsigned __int128)took[m] * took[m];
    }
    return thrown;
}

static void make_program(void)
{
    memset(model, 0, sizeof model);
    for (size_t s = 0; s < STREAMS; s++) {
        struct machine machine = {.events = &streams[s], .time = draw(1000000), .capacity = draw(EVENTS_MAX / 4)};
        streams[s].count = 0;
        while (machine.capacity > 0) {
            machine.capacity -= machine.capacity > 2 ? 2 : machine.capacity;
            call(&machine, (unsigned)draw(METHODS), 0);
        }
    }
}

/* ------------------------------------------------------------------------------------------ analysis -- */

static struct analysis_trace trace = {.path = "program.trace", .run = "run", .clock = ""};
static struct trace_method methods[METHODS + 1];
static struct trace_thread threads[STREAMS + 1];
static struct trace_names names = {.method_count = METHODS + 1, .thread_count = STREAMS + 1};

/* A trace without records lends its metadata. */
static bool open_trace(const char *probe)
{
    char path[] = "/tmp/assay-stack-XXXXXX";
    const struct trace_writer_options options = {.manual = true};
    struct trace_writer *writer;
    struct trace *opened;
    struct error_text problem;
    int fd = mkstemp(path);
    close(fd);
    unlink(path);
    json_t *metadata = json_pack("{s:[s]}", "counters", "misses");
    if (probe)
        json_object_set_new(metadata, "probe", json_loads(probe, 0, NULL));
    if (trace_create(path, metadata, &options, &writer) || trace_finish(writer) || trace_open(path, &opened, &problem))
        return false;
    json_decref(metadata);
    unlink(path);
    trace_close((struct trace *)(uintptr_t)trace.trace);
    trace.trace = opened;
    trace.names = &names;
    names.methods = methods;
    names.threads = threads;
    static char texts[METHODS + 1][8];
    for (size_t m = 0; m <= METHODS; m++) {
        snprintf(texts[m], sizeof texts[m], "m%zu", m);
        methods[m] = (struct trace_method){"", texts[m], "", ""};
    }
    for (size_t s = 0; s <= STREAMS; s++)
        threads[s].name = "thread";
    return true;
}

static void feed(struct phases *phases, size_t stream, size_t from, size_t to)
{
    struct events *events = &streams[stream];
    struct trace_batch batch = {.kind = TRACE_EVENT, .thread = (uint32_t)stream + 1, .count = to - from};
    batch.integers[EVENT_TIME] = events->time + from;
    batch.integers[EVENT_WHAT] = events->what + from;
    batch.integers[EVENT_METHOD] = events->method + from;
    batch.integers[EVENT_COUNTER_0] = events->counter + from;
    for (size_t c = 1; c < EVENT_COUNTERS_MAX; c++)
        batch.integers[EVENT_COUNTER_0 + c] = events->zero;
    if (calls_feed(phases, &trace, &batch) != 0)
        ok(false, "no memory");
}

/* All streams in a row, cut into this many parts anywhere, each fed in several batches. */
static struct phases *analyze(size_t parts)
{
    struct phases *all = phases_new(true), *part = phases_new(true);
    size_t total = 0, at = 0;
    for (size_t s = 0; s < STREAMS; s++)
        total += streams[s].count;
    bool cut[STREAMS * EVENTS_MAX + 1] = {false};
    for (size_t p = 1; p < parts && total > 0; p++)
        cut[draw(total)] = true;
    for (size_t s = 0; s < STREAMS; s++)
        for (size_t from = 0, to = 0; to < streams[s].count; from = to) {
            do {
                to++;
                at++;
            } while (to < streams[s].count && !cut[at] && draw(40));
            feed(part, s, from, to);
            if (!cut[at])
                continue;
            if (calls_merge(all, part) != 0)
                ok(false, "no memory");
            phases_free(part);
            part = phases_new(true);
        }
    if (calls_merge(all, part) != 0 || calls_end(all) != 0)
        ok(false, "no memory");
    phases_free(part);
    return all;
}

static const struct phases_entry *entry_of(const struct phases *phases, unsigned method)
{
    for (size_t i = 0; i < phases_entry_count(phases); i++) {
        const struct phases_entry *entry = phases_entry_at(phases, i);
        if (strcmp(phases_text(phases, entry->method), methods[method + 1].name) == 0)
            return entry;
    }
    return NULL;
}

/* ------------------------------------------------------------------------------------------ checks -- */

static bool agrees(const struct phases *phases)
{
    bool good = phases_run_count(phases) == 1 && phases_run_at(phases, 0)->orphans == 0;
    for (unsigned method = 0; method < METHODS; method++) {
        const struct phases_entry *entry = entry_of(phases, method);
        const struct model *expected = &model[method];
        if (!entry) {
            good &= expected->calls == 0;
            continue;
        }
        good &= entry->calls == expected->calls && entry->exceptions == expected->exceptions;
        for (size_t m = 0; m < 2; m++) {
            good &= entry->inclusive.metrics[m] == expected->inclusive[m];
            good &= entry->exclusive.metrics[m] == expected->exclusive[m];
            good &= entry->moments[m].n == expected->finished && entry->moments[m].squares_high == 0;
            good &= (unsigned __int128)entry->moments[m].sum == expected->sum[m];
            good &= entry->moments[m].squares_low == expected->squares[m];
        }
        good &= entry->spreads.times.n == expected->finished;
    }
    return good;
}

/* Sums of quotients may differ below the last bit of a double, which is ignored. */
static char *text_of(struct phases *phases)
{
    for (size_t i = 0; i < phases_entry_count(phases); i++)
        for (size_t m = 0; m < RATES_MAX; m++) {
            struct quotients *rate = &phases_entry_at(phases, i)->rates[m];
            rate->sum[1] = rate->squares[1] = 0;
        }
    json_t *saved = relations_save(&phases->relations);
    char *text = json_dumps(saved, JSON_COMPACT);
    json_decref(saved);
    return text;
}

static void test_programs(void)
{
    size_t whole = 0, cut = 0, same = 0;
    for (size_t p = 0; p < PROGRAMS; p++) {
        make_program();
        struct phases *one = analyze(1);
        char *expected = text_of(one);
        whole += agrees(one);
        for (size_t parts = 2; parts <= PARTS_MAX; parts += 5) {
            struct phases *many = analyze(parts);
            char *got = text_of(many);
            cut += agrees(many);
            same += strcmp(got, expected) == 0;
            free(got);
            phases_free(many);
        }
        free(expected);
        phases_free(one);
    }
    is_u64(whole, PROGRAMS, "every sum and count is the model's for whole streams");
    is_u64(cut, 3 * PROGRAMS, "every sum and count is the model's for streams split into 2, 7 and 12 parts");
    is_u64(same, 3 * PROGRAMS, "  the state is that of whole streams");
}

/* Events are removed and changed at random: all that is known of the result is that all time in calls belongs to some
 * method. */
static void damage(struct events *events)
{
    size_t kept = 0;
    for (size_t i = 0; i < events->count; i++) {
        if (draw(30) == 0)
            continue;
        events->time[kept] = draw(50) ? events->time[i] : draw(UINT64_C(1) << 59);
        events->counter[kept] = events->counter[i];
        events->what[kept] = draw(40) ? events->what[i] : draw(9);
        events->method[kept++] = draw(40) ? events->method[i] : draw(2 * METHODS);
    }
    events->count = kept;
}

static bool conserves(const struct phases *phases)
{
    wide_u128 spent[2] = {0, 0}, span[2] = {0, 0}, inside[2] = {0, 0};
    uint64_t ended = 0, calls = 0;
    for (size_t i = 0; i < phases_role_count(phases); i++)
        for (size_t m = 0; m < 2; m++) {
            span[m] += phases_role_at(phases, i)->span.metrics[m];
            inside[m] += phases_role_at(phases, i)->inside[m];
        }
    for (size_t i = 0; i < phases_entry_count(phases); i++) {
        const struct phases_entry *entry = phases_entry_at(phases, i);
        calls += entry->calls;
        ended += entry->moments[0].n + entry->unfinished[0] + entry->unfinished[1] + entry->unfinished[2];
        for (size_t m = 0; m < 2; m++)
            spent[m] += entry->exclusive.metrics[m];
    }
    bool good = spent[0] == inside[0] && inside[0] <= span[0] && spent[1] == inside[1] && inside[1] <= span[1];
    return good && ended == calls;
}

static void test_damage(void)
{
    size_t good = 0, orphans = 0;
    for (size_t p = 0; p < 300; p++) {
        make_program();
        for (size_t s = 0; s < STREAMS; s++)
            damage(&streams[s]);
        struct phases *phases = analyze(1 + p % PARTS_MAX);
        good += conserves(phases);
        orphans += phases_run_count(phases) > 0 && phases_run_at(phases, 0)->orphans > 0;
        phases_free(phases);
    }
    is_u64(good, 300, "damaged events: each call ends once, and time is neither lost nor made");
    ok(orphans > 100, "damaged events: events that do not nest are counted");
}

/* a( b( [b's exit is missing] ) and an exit of c that was never entered */
static void test_not_nested(void)
{
    static const uint64_t what[] = {EVENT_ENTER, EVENT_ENTER,      EVENT_EXIT, EVENT_EXIT,
                                    EVENT_ENTER, EVENT_UNFINISHED, EVENT_ENTER};
    static const uint64_t method[] = {1, 2, 3, 1, 1, 1, 2}, time[] = {0, 10, 20, 100, 110, 150, 160};
    for (size_t parts = 1; parts < 4; parts++) {
        for (size_t s = 0; s < STREAMS; s++)
            streams[s].count = 0;
        streams[0].count = 7;
        for (size_t i = 0; i < 7; i++) {
            streams[0].what[i] = what[i];
            streams[0].method[i] = method[i];
            streams[0].time[i] = time[i];
            streams[0].counter[i] = 0;
        }
        struct phases *phases = analyze(parts);
        const struct phases_entry *a = entry_of(phases, 0), *b = entry_of(phases, 1);
        bool good = phases_run_at(phases, 0)->orphans == 1 && a->calls == 2 && a->moments[0].n == 1 &&
                    a->moments[0].sum == 100 && a->unfinished[UNFINISHED_REPORTED] == 1 && b->calls == 2 &&
                    b->unfinished[UNFINISHED_OVERTAKEN] == 1 && b->unfinished[UNFINISHED_OPEN] == 1;
        good &= a->inclusive.metrics[0] == 140 && b->inclusive.metrics[0] == 90 && a->exclusive.metrics[0] == 50;
        ok(good, "missing and unmatched exits are counted and leave other calls alone, %zu parts", parts);
        phases_free(phases);
    }
}

/* A pair of probes takes 20 ns, 8 of them inside the call: a call that takes 8 ns takes nothing itself, and the time of
 * a caller excludes its callees' probes. Likewise for the counter, with 5 and 2. */
static void test_probe(void)
{
    static const uint64_t what[] = {EVENT_ENTER, EVENT_ENTER, EVENT_EXIT, EVENT_ENTER, EVENT_EXIT, EVENT_EXIT};
    static const uint64_t method[] = {1, 2, 2, 2, 2, 1}, time[] = {0, 100, 108, 150, 163, 208};
    static const uint64_t counter[] = {0, 50, 52, 60, 70, 100};
    ok(open_trace("{\"enter_ns\": 12, \"exit_ns\": 8, \"pair_ns\": 20, \"lo_ns\": 19, \"hi_ns\": 21, "
                  "\"counters\": [{\"pair\": 5, \"exit\": 2, \"lo\": 4, \"hi\": 6}]}"),
       "a trace with the cost of probes is opened");
    for (size_t parts = 1; parts < 4; parts++) {
        for (size_t i = 0; i < 6; i++) {
            streams[0].what[i] = what[i];
            streams[0].method[i] = method[i];
            streams[0].time[i] = time[i];
            streams[0].counter[i] = counter[i];
        }
        streams[0].count = 6;
        streams[1].count = streams[2].count = 0;
        struct phases *phases = analyze(parts);
        const struct phases_entry *a = entry_of(phases, 0), *b = entry_of(phases, 1);
        ok(a->moments[0].sum == 208 - 8 - 2 * 20 && b->moments[0].sum == 5 && b->moments[0].min == 0 &&
               a->inclusive.probe[0] == UINT64_C(48) << 16 && b->inclusive.probe[0] == UINT64_C(16) << 16 &&
               a->exclusive.probe[0] == (8 + 2 * 12) << 16 &&
               phases_role_at(phases, 0)->span.probe[0] == UINT64_C(60) << 16,
           "times exclude what probes take, %zu parts", parts);
        ok(a->moments[1].sum == 100 - 2 - 2 * 5 && b->moments[1].sum == 8 && b->moments[1].min == 0 &&
               a->inclusive.probe[1] == UINT64_C(12) << 16 && b->inclusive.probe[1] == UINT64_C(4) << 16 &&
               a->exclusive.probe[1] == (2 + 2 * 3) << 16 &&
               phases_role_at(phases, 0)->span.probe[1] == UINT64_C(15) << 16,
           "  counters exclude what probes count, %zu parts", parts);
        phases_free(phases);
    }
}

int main(void)
{
    ok(open_trace(NULL), "a trace is opened");
    test_programs();
    test_damage();
    test_not_nested();
    test_probe();
    trace_close((struct trace *)(uintptr_t)trace.trace);
    return done_testing();
}

#include "collect/rewrite/raw_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/grow.h"
#include "collect/rewrite/methods.h"
#include "collect/rewrite/raw_definitions.h"
#include "trace/trace.h"

enum { BUFFER_BYTES = 1 << 20, NAMES_MAX = 1000, BATCH_PAIRS = 1 << 16 };

struct raw_output raw_output = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Under the lock. */
static struct {
    char path[8192];
    int error; /* the first of a write */
    uint32_t pairs;
    uint64_t hidden; /* classes that the file does not know of yet */
    struct totals {
        uint64_t events[2][2], bytes[2][2]; /* [enum trace_access][enum trace_values] */
    } * totals;                             /* [thread] */
    size_t total_capacity;
    uint64_t burst[RAW_OUTPUT_SUMS];
} out;

/* ------------------------------------------------------------------------------------------ records -- */

void raw_output_write(enum raw_type type, const void *payload, size_t bytes, const void *more, size_t more_bytes)
{
    static const char zeros[8];
    size_t padding = -(bytes + more_bytes) & 7;
    struct raw_head head = {type, (uint32_t)(bytes + more_bytes + padding)};
    bool good = fwrite(&head, sizeof head, 1, raw_output.file) == 1 &&
                fwrite(payload, 1, bytes, raw_output.file) == bytes &&
                fwrite(more, 1, more_bytes, raw_output.file) == more_bytes &&
                fwrite(zeros, 1, padding, raw_output.file) == padding;
    if (!good && !out.error)
        out.error = errno;
}

static void raw_output_write_time(void)
{
    struct raw_time now = {.monotonic_ns = clock_ns(CLOCK_MONOTONIC)};
    raw_output_write(RAW_TIME, &now, sizeof now, "", 0);
}

int raw_output_begin(const char *directory, const char *prefix, const json_t *about, unsigned kinds, bool bursts)
{
    raw_output.kinds = kinds;
    raw_output.bursts = bursts;
    char *text = json_dumps(about, JSON_COMPACT);
    if (!text)
        return ENOMEM;
    int fd = -1;
    for (int n = 0; n < NAMES_MAX && fd < 0 && (n == 0 || errno == EEXIST); n++) {
        if (n == 0)
            snprintf(out.path, sizeof out.path, "%s/%s-%d.exact", directory, prefix, (int)getpid());
        else
            snprintf(out.path, sizeof out.path, "%s/%s-%d.%d.exact", directory, prefix, (int)getpid(), n);
        fd = open(out.path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
    }
    raw_output.file = fd < 0 ? NULL : fdopen(fd, "w");
    int error = raw_output.file ? 0 : errno;
    if (!error) {
        setvbuf(raw_output.file, NULL, _IOFBF, BUFFER_BYTES);
        struct raw_hello hello = {RAW_MAGIC, clock_ns(CLOCK_MONOTONIC), (uint32_t)getpid(), (uint32_t)strlen(text)};
        raw_output_write(RAW_HELLO, &hello, sizeof hello, text, hello.json_bytes);
    }
    free(text);
    return error;
}

const char *raw_output_path(void)
{
    return out.path;
}

void raw_output_append(enum raw_type type, const void *payload, size_t bytes, const void *more, size_t more_bytes)
{
    pthread_mutex_lock(&raw_output.lock);
    if (raw_output.file)
        raw_output_write(type, payload, bytes, more, more_bytes);
    pthread_mutex_unlock(&raw_output.lock);
}

void raw_output_set_between_threads(void)
{
    raw_output.between_threads = true;
}

/* ------------------------------------------------------------------------------------------ counts -- */

static void raw_output_add_total(uint32_t thread, uint32_t kind, uint64_t events)
{
    struct totals *grown = grow(out.totals, &out.total_capacity, thread, sizeof *grown);
    if (!grown)
        return;
    out.totals = grown;
    unsigned store = kind & KIND_STORE ? ACCESS_STORE : ACCESS_LOAD;
    unsigned values = kind & KIND_FLOATING ? VALUES_APPROXIMATE : VALUES_PRECISE;
    grown[thread].events[store][values] += events;
    grown[thread].bytes[store][values] += events << (kind & KIND_SIZE);
}

static void raw_output_write_lost(enum raw_cause cause, uint64_t count)
{
    struct raw_lost lost = {.cause = cause, .count = count};
    if (count)
        raw_output_write(RAW_LOST, &lost, sizeof lost, "", 1);
}

static void raw_output_write_pair(const struct raw_pair *pair, unsigned waste, uint64_t wasted, unsigned size)
{
    struct raw_pair record = *pair;
    record.waste = waste;
    record.wasted_events = wasted;
    record.wasted_bytes = wasted << size;
    raw_output_write(RAW_PAIR, &record, sizeof record, "", 0);
    if (++out.pairs % BATCH_PAIRS == 0)
        raw_output_write_time();
}

bool raw_output_add_pair(const struct raw_output_pair *counted)
{
    pthread_mutex_lock(&raw_output.lock);
    struct raw_access before = raw_output_find_access(counted->first), after = raw_output_find_access(counted->second);
    uint32_t first_thread = raw_output_handle_thread(counted->first);
    bool own = first_thread && first_thread == counted->thread;
    uint32_t object = raw_output_object_number(counted->object);
    bool is_pair = own || raw_output.between_threads;
    bool known = after.number && (before.number || !is_pair) && (object || counted->object <= 0);
    uint64_t events = counted->events, silent = counted->silent, other = counted->dead_or_adjacent;
    if (raw_output.file && known) {
        struct raw_pair pair = {.first = before.number,
                                .second = after.number,
                                .scope = raw_output_scope_address(counted->scope),
                                .object = object,
                                .thread = counted->thread,
                                .values = after.kind & KIND_FLOATING ? VALUES_APPROXIMATE : VALUES_PRECISE,
                                .events = events,
                                .bytes = events << (after.kind & KIND_SIZE)};
        bool store = after.kind & KIND_STORE;
        unsigned size = after.kind & KIND_SIZE;
        silent = silent < events ? silent : events;
        other = other < events ? other : events;
        raw_output_add_total(counted->thread, after.kind, events);
        if (is_pair && !store)
            raw_output_write_pair(&pair, WASTE_SILENT_LOAD, silent, size);
        if (is_pair && !store && raw_output.kinds & RAW_OUTPUT_ADJACENT_LOADS)
            raw_output_write_pair(&pair, WASTE_ADJACENT_LOAD, other, size);
        if (is_pair && store && raw_output.kinds & RAW_OUTPUT_SILENT_STORES)
            raw_output_write_pair(&pair, WASTE_SILENT_STORE, silent, size);
        if (is_pair && store && raw_output.kinds & RAW_OUTPUT_DEAD_STORES)
            raw_output_write_pair(&pair, WASTE_DEAD_STORE, other, size);
        if (!own)
            raw_output_write_lost(RAW_OTHER_THREAD, pair.bytes);
    }
    pthread_mutex_unlock(&raw_output.lock);
    return known;
}

void raw_output_add_unpaired(uint32_t thread, const uint64_t counts[16])
{
    pthread_mutex_lock(&raw_output.lock);
    for (uint32_t kind = 0; kind < 16; kind++)
        if (counts[kind] > 0)
            raw_output_add_total(thread, kind, counts[kind]);
    pthread_mutex_unlock(&raw_output.lock);
}

void raw_output_add_lost(uint64_t reused, uint64_t lumped, uint64_t scopes)
{
    pthread_mutex_lock(&raw_output.lock);
    if (raw_output.file) {
        raw_output_write_lost(RAW_LOST_DEPTH, reused);
        raw_output_write_lost(RAW_LOST_NODES, lumped);
        raw_output_write_lost(RAW_LOST_SCOPES, scopes);
    }
    pthread_mutex_unlock(&raw_output.lock);
}

void raw_output_add_elsewhere(uint64_t bytes)
{
    pthread_mutex_lock(&raw_output.lock);
    if (raw_output.file)
        raw_output_write_lost(RAW_ELSEWHERE, bytes);
    pthread_mutex_unlock(&raw_output.lock);
}

void raw_output_count_hidden(void)
{
    pthread_mutex_lock(&raw_output.lock);
    out.hidden++;
    pthread_mutex_unlock(&raw_output.lock);
}

/* ------------------------------------------------------------------------------------------ bursts -- */

void raw_output_add_burst(const uint64_t sums[RAW_OUTPUT_SUMS])
{
    pthread_mutex_lock(&raw_output.lock);
    for (size_t i = 0; i < RAW_OUTPUT_SUMS; i++)
        out.burst[i] += sums[i];
    pthread_mutex_unlock(&raw_output.lock);
}

void raw_output_end_burst(void (*learn)(const struct raw_burst *burst))
{
    static const struct {
        unsigned kind, waste;
    } KINDS[] = {{RAW_OUTPUT_LOADS, WASTE_SILENT_LOAD},
                 {RAW_OUTPUT_SILENT_STORES, WASTE_SILENT_STORE},
                 {RAW_OUTPUT_DEAD_STORES, WASTE_DEAD_STORE}};
    pthread_mutex_lock(&raw_output.lock);
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
        const uint64_t *sums = &out.burst[5 * i];
        struct raw_burst burst = {.waste = KINDS[i].waste,
                                  .bytes = sums[0],
                                  .wasted_bytes = sums[1],
                                  .unseen_bytes = sums[2],
                                  .crossing_bytes = sums[3],
                                  .crossing_wasted_bytes = sums[4]};
        if (!raw_output.file || !(raw_output.kinds & KINDS[i].kind))
            continue;
        raw_output_write(RAW_BURST, &burst, sizeof burst, "", 0);
        learn(&burst);
    }
    memset(out.burst, 0, sizeof out.burst);
    raw_output_forget_objects();
    pthread_mutex_unlock(&raw_output.lock);
}

/* ------------------------------------------------------------------------------------------ the end -- */

void raw_output_flush(void)
{
    pthread_mutex_lock(&raw_output.lock);
    if (raw_output.file) {
        /* Writes what has come since the last time. */
        for (uint32_t thread = 1; thread <= raw_output.threads && thread < out.total_capacity; thread++)
            for (uint32_t access = 0; access < ACCESS_COUNT; access++)
                for (uint32_t values = 0; values < VALUES_COUNT; values++) {
                    struct totals *totals = &out.totals[thread];
                    struct raw_total total = {.thread = thread,
                                              .access = access,
                                              .values = values,
                                              .events = totals->events[access][values],
                                              .bytes = totals->bytes[access][values]};
                    if (total.events > 0)
                        raw_output_write(RAW_TOTAL, &total, sizeof total, "", 0);
                    totals->events[access][values] = totals->bytes[access][values] = 0;
                }
        raw_output_write_lost(RAW_HIDDEN, out.hidden);
        out.hidden = 0;
        raw_output_write_time();
        if (fflush(raw_output.file) != 0 && !out.error)
            out.error = errno;
    }
    pthread_mutex_unlock(&raw_output.lock);
}

int raw_output_end(uint32_t status)
{
    struct raw_end end = {.kind = RAW_EXITED, .status = status};
    raw_output_flush();
    pthread_mutex_lock(&raw_output.lock);
    if (raw_output.file) {
        raw_output_write(RAW_END, &end, sizeof end, "", 0);
        if (fclose(raw_output.file) != 0 && !out.error)
            out.error = errno;
        raw_output.file = NULL;
    }
    int error = out.error;
    pthread_mutex_unlock(&raw_output.lock);
    return error;
}

#include "collect/rewrite/raw_output.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/grow.h"
#include "base/hash.h"
#include "collect/rewrite/agent.h"
#include "collect/rewrite/methods.h"
#include "collect/exact/tool/state/raw.h"
#include "trace/trace.h"

enum { BUFFER_BYTES = 1 << 20, NAMES_MAX = 1000, BLOCK_BITS = 8, BATCH_PAIRS = 1 << 16 };

/* What the file knows of a handle. */
struct access {
    uint32_t number; /* in the file; 0: not there */
    uint32_t kind;
};

/* What a handle of an object stands for in the file. */
struct object {
    int32_t handle;
    uint32_t number;
};

/* So many handles in a row belong to one thread. */
struct block {
    uint32_t thread;         /* 0: none */
    uint32_t next;           /* of the same thread; 0: the last */
    struct access *accesses; /* NULL: none is in the file, or the thread has ended */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    FILE *file;
    char path[8192];
    int error;      /* the first of a write */
    unsigned kinds; /* enum raw_output_kind */
    uint32_t threads, nodes, accesses, references, pairs;
    uint32_t next_handle;
    uint64_t hidden;      /* classes that the file does not know of yet */
    struct block *blocks; /* [handle >> BLOCK_BITS] */
    size_t block_capacity;
    uint32_t *first_blocks; /* [thread] */
    size_t first_block_capacity;
    bool *methods; /* [number]: it is in the file */
    size_t method_capacity;
    struct totals {
        uint64_t events[2][2], bytes[2][2]; /* [enum trace_access][enum trace_values] */
    } * totals;                             /* [thread] */
    size_t total_capacity;
    bool bursts;
    bool between_threads;
    struct hash known_nodes;       /* an id is a node's number */
    struct raw_output_node *known; /* [node]; first_handle: the number of its first access */
    size_t known_capacity;
    struct hash objects;      /* an id is an index into the next */
    struct object *object_of; /* from 1 */
    size_t object_capacity;
    uint32_t object_count;
    uint32_t *node_objects; /* [node]: its object in the file; 0: none */
    size_t node_object_capacity;
    uint32_t *static_objects; /* [static field]: likewise */
    size_t static_object_capacity;
    uint32_t file_objects;
    uint64_t burst[RAW_OUTPUT_SUMS];
} out = {.next_handle = RAW_OUTPUT_FIRST_HANDLE};

/* ------------------------------------------------------------------------------------------ records -- */

static void raw_output_write(enum raw_type type, const void *payload, size_t bytes, const void *more, size_t more_bytes)
{
    static const char zeros[8];
    size_t padding = -(bytes + more_bytes) & 7;
    struct raw_head head = {type, (uint32_t)(bytes + more_bytes + padding)};
    bool good = fwrite(&head, sizeof head, 1, out.file) == 1 && fwrite(payload, 1, bytes, out.file) == bytes &&
                fwrite(more, 1, more_bytes, out.file) == more_bytes && fwrite(zeros, 1, padding, out.file) == padding;
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
    out.kinds = kinds;
    out.bursts = bursts;
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
    out.file = fd < 0 ? NULL : fdopen(fd, "w");
    int error = out.file ? 0 : errno;
    if (!error) {
        setvbuf(out.file, NULL, _IOFBF, BUFFER_BYTES);
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
    pthread_mutex_lock(&lock);
    if (out.file)
        raw_output_write(type, payload, bytes, more, more_bytes);
    pthread_mutex_unlock(&lock);
}

/* ------------------------------------------------------------------------------------------ definitions -- */

void raw_output_set_reference_size(uint32_t size)
{
    assert(size <= 3);
    out.references = size;
}

void raw_output_set_between_threads(void)
{
    out.between_threads = true;
}

uint32_t raw_output_define_thread(uint32_t tid, const char *name)
{
    pthread_mutex_lock(&lock);
    uint32_t number = ++out.threads;
    struct raw_thread thread = {number, tid};
    if (out.file) {
        raw_output_write(RAW_THREAD, &thread, sizeof thread, "", 0);
        if (name) {
            struct raw_thread_name named = {number, (uint32_t)strlen(name)};
            raw_output_write(RAW_THREAD_NAME, &named, sizeof named, name, named.bytes + 1);
        }
    }
    pthread_mutex_unlock(&lock);
    return number;
}

uint32_t raw_output_reserve_handles(uint32_t thread, uint32_t count)
{
    pthread_mutex_lock(&lock);
    uint32_t first = out.next_handle, blocks = (count + (1 << BLOCK_BITS) - 1) >> BLOCK_BITS;
    for (uint32_t i = 0; i < blocks; i++) {
        /* Without memory the accesses of such handles stay unknown. */
        uint32_t number = (first >> BLOCK_BITS) + i;
        struct block *grown = grow(out.blocks, &out.block_capacity, number, sizeof *grown);
        uint32_t *firsts = grow(out.first_blocks, &out.first_block_capacity, thread, sizeof *firsts);
        out.blocks = grown ? grown : out.blocks;
        out.first_blocks = firsts ? firsts : out.first_blocks;
        if (grown && firsts) {
            grown[number] = (struct block){.thread = thread, .next = firsts[thread]};
            firsts[thread] = number;
        }
    }
    assert((first & ((1 << BLOCK_BITS) - 1)) == 0);
    out.next_handle += blocks << BLOCK_BITS;
    pthread_mutex_unlock(&lock);
    return first;
}

void raw_output_release_thread(uint32_t thread)
{
    if (out.between_threads && !out.bursts)
        return;
    pthread_mutex_lock(&lock);
    for (uint32_t i = thread < out.first_block_capacity ? out.first_blocks[thread] : 0; i; i = out.blocks[i].next) {
        free(out.blocks[i].accesses);
        out.blocks[i].accesses = NULL;
    }
    if (thread < out.first_block_capacity)
        out.first_blocks[thread] = 0;
    pthread_mutex_unlock(&lock);
}

static struct block *raw_output_find_block(uint32_t handle)
{
    uint32_t number = handle >> BLOCK_BITS;
    return number < out.block_capacity && out.blocks[number].thread ? &out.blocks[number] : NULL;
}

static uint64_t raw_output_site_address(uint32_t method, uint64_t word)
{
    return RAW_MANAGED | (uint64_t)method << RAW_MANAGED_METHOD_SHIFT | (word & UINT32_MAX);
}

uint64_t raw_output_loop_address(uint32_t number, const struct method *method, uint64_t loop)
{
    loop &= LOOP_NUMBER;
    return loop > 0 && loop <= method->loop_count ? raw_output_site_address(number, method->loops[loop - 1]) : 0;
}

static void raw_output_write_method(uint32_t number, const struct method *method)
{
    bool *grown = grow(out.methods, &out.method_capacity, number, sizeof *grown);
    if (!grown || grown[number])
        return;
    out.methods = grown;
    out.methods[number] = true;
    const char *names[] = {method->class_name, method->name, method->descriptor, method->file};
    struct raw_method record = {.id = number};
    size_t size = 0;
    for (size_t i = 0; i < 4; i++)
        size += record.bytes[i] = (uint32_t)strlen(names[i]) + 1;
    char *text = malloc(size), *end = text;
    if (!text)
        return;
    for (size_t i = 0; i < 4; i++)
        end = mempcpy(end, names[i], record.bytes[i]);
    raw_output_write(RAW_METHOD, &record, sizeof record, text, size);
    free(text);
    for (uint32_t i = 0; !out.kinds && i < method->loop_count; i++) { /* mode memory has the loops themselves */
        struct raw_loop loop = {raw_output_site_address(number, method->loops[i]),
                                raw_output_loop_address(number, method, method->loops[i] >> LOOP_AROUND_SHIFT)};
        raw_output_write(RAW_LOOP, &loop, sizeof loop, "", 0);
    }
}

/* What the file knows of a node's accesses, whose numbers begin with `first`. */
static void raw_output_number_accesses(const struct raw_output_node *node, const struct method *method, uint32_t first)
{
    for (uint32_t i = 0; i < method->access_count; i++) {
        /* The file's number of a handle is kept here; NULL without memory. */
        uint32_t handle = node->first_handle + i;
        struct block *block = raw_output_find_block(handle);
        if (block && !block->accesses)
            block->accesses = calloc(1 << BLOCK_BITS, sizeof *block->accesses);
        struct access *access = block && block->accesses ? &block->accesses[handle & ((1 << BLOCK_BITS) - 1)] : NULL;
        uint32_t kind = (uint32_t)(method->accesses[i] >> 32) & 0xff;
        if (kind & KIND_REFERENCE)
            kind = (kind & ~(uint32_t)KIND_REFERENCE) | out.references;
        if (access)
            *access = (struct access){first + i, kind};
    }
}

static void raw_output_write_node(const struct raw_output_node *node, uint32_t number)
{
    struct method method, caller;
    bool called = methods_at(node->parent_method, &caller) && node->site < caller.call_count;
    if (called)
        raw_output_write_method(node->parent_method, &caller);
    struct raw_node record = {
        .id = number,
        .parent = node->parent,
        .thread = node->thread,
        .kind = node->cut       ? RAW_CUT
                : !node->parent ? RAW_ROOT
                                : RAW_CALLED,
        .call = called ? raw_output_site_address(node->parent_method, caller.calls[node->site]) : 0,
        .loop = called ? raw_output_loop_address(node->parent_method, &caller,
                                                 caller.around_calls[node->site] >> CALL_LOOP_SHIFT)
                       : 0};
    raw_output_write(RAW_NODE, &record, sizeof record, "", 0);
    if (methods_at(node->method, &method)) {
        raw_output_write_method(node->method, &method);
        if (out.kinds) {
            struct raw_sites sites = {.first = out.accesses + 1, .count = method.access_count, .node = number};
            uint64_t *addresses = calloc((size_t)method.access_count + 1, sizeof *addresses);
            for (uint32_t i = 0; addresses && i < method.access_count; i++)
                addresses[i] = raw_output_site_address(node->method, method.accesses[i]);
            if (addresses && method.access_count > 0) {
                raw_output_number_accesses(node, &method, sites.first);
                raw_output_write(RAW_SITES, &sites, sizeof sites, addresses, method.access_count * sizeof *addresses);
                out.accesses += method.access_count;
            }
            free(addresses);
        }
    }
}

static bool raw_output_nodes_match(const void *wanted, uint32_t id)
{
    const struct raw_output_node *a = wanted, *b = &out.known[id];
    return a->thread == b->thread && a->parent == b->parent && a->site == b->site && a->method == b->method &&
           a->cut == b->cut;
}

static uint64_t raw_output_hash_node(const struct raw_output_node *node)
{
    uint64_t parent = (uint64_t)node->thread << 33 | (uint64_t)node->cut << 32 | node->parent;
    return hash_mix(parent, (uint64_t)node->site << 32 | node->method);
}

uint32_t raw_output_define_node(const struct raw_output_node *node)
{
    struct method method;
    pthread_mutex_lock(&lock);
    uint32_t number = 0;
    if (out.file && out.bursts) {
        /* The accesses of a node that an earlier burst has had have other handles now. */
        number = hash_find(&out.known_nodes, raw_output_hash_node(node), raw_output_nodes_match, node);
        if (number && methods_at(node->method, &method))
            raw_output_number_accesses(node, &method, out.known[number].first_handle);
    }
    if (out.file && !number) {
        uint32_t first_access = out.accesses + 1;
        number = ++out.nodes;
        raw_output_write_node(node, number);
        if (out.bursts) {
            /* Without memory it is written again in the next burst. */
            struct raw_output_node *grown = grow_unset(out.known, &out.known_capacity, number, sizeof *grown);
            if (grown) {
                out.known = grown;
                out.known[number] = *node;
                out.known[number].first_handle = first_access;
                hash_add(&out.known_nodes, raw_output_hash_node(node), number);
            }
        }
    }
    pthread_mutex_unlock(&lock);
    return number;
}

/* ------------------------------------------------------------------------------------------ objects -- */

static bool raw_output_object_matches(const void *handle, uint32_t id)
{
    return out.object_of[id].handle == *(const int32_t *)handle;
}

static uint64_t raw_output_object_key(int32_t handle)
{
    return hash_mix((uint64_t)handle, 0);
}

/* An object's number in the file; 0: not known. */
static uint32_t raw_output_object_number(int32_t handle)
{
    if (handle < 0) {
        /* A static field has a number of its own in the file. */
        uint32_t field = (uint32_t)-handle;
        struct method named;
        uint32_t method = statics_field_method(field), *grown;
        grown = grow(out.static_objects, &out.static_object_capacity, field, sizeof *grown);
        if (!grown)
            return 0;
        out.static_objects = grown;
        if (!methods_at(method, &named))
            return 0;
        if (!grown[field]) {
            struct raw_object object = {
                .id = ++out.file_objects, .kind = OBJECT_STATIC, .address = raw_output_site_address(method, 0)};
            raw_output_write_method(method, &named);
            raw_output_write(RAW_OBJECT, &object, sizeof object, "", 0);
            grown[field] = object.id;
        }
        return grown[field];
    }
    uint32_t id =
        handle ? hash_find(&out.objects, raw_output_object_key(handle), raw_output_object_matches, &handle) : 0;
    return id ? out.object_of[id].number : 0;
}

/* The same node's object in an earlier burst is the same one. */
static uint32_t raw_output_node_object(uint32_t node, uint32_t method)
{
    uint32_t *grown = grow(out.node_objects, &out.node_object_capacity, node, sizeof *grown);
    if (!grown)
        return 0;
    out.node_objects = grown;
    if (!grown[node]) {
        struct raw_object object = {
            .id = ++out.file_objects, .kind = OBJECT_HEAP, .address = raw_output_site_address(method, 0), .node = node};
        raw_output_write(RAW_OBJECT, &object, sizeof object, "", 0);
        grown[node] = object.id;
    }
    return grown[node];
}

void raw_output_define_object(uint32_t handle, uint32_t node, uint32_t method)
{
    pthread_mutex_lock(&lock);
    if (out.file && !raw_output_object_number((int32_t)handle)) {
        /* Without memory the object stays unknown. */
        uint32_t number = raw_output_node_object(node, method);
        struct object *grown = grow_unset(out.object_of, &out.object_capacity, out.object_count + 1, sizeof *grown);
        if (grown) {
            out.object_of = grown;
            grown[out.object_count + 1] = (struct object){(int32_t)handle, number};
            if (hash_add(&out.objects, raw_output_object_key((int32_t)handle), out.object_count + 1) == 0)
                out.object_count++;
        }
    }
    pthread_mutex_unlock(&lock);
}

/* ------------------------------------------------------------------------------------------ counts -- */

static struct access raw_output_find_access(uint32_t handle)
{
    const struct block *block = raw_output_find_block(handle);
    return block && block->accesses ? block->accesses[handle & ((1 << BLOCK_BITS) - 1)] : (struct access){0};
}

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

static void raw_output_write_pairs(const struct raw_pair *pair, uint32_t kind, uint64_t silent, uint64_t dead)
{
    unsigned size = kind & KIND_SIZE;
    if (!(kind & KIND_STORE))
        raw_output_write_pair(pair, WASTE_SILENT_LOAD, silent, size);
    if (kind & KIND_STORE && out.kinds & RAW_OUTPUT_SILENT_STORES)
        raw_output_write_pair(pair, WASTE_SILENT_STORE, silent, size);
    if (kind & KIND_STORE && out.kinds & RAW_OUTPUT_DEAD_STORES)
        raw_output_write_pair(pair, WASTE_DEAD_STORE, dead, size);
}

/* Where the header of a loop is, whose method the file knows. */
static uint64_t raw_output_scope_address(uint32_t scope)
{
    struct method method;
    uint32_t number = scope >> RAW_OUTPUT_LOOP_BITS, loop = scope & ((1 << RAW_OUTPUT_LOOP_BITS) - 1);
    if (!loop || !methods_at(number, &method) || loop > method.loop_count)
        return 0;
    raw_output_write_method(number, &method);
    return raw_output_site_address(number, method.loops[loop - 1]);
}

bool raw_output_add_pair(const struct raw_output_pair *counted)
{
    pthread_mutex_lock(&lock);
    struct access before = raw_output_find_access(counted->first), after = raw_output_find_access(counted->second);
    const struct block *block = raw_output_find_block(counted->first);
    bool own = block && block->thread == counted->thread;
    uint32_t object = raw_output_object_number(counted->object);
    bool is_pair = own || out.between_threads;
    bool known = after.number && (before.number || !is_pair) && (object || counted->object <= 0);
    uint64_t events = counted->events, silent = counted->silent, dead = counted->dead;
    if (out.file && known) {
        struct raw_pair pair = {.first = before.number,
                                .second = after.number,
                                .scope = raw_output_scope_address(counted->scope),
                                .object = object,
                                .thread = counted->thread,
                                .values = after.kind & KIND_FLOATING ? VALUES_APPROXIMATE : VALUES_PRECISE,
                                .events = events,
                                .bytes = events << (after.kind & KIND_SIZE)};
        raw_output_add_total(counted->thread, after.kind, events);
        if (is_pair)
            raw_output_write_pairs(&pair, after.kind, silent < events ? silent : events, dead < events ? dead : events);
        if (!own)
            raw_output_write_lost(RAW_OTHER_THREAD, pair.bytes);
    }
    pthread_mutex_unlock(&lock);
    return known;
}

void raw_output_add_unpaired(uint32_t thread, const uint64_t counts[16])
{
    pthread_mutex_lock(&lock);
    for (uint32_t kind = 0; kind < 16; kind++)
        if (counts[kind] > 0)
            raw_output_add_total(thread, kind, counts[kind]);
    pthread_mutex_unlock(&lock);
}

void raw_output_add_lost(uint64_t reused, uint64_t lumped, uint64_t scopes)
{
    pthread_mutex_lock(&lock);
    if (out.file) {
        raw_output_write_lost(RAW_LOST_DEPTH, reused);
        raw_output_write_lost(RAW_LOST_NODES, lumped);
        raw_output_write_lost(RAW_LOST_SCOPES, scopes);
    }
    pthread_mutex_unlock(&lock);
}

void raw_output_add_elsewhere(uint64_t bytes)
{
    pthread_mutex_lock(&lock);
    if (out.file)
        raw_output_write_lost(RAW_ELSEWHERE, bytes);
    pthread_mutex_unlock(&lock);
}

void raw_output_count_hidden(void)
{
    pthread_mutex_lock(&lock);
    out.hidden++;
    pthread_mutex_unlock(&lock);
}

/* ------------------------------------------------------------------------------------------ bursts -- */

void raw_output_add_burst(const uint64_t sums[RAW_OUTPUT_SUMS])
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < RAW_OUTPUT_SUMS; i++)
        out.burst[i] += sums[i];
    pthread_mutex_unlock(&lock);
}

void raw_output_end_burst(void (*learn)(const struct raw_burst *burst))
{
    static const struct {
        unsigned kind, waste;
    } KINDS[] = {{RAW_OUTPUT_LOADS, WASTE_SILENT_LOAD},
                 {RAW_OUTPUT_SILENT_STORES, WASTE_SILENT_STORE},
                 {RAW_OUTPUT_DEAD_STORES, WASTE_DEAD_STORE}};
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
        const uint64_t *sums = &out.burst[5 * i];
        struct raw_burst burst = {.waste = KINDS[i].waste,
                                  .bytes = sums[0],
                                  .wasted_bytes = sums[1],
                                  .unseen_bytes = sums[2],
                                  .crossing_bytes = sums[3],
                                  .crossing_wasted_bytes = sums[4]};
        if (!out.file || !(out.kinds & KINDS[i].kind))
            continue;
        raw_output_write(RAW_BURST, &burst, sizeof burst, "", 0);
        learn(&burst);
    }
    memset(out.burst, 0, sizeof out.burst);
    hash_free(&out.objects); /* they belong to the burst */
    out.objects = (struct hash){0};
    out.object_count = 0;
    pthread_mutex_unlock(&lock);
}

/* ------------------------------------------------------------------------------------------ the end -- */

void raw_output_flush(void)
{
    pthread_mutex_lock(&lock);
    if (out.file) {
        /* Writes what has come since the last time. */
        for (uint32_t thread = 1; thread <= out.threads && thread < out.total_capacity; thread++)
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
        if (fflush(out.file) != 0 && !out.error)
            out.error = errno;
    }
    pthread_mutex_unlock(&lock);
}

int raw_output_end(uint32_t status)
{
    struct raw_end end = {.kind = RAW_EXITED, .status = status};
    raw_output_flush();
    pthread_mutex_lock(&lock);
    if (out.file) {
        raw_output_write(RAW_END, &end, sizeof end, "", 0);
        if (fclose(out.file) != 0 && !out.error)
            out.error = errno;
        out.file = NULL;
    }
    int error = out.error;
    pthread_mutex_unlock(&lock);
    return error;
}

#include "collect/rewrite/raw_definitions.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "collect/rewrite/agent.h"
#include "collect/rewrite/methods.h"
#include "collect/rewrite/raw_output.h"
#include "trace/trace.h"

enum { BLOCK_BITS = 8 };

/* What a handle of an object stands for in the file. */
struct object {
    int32_t handle;
    uint32_t number;
};

/* So many handles in a row belong to one thread. */
struct block {
    uint32_t thread;             /* 0: none */
    uint32_t next;               /* of the same thread; 0: the last */
    struct raw_access *accesses; /* NULL: none is in the file, or the thread has ended */
};

/* Under the lock. */
static struct {
    uint32_t nodes, accesses, references;
    uint32_t next_handle;
    struct block *blocks; /* [handle >> BLOCK_BITS] */
    size_t block_capacity;
    uint32_t *first_blocks; /* [thread] */
    size_t first_block_capacity;
    bool *methods; /* [number]: it is in the file */
    size_t method_capacity;
    struct hash node_set;         /* an id is a node's number */
    struct raw_output_node *node; /* [number]; first_handle: the number of its first access */
    size_t node_capacity;
    struct hash objects;      /* an id is an index into the next */
    struct object *object_of; /* from 1 */
    size_t object_capacity;
    uint32_t object_count;
    uint32_t *node_objects; /* [node]: its object in the file; 0: none */
    size_t node_object_capacity;
    uint32_t *static_objects; /* [static field]: likewise */
    size_t static_object_capacity;
    uint32_t file_objects;
} known = {.next_handle = RAW_OUTPUT_FIRST_HANDLE};

/* ------------------------------------------------------------------------------------------ definitions -- */

void raw_output_set_reference_size(uint32_t size)
{
    assert(size <= 3);
    known.references = size;
}

uint32_t raw_output_define_thread(uint32_t tid, const char *name)
{
    pthread_mutex_lock(&raw_output.lock);
    uint32_t number = ++raw_output.threads;
    struct raw_thread thread = {number, tid};
    if (raw_output.file) {
        raw_output_write(RAW_THREAD, &thread, sizeof thread, "", 0);
        if (name) {
            struct raw_thread_name named = {number, (uint32_t)strlen(name)};
            raw_output_write(RAW_THREAD_NAME, &named, sizeof named, name, named.bytes + 1);
        }
    }
    pthread_mutex_unlock(&raw_output.lock);
    return number;
}

uint32_t raw_output_reserve_handles(uint32_t thread, uint32_t count)
{
    pthread_mutex_lock(&raw_output.lock);
    uint32_t first = known.next_handle, blocks = (count + (1 << BLOCK_BITS) - 1) >> BLOCK_BITS;
    for (uint32_t i = 0; i < blocks; i++) {
        /* Without memory the accesses of such handles stay unknown. */
        uint32_t number = (first >> BLOCK_BITS) + i;
        struct block *grown = grow(known.blocks, &known.block_capacity, number, sizeof *grown);
        uint32_t *firsts = grow(known.first_blocks, &known.first_block_capacity, thread, sizeof *firsts);
        known.blocks = grown ? grown : known.blocks;
        known.first_blocks = firsts ? firsts : known.first_blocks;
        if (grown && firsts) {
            grown[number] = (struct block){.thread = thread, .next = firsts[thread]};
            firsts[thread] = number;
        }
    }
    assert((first & ((1 << BLOCK_BITS) - 1)) == 0);
    known.next_handle += blocks << BLOCK_BITS;
    pthread_mutex_unlock(&raw_output.lock);
    return first;
}

void raw_output_release_thread(uint32_t thread)
{
    if (raw_output.between_threads && !raw_output.bursts)
        return;
    pthread_mutex_lock(&raw_output.lock);
    for (uint32_t i = thread < known.first_block_capacity ? known.first_blocks[thread] : 0; i;
         i = known.blocks[i].next) {
        free(known.blocks[i].accesses);
        known.blocks[i].accesses = NULL;
    }
    if (thread < known.first_block_capacity)
        known.first_blocks[thread] = 0;
    pthread_mutex_unlock(&raw_output.lock);
}

static struct block *raw_output_find_block(uint32_t handle)
{
    uint32_t number = handle >> BLOCK_BITS;
    return number < known.block_capacity && known.blocks[number].thread ? &known.blocks[number] : NULL;
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
    bool *grown = grow(known.methods, &known.method_capacity, number, sizeof *grown);
    if (!grown || grown[number])
        return;
    known.methods = grown;
    known.methods[number] = true;
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
    for (uint32_t i = 0; !raw_output.kinds && i < method->loop_count; i++) { /* mode memory has the loops themselves */
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
        struct raw_access *access =
            block && block->accesses ? &block->accesses[handle & ((1 << BLOCK_BITS) - 1)] : NULL;
        uint32_t kind = (uint32_t)(method->accesses[i] >> 32) & 0xff;
        if (kind & KIND_REFERENCE)
            kind = (kind & ~(uint32_t)KIND_REFERENCE) | known.references;
        if (access)
            *access = (struct raw_access){first + i, kind};
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
        if (raw_output.kinds) {
            struct raw_sites sites = {.first = known.accesses + 1, .count = method.access_count, .node = number};
            uint64_t *addresses = calloc((size_t)method.access_count + 1, sizeof *addresses);
            for (uint32_t i = 0; addresses && i < method.access_count; i++)
                addresses[i] = raw_output_site_address(node->method, method.accesses[i]);
            if (addresses && method.access_count > 0) {
                raw_output_number_accesses(node, &method, sites.first);
                raw_output_write(RAW_SITES, &sites, sizeof sites, addresses, method.access_count * sizeof *addresses);
                known.accesses += method.access_count;
            }
            free(addresses);
        }
    }
}

static bool raw_output_nodes_match(const void *wanted, uint32_t id)
{
    const struct raw_output_node *a = wanted, *b = &known.node[id];
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
    pthread_mutex_lock(&raw_output.lock);
    uint32_t number = 0;
    if (raw_output.file && raw_output.bursts) {
        /* The accesses of a node that an earlier burst has had have other handles now. */
        number = hash_find(&known.node_set, raw_output_hash_node(node), raw_output_nodes_match, node);
        if (number && methods_at(node->method, &method))
            raw_output_number_accesses(node, &method, known.node[number].first_handle);
    }
    if (raw_output.file && !number) {
        uint32_t first_access = known.accesses + 1;
        number = ++known.nodes;
        raw_output_write_node(node, number);
        if (raw_output.bursts) {
            /* Without memory it is written again in the next burst. */
            struct raw_output_node *grown = grow_unset(known.node, &known.node_capacity, number, sizeof *grown);
            if (grown) {
                known.node = grown;
                known.node[number] = *node;
                known.node[number].first_handle = first_access;
                hash_add(&known.node_set, raw_output_hash_node(node), number);
            }
        }
    }
    pthread_mutex_unlock(&raw_output.lock);
    return number;
}

/* ------------------------------------------------------------------------------------------ objects -- */

static bool raw_output_object_matches(const void *handle, uint32_t id)
{
    return known.object_of[id].handle == *(const int32_t *)handle;
}

static uint64_t raw_output_object_key(int32_t handle)
{
    return hash_mix((uint64_t)handle, 0);
}

uint32_t raw_output_object_number(int32_t handle)
{
    if (handle < 0) {
        /* A static field has a number of its own in the file. */
        uint32_t field = (uint32_t)-handle;
        struct method named;
        uint32_t method = statics_field_method(field), *grown;
        grown = grow(known.static_objects, &known.static_object_capacity, field, sizeof *grown);
        if (!grown)
            return 0;
        known.static_objects = grown;
        if (!methods_at(method, &named))
            return 0;
        if (!grown[field]) {
            struct raw_object object = {
                .id = ++known.file_objects, .kind = OBJECT_STATIC, .address = raw_output_site_address(method, 0)};
            raw_output_write_method(method, &named);
            raw_output_write(RAW_OBJECT, &object, sizeof object, "", 0);
            grown[field] = object.id;
        }
        return grown[field];
    }
    uint32_t id =
        handle ? hash_find(&known.objects, raw_output_object_key(handle), raw_output_object_matches, &handle) : 0;
    return id ? known.object_of[id].number : 0;
}

void raw_output_define_object(uint32_t handle, uint32_t node, uint32_t method)
{
    pthread_mutex_lock(&raw_output.lock);
    if (raw_output.file && !raw_output_object_number((int32_t)handle)) {
        /* The same node's object in an earlier burst is the same one. Without memory the object stays unknown. */
        uint32_t *numbers = grow(known.node_objects, &known.node_object_capacity, node, sizeof *numbers);
        known.node_objects = numbers ? numbers : known.node_objects;
        if (numbers && !numbers[node]) {
            struct raw_object object = {.id = ++known.file_objects,
                                        .kind = OBJECT_HEAP,
                                        .address = raw_output_site_address(method, 0),
                                        .node = node};
            raw_output_write(RAW_OBJECT, &object, sizeof object, "", 0);
            numbers[node] = object.id;
        }
        uint32_t number = numbers ? numbers[node] : 0;
        struct object *grown =
            grow_unset(known.object_of, &known.object_capacity, known.object_count + 1, sizeof *grown);
        if (grown) {
            known.object_of = grown;
            grown[known.object_count + 1] = (struct object){(int32_t)handle, number};
            if (hash_add(&known.objects, raw_output_object_key((int32_t)handle), known.object_count + 1) == 0)
                known.object_count++;
        }
    }
    pthread_mutex_unlock(&raw_output.lock);
}

/* ------------------------------------------------------------------------------------------ questions -- */

struct raw_access raw_output_find_access(uint32_t handle)
{
    const struct block *block = raw_output_find_block(handle);
    return block && block->accesses ? block->accesses[handle & ((1 << BLOCK_BITS) - 1)] : (struct raw_access){0};
}

uint64_t raw_output_scope_address(uint32_t scope)
{
    struct method method;
    uint32_t number = scope >> RAW_OUTPUT_LOOP_BITS, loop = scope & ((1 << RAW_OUTPUT_LOOP_BITS) - 1);
    if (!loop || !methods_at(number, &method) || loop > method.loop_count)
        return 0;
    raw_output_write_method(number, &method);
    return raw_output_site_address(number, method.loops[loop - 1]);
}

uint32_t raw_output_handle_thread(uint32_t handle)
{
    const struct block *block = raw_output_find_block(handle);
    return block ? block->thread : 0;
}

void raw_output_forget_objects(void)
{
    hash_free(&known.objects);
    known.objects = (struct hash){0};
    known.object_count = 0;
}

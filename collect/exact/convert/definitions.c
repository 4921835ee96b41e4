#include "collect/exact/convert/definitions.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "collect/exact/convert/module_file.h"
#include "trace/trace.h"

/* A wrong id must not take all memory: gaps between ids may have at most this size. */
enum { GAP_MAX = 1 << 20, ID_MAX = 1 << 27 };

/* ---------------------------------------------------------------------------- tables -- */

/* Makes capacity for the entries up to `id`. */
static int definitions_reserve(struct definition_table *table, uint64_t id, size_t size)
{
    if (id == 0 || id > ID_MAX || id > (uint64_t)table->count + GAP_MAX)
        return EILSEQ;
    void *entries = grow(table->entries, &table->capacity, id, size);
    if (!entries)
        return ENOMEM;
    table->entries = entries;
    assert(table->capacity > id);
    if (id > table->count)
        table->count = (uint32_t)id;
    return 0;
}

struct definition_module *definitions_module(const struct definitions *definitions, uint32_t id)
{
    struct definition_module *modules = definitions->modules.entries;
    return id > 0 && id <= definitions->modules.count ? &modules[id] : NULL;
}

struct definition_node *definitions_node(const struct definitions *definitions, uint32_t id)
{
    struct definition_node *nodes = definitions->nodes.entries;
    return id > 0 && id <= definitions->nodes.count ? &nodes[id] : NULL;
}

struct definition_site *definitions_site(const struct definitions *definitions, uint32_t handle)
{
    struct definition_site *sites = definitions->sites.entries;
    return handle > 0 && handle <= definitions->sites.count && sites[handle].node ? &sites[handle] : NULL;
}

struct definition_thread *definitions_thread(const struct definitions *definitions, uint32_t id)
{
    struct definition_thread *threads = definitions->threads.entries;
    return id > 0 && id <= definitions->threads.count && threads[id].stream ? &threads[id] : NULL;
}

struct definition_object *definitions_object(const struct definitions *definitions, uint32_t id)
{
    struct definition_object *objects = definitions->objects.entries;
    return id > 0 && id <= definitions->objects.count && objects[id].defined ? &objects[id] : NULL;
}

struct definition_block *definitions_block(const struct definitions *definitions, uint32_t id)
{
    struct definition_block *blocks = definitions->blocks.entries;
    return id > 0 && id <= definitions->blocks.count && blocks[id].slots ? &blocks[id] : NULL;
}

struct definition_method *definitions_method(const struct definitions *definitions, uint32_t id)
{
    struct definition_method *methods = definitions->methods.entries;
    return id > 0 && id <= definitions->methods.count && methods[id].class_name ? &methods[id] : NULL;
}

struct wanted_loop {
    const struct definition_loop *loops;
    uint64_t header;
};

static bool definitions_is_loop(const void *user, uint32_t id)
{
    const struct wanted_loop *wanted = user;
    return wanted->loops[id].header.address == wanted->header;
}

struct definition_loop *definitions_loop(const struct definitions *definitions, uint64_t header)
{
    const struct wanted_loop wanted = {definitions->loops.entries, header};
    uint32_t id = hash_find(&definitions->loop_set, hash_mix(header, 0), definitions_is_loop, &wanted);
    return id ? (struct definition_loop *)definitions->loops.entries + id : NULL;
}

void definitions_free(struct definitions *definitions)
{
    for (uint32_t id = 1; id <= definitions->modules.count; id++)
        free(definitions_module(definitions, id)->path);
    free(definitions->modules.entries);
    free(definitions->nodes.entries);
    free(definitions->sites.entries);
    for (uint32_t id = 1; id <= definitions->threads.count; id++)
        free(((struct definition_thread *)definitions->threads.entries)[id].name);
    free(definitions->threads.entries);
    for (uint32_t id = 1; id <= definitions->methods.count; id++)
        free(((struct definition_method *)definitions->methods.entries)[id].class_name);
    free(definitions->methods.entries);
    free(definitions->objects.entries);
    for (uint32_t id = 1; id <= definitions->blocks.count; id++) {
        free(((struct definition_block *)definitions->blocks.entries)[id].slots);
        free(((struct definition_block *)definitions->blocks.entries)[id].code);
    }
    free(definitions->blocks.entries);
    free(definitions->loops.entries);
    hash_free(&definitions->loop_set);
    json_decref(definitions->functions);
    *definitions = (struct definitions){0};
}

/* ---------------------------------------------------------------------------- locations -- */

struct definition_location definitions_code(const struct definitions *definitions, uint64_t address)
{
    for (uint32_t id = definitions->modules.count; id > 0; id--) {
        const struct definition_module *module = definitions_module(definitions, id);
        if (address >= module->low && address < module->high)
            return (struct definition_location){address, id};
    }
    return (struct definition_location){address, 0};
}

struct definition_location definitions_data(const struct definitions *definitions, uint64_t address)
{
    for (uint32_t id = definitions->modules.count; id > 0; id--) {
        struct definition_module *module = definitions_module(definitions, id);
        if (!module->segments_read)
            module_file_segments(module->path, &module->segments_low, &module->segments_high);
        module->segments_read = true;
        if (address - module->bias >= module->segments_low && address - module->bias < module->segments_high)
            return (struct definition_location){address, id};
    }
    return definitions_code(definitions, address);
}

/* ---------------------------------------------------------------------------- definitions -- */

static int definitions_add_module(struct definitions *definitions, const struct raw_record *record)
{
    const struct raw_module *raw = record->payload;
    const char *path = record->bytes >= sizeof *raw ? raw_file_text(record, sizeof *raw, raw->path_bytes) : NULL;
    if (!path || raw->id != definitions->modules.count + 1 || raw->low > raw->high)
        return EILSEQ;
    char *copy = strdup(path);
    int error = copy ? definitions_reserve(&definitions->modules, raw->id, sizeof(struct definition_module)) : ENOMEM;
    if (error) {
        free(copy);
        return error;
    }
    assert(definitions->modules.count == raw->id);
    *definitions_module(definitions, raw->id) =
        (struct definition_module){.path = copy, .bias = raw->bias, .low = raw->low, .high = raw->high};
    return 0;
}

/* A repeated number with another kernel thread is a different thread. */
static int definitions_add_thread(struct definitions *definitions, const struct raw_record *record)
{
    const struct raw_thread *raw = record->payload;
    if (record->bytes < sizeof *raw)
        return EILSEQ;
    int error = definitions_reserve(&definitions->threads, raw->id, sizeof(struct definition_thread));
    if (error)
        return error;
    struct definition_thread *thread = (struct definition_thread *)definitions->threads.entries + raw->id;
    if (!thread->stream || thread->tid != raw->tid) {
        free(thread->name);
        *thread = (struct definition_thread){.tid = raw->tid, .stream = ++definitions->streams};
    }
    return 0;
}

static int definitions_set_thread_name(struct definitions *definitions, const struct raw_record *record)
{
    const struct raw_thread_name *raw = record->payload;
    const char *name = record->bytes >= sizeof *raw ? raw_file_text(record, sizeof *raw, raw->bytes) : NULL;
    struct definition_thread *thread = name ? definitions_thread(definitions, raw->thread) : NULL;
    if (!thread)
        return EILSEQ;
    free(thread->name);
    thread->name = strdup(name);
    return thread->name ? 0 : ENOMEM;
}

static int definitions_add_method(struct definitions *definitions, const struct raw_record *record)
{
    const struct raw_method *raw = record->payload;
    uint64_t size = 0, at[4];
    bool good = record->bytes >= sizeof *raw;
    for (size_t i = 0; i < 4 && good; i++) {
        at[i] = size;
        good = raw->bytes[i] > 0 && raw_file_text(record, sizeof *raw + size, raw->bytes[i] - 1);
        size += raw->bytes[i];
    }
    if (!good || definitions_method(definitions, raw->id))
        return EILSEQ;
    char *copy = malloc(size);
    int error = copy ? definitions_reserve(&definitions->methods, raw->id, sizeof(struct definition_method)) : ENOMEM;
    if (error) {
        free(copy);
        return error;
    }
    memcpy(copy, raw + 1, size);
    struct definition_method *methods = definitions->methods.entries;
    methods[raw->id] = (struct definition_method){
        .class_name = copy, .name = copy + at[1], .descriptor = copy + at[2], .file = copy + at[3]};
    return 0;
}

static int definitions_add_nodes(struct definitions *definitions, const struct raw_record *record)
{
    const struct raw_node *nodes = record->payload;
    if (record->bytes % sizeof *nodes != 0)
        return EILSEQ;
    for (size_t i = 0; i < record->bytes / sizeof *nodes; i++) {
        const struct raw_node *raw = &nodes[i];
        if (raw->id != definitions->nodes.count + 1 || raw->parent >= raw->id || raw->kind > RAW_CUT)
            return EILSEQ;
        int error = definitions_reserve(&definitions->nodes, raw->id, sizeof(struct definition_node));
        if (error)
            return error;
        assert(definitions->nodes.count == raw->id);
        *definitions_node(definitions, raw->id) =
            (struct definition_node){.call = definitions_code(definitions, raw->call),
                                     .loop = raw->loop,
                                     .parent = raw->parent,
                                     .kind = raw->kind,
                                     .thread = raw->thread};
    }
    return 0;
}

static int definitions_add_loops(struct definitions *definitions, const struct raw_record *record)
{
    const struct raw_loop *loops = record->payload;
    if (record->bytes % sizeof *loops != 0)
        return EILSEQ;
    for (size_t i = 0; i < record->bytes / sizeof *loops; i++) {
        const struct raw_loop *raw = &loops[i];
        const struct definition_location header = definitions_code(definitions, raw->header);
        struct definition_loop *known = definitions_loop(definitions, raw->header);
        if (known) {
            bool same = known->header.module == header.module && known->around == raw->around;
            *known = (struct definition_loop){header, raw->around, known->version + !same};
            continue;
        }
        uint32_t id = definitions->loops.count + 1;
        int error = raw->header ? definitions_reserve(&definitions->loops, id, sizeof(struct definition_loop)) : EILSEQ;
        if (error)
            return error;
        assert(definitions->loops.count == id);
        ((struct definition_loop *)definitions->loops.entries)[id] = (struct definition_loop){header, raw->around, 0};
        error = hash_add(&definitions->loop_set, hash_mix(raw->header, 0), id);
        if (error)
            return error;
    }
    return 0;
}

static int definitions_add_sites(struct definitions *definitions, const struct raw_record *record)
{
    const struct raw_sites *raw = record->payload;
    if (record->bytes < sizeof *raw || (record->bytes - sizeof *raw) / sizeof(uint64_t) != raw->count ||
        !definitions_node(definitions, raw->node))
        return EILSEQ;
    const uint64_t *addresses = (const void *)(raw + 1);
    for (uint32_t i = 0; i < raw->count; i++) {
        uint32_t handle = raw->first + i;
        int error = definitions_site(definitions, handle)
                        ? EILSEQ
                        : definitions_reserve(&definitions->sites, handle, sizeof(struct definition_site));
        if (error)
            return error;
        struct definition_site *sites = definitions->sites.entries;
        sites[handle] =
            (struct definition_site){.location = definitions_code(definitions, addresses[i]), .node = raw->node};
    }
    return 0;
}

/* The node that allocated it may be defined after it, before the first use of both. */
static int definitions_add_object(struct definitions *definitions, const struct raw_record *record)
{
    const struct raw_object *raw = record->payload;
    if (record->bytes < sizeof *raw || raw->kind >= OBJECT_KIND_COUNT || definitions_object(definitions, raw->id))
        return EILSEQ;
    int error = definitions_reserve(&definitions->objects, raw->id, sizeof(struct definition_object));
    if (!error) {
        struct definition_object *objects = definitions->objects.entries;
        objects[raw->id] = (struct definition_object){.address = raw->address,
                                                      .bytes = raw->bytes,
                                                      .kind = raw->kind,
                                                      .node = raw->node,
                                                      .module = raw->module,
                                                      .defined = true};
    }
    return error;
}

static int definitions_add_block(struct definitions *definitions, const struct raw_record *record)
{
    const struct raw_block *raw = record->payload;
    const struct raw_slot *slots = (const void *)(raw + 1);
    bool good = record->bytes >= sizeof *raw && (record->bytes - sizeof *raw) % sizeof *slots == 0 &&
                (record->bytes - sizeof *raw) / sizeof *slots == raw->count;
    for (uint32_t i = 0; good && i < raw->count; i++)
        good = definitions_is_header(&slots[i])
                   ? slots[i].words == 0 && slots[i].loop == slots[i].address && slots[i].loop
                   : slots[i].access < ACCESS_COUNT && slots[i].words <= RAW_VALUE_WORDS;
    if (!good || definitions_block(definitions, raw->id))
        return EILSEQ;
    int error = definitions_reserve(&definitions->blocks, raw->id, sizeof(struct definition_block));
    struct definition_slot *copy = error ? NULL : calloc(raw->count + 1, sizeof *copy);
    if (!copy)
        return error ? error : ENOMEM;
    for (uint32_t i = 0; i < raw->count; i++)
        copy[i] = (struct definition_slot){definitions_code(definitions, slots[i].address), slots[i]};
    bool late = false;
    for (uint32_t i = 0; i < raw->count; i++)
        late |= slots[i].access == RAW_LATE_HEADER;
    ((struct definition_block *)definitions->blocks.entries)[raw->id] =
        (struct definition_block){.slots = copy, .count = raw->count, .instructions = raw->instructions, .late = late};
    return 0;
}

static int definitions_add_code(struct definitions *definitions, const struct raw_record *record)
{
    const struct raw_code *raw = record->payload;
    struct definition_block *block = record->bytes >= sizeof *raw ? definitions_block(definitions, raw->block) : NULL;
    if (!block)
        return EILSEQ;
    /* Executed instructions are those fetched so far, without repetitions. */
    const struct raw_instruction *instructions = (const void *)(raw + 1);
    bool good = block && !block->code && raw->count > 0 &&
                (record->bytes - sizeof *raw) / sizeof *instructions == raw->count &&
                (record->bytes - sizeof *raw) % sizeof *instructions == 0 && instructions[0].instructions == 1;
    for (uint32_t i = 1; good && i < raw->count; i++)
        good = instructions[i].instructions - instructions[i - 1].instructions <= 1;
    if (!good)
        return EILSEQ;
    struct raw_instruction *code = calloc(raw->count, sizeof *code);
    if (!code)
        return ENOMEM;
    memcpy(code, raw + 1, raw->count * sizeof *code);
    block->code = code;
    block->code_count = raw->count;
    return 0;
}

/* ---------------------------------------------------------------------------- counts -- */

/* Whether a record of counts or calls is complete and refers to nothing that is undefined. */
static bool definitions_count_is_valid(const struct definitions *definitions, const struct raw_record *record)
{
    const struct raw_pair *pair = record->payload;
    const struct raw_total *total = record->payload;
    const struct raw_call *call = record->payload;
    const struct raw_call_end *end = record->payload;
    const struct raw_burst *burst = record->payload;
    bool good;
    switch (record->type) {
    case RAW_PAIR:
        good = record->bytes % sizeof *pair == 0;
        for (size_t left = record->bytes / sizeof *pair; left > 0 && good; left--, pair++)
            good = (pair->first == 0 || definitions_site(definitions, pair->first)) &&
                   (pair->second == 0 || definitions_site(definitions, pair->second)) &&
                   (pair->object == 0 || definitions_object(definitions, pair->object)) &&
                   definitions_thread(definitions, pair->thread) && pair->waste < WASTE_COUNT &&
                   pair->values < VALUES_COUNT && pair->wasted_events <= pair->events &&
                   pair->wasted_bytes <= pair->bytes;
        return good;
    case RAW_TOTAL:
        good = record->bytes % sizeof *total == 0;
        for (size_t left = record->bytes / sizeof *total; left > 0 && good; left--, total++)
            good = definitions_thread(definitions, total->thread) && total->access < ACCESS_COUNT &&
                   total->values < VALUES_COUNT;
        return good;
    case RAW_CALL:
        return (record->bytes == sizeof *call || record->bytes == sizeof *call + RAW_ARGUMENTS * sizeof(uint64_t)) &&
               definitions_thread(definitions, call->thread) && definitions_site(definitions, call->site);
    case RAW_CALL_END:
        return record->bytes >= sizeof *end && record->bytes <= sizeof *end + RAW_COUNTERS_MAX * sizeof(uint64_t) &&
               definitions_thread(definitions, end->thread) &&
               (end->how == RAW_RETURNED || end->how == RAW_LEFT || end->how == RAW_UNFINISHED ||
                end->how == RAW_THREAD_TOTAL);
    default:
        assert(record->type == RAW_BURST);
        return record->bytes >= sizeof *burst && burst->waste < WASTE_COUNT && burst->unseen_bytes <= burst->bytes &&
               burst->crossing_bytes <= burst->bytes && burst->crossing_wasted_bytes <= burst->crossing_bytes;
    }
}

/* The latest number of functions counts. */
static int definitions_set_function_count(struct definitions *definitions, const struct raw_record *record)
{
    const struct raw_name *raw = record->payload;
    const char *name = record->bytes >= sizeof *raw ? raw_file_text(record, sizeof *raw, raw->bytes) : NULL;
    if (!name)
        return EILSEQ;
    if (!definitions->functions)
        definitions->functions = json_object();
    json_object_set_new(definitions->functions, name, json_integer(raw->functions)); /* none if it is not UTF-8 */
    return definitions->functions ? 0 : ENOMEM;
}

int definitions_add_record(struct definitions *definitions, const struct raw_record *record)
{
    assert(record->payload);
    switch (record->type) {
    case RAW_MODULE:
        return definitions_add_module(definitions, record);
    case RAW_THREAD:
        return definitions_add_thread(definitions, record);
    case RAW_THREAD_NAME:
        return definitions_set_thread_name(definitions, record);
    case RAW_METHOD:
        return definitions_add_method(definitions, record);
    case RAW_NODE:
        return definitions_add_nodes(definitions, record);
    case RAW_LOOP:
        return definitions_add_loops(definitions, record);
    case RAW_SITES:
        return definitions_add_sites(definitions, record);
    case RAW_OBJECT:
        return definitions_add_object(definitions, record);
    case RAW_BLOCK:
        return definitions_add_block(definitions, record);
    case RAW_CODE:
        return definitions_add_code(definitions, record);
    case RAW_PAIR:
    case RAW_TOTAL:
    case RAW_CALL:
    case RAW_CALL_END:
    case RAW_BURST:
        return definitions_count_is_valid(definitions, record) ? 0 : EILSEQ;
    case RAW_NAME:
        return definitions_set_function_count(definitions, record);
    default:
        return 0;
    }
}

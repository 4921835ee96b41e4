#include "collect/symbols/lookup.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/grow.h"

/* The result for a raw frame: count new frames from `first` in the list, innermost first. */
struct chain {
    size_t first, count;
};

struct lookup {
    const struct trace_names *names;
    struct tree *tree;
    struct cache *cache; /* or NULL */
    struct resolve_report *report;
    struct chain *chains; /* [raw frame id] */
    const uint8_t *uses;  /* [raw context id]: enum lookup_use */
    struct chain *loops;  /* [raw frame id], of the frames of headers */
    uint32_t *list;       /* new frame ids */
    size_t list_count, list_capacity;
};

static bool lookup_in_module(const struct trace_frame *frame)
{
    return frame->module != 0 && frame->position >= 0;
}

bool lookup_is_native(const struct trace_names *names)
{
    for (size_t i = 1; i < names->frame_count; i++)
        if (lookup_in_module(&names->frames[i]))
            return true;
    return false;
}

static int lookup_add_frame(struct lookup *lookup, const struct trace_method *method, struct trace_frame frame)
{
    frame.method = tree_method(lookup->tree, method, 0);
    uint32_t id = frame.method ? tree_frame(lookup->tree, &frame) : 0;
    uint32_t *list = id ? grow_unset(lookup->list, &lookup->list_capacity, lookup->list_count, sizeof *list) : NULL;
    if (!list)
        return -1;
    lookup->list = list;
    assert(lookup->list_count < lookup->list_capacity);
    lookup->list[lookup->list_count++] = id;
    return 0;
}

/* The frame as written by the collector. */
static int lookup_copy_frame(struct lookup *lookup, size_t id)
{
    const struct trace_frame *frame = &lookup->names->frames[id];
    lookup->chains[id] = (struct chain){lookup->list_count, 1};
    return lookup_add_frame(lookup, &lookup->names->methods[frame->method], *frame);
}

static int lookup_add_locations(struct lookup *lookup, const struct location *locations, size_t count, uint32_t module,
                                struct chain *chain)
{
    int status = 0;
    *chain = (struct chain){lookup->list_count, count};
    for (size_t i = 0; i < count && status == 0; i++) {
        const struct location *location = &locations[i];
        const struct trace_method method = {"", location->name, location->signature, location->file};
        status = lookup_add_frame(
            lookup, &method,
            (struct trace_frame){.line = location->line, .position = (int64_t)location->position, .module = module});
    }
    return status;
}

static int lookup_set_frame(struct lookup *lookup, size_t id, const struct location *locations, size_t count)
{
    assert(id > 0 && id < lookup->names->frame_count);
    lookup->report->frames++;
    if (count == 0)
        return lookup_copy_frame(lookup, id);
    lookup->report->named++;
    lookup->report->with_line += locations[0].line > 0;
    lookup->report->inlined += count - 1;
    return lookup_add_locations(lookup, locations, count, lookup->names->frames[id].module, &lookup->chains[id]);
}

/* A module with the symbols of the code that ran. */
struct opened {
    struct symbols *symbols; /* NULL: there are none */
    uint32_t cached;         /* its number in the cache */
};

/* Marks a loop's header in the cache: no position in a module has this bit. */
static const uint64_t LOOP = UINT64_C(1) << 63;

/* The loop whose header the frame is, if `loop`; else the functions at the frame. */
static int lookup_name_frame(struct lookup *lookup, const struct opened *module, size_t id, bool loop)
{
    const struct trace_frame *frame = &lookup->names->frames[id];
    uint64_t position = (uint64_t)frame->position, key = loop ? position | LOOP : position;
    struct location locations[LOCATIONS_MAX];
    const struct location *known = NULL;
    size_t count = 0;
    if (!module->symbols)
        return loop ? 0 : lookup_set_frame(lookup, id, NULL, 0);
    bool cached = cache_find(lookup->cache, module->cached, key, &known, &count);
    if (!cached) {
        count = loop ? symbols_lookup_loop(module->symbols, position, locations)
                     : symbols_lookup(module->symbols, position, locations);
        known = locations;
    }
    int status = loop ? lookup_add_locations(lookup, known, count, frame->module, &lookup->loops[id])
                      : lookup_set_frame(lookup, id, known, count);
    if (!cached && !cache_add(lookup->cache, module->cached, key, locations, count))
        symbols_free_locations(locations, count);
    return status;
}

/* One module's files are open at a time. is_header[frame id] */
static int lookup_name_module(struct lookup *lookup, size_t module, const bool *is_header)
{
    const struct trace_names *names = lookup->names;
    struct resolve_report *report = lookup->report;
    const char *path = names->modules[module].path, *build_id = names->modules[module].build_id;
    struct opened open = {.cached = cache_module(lookup->cache, path, build_id)};
    bool opened = false;
    int status = 0;
    for (size_t id = 1; id < names->frame_count && status == 0; id++) {
        if (!lookup_in_module(&names->frames[id]) || names->frames[id].module != module)
            continue;
        if (!opened) {
            enum symbols_status symbols = symbols_open(path, build_id, &open.symbols);
            report->modules++;
            if (symbols == SYMBOLS_MISSING && report->modules_missing++ == 0)
                snprintf(report->first_missing, sizeof report->first_missing, "%s", path);
            if (symbols == SYMBOLS_CHANGED && report->modules_changed++ == 0)
                snprintf(report->first_changed, sizeof report->first_changed, "%s", path);
        }
        opened = true;
        status = lookup_name_frame(lookup, &open, id, false);
        if (status == 0 && is_header[id])
            status = lookup_name_frame(lookup, &open, id, true);
    }
    symbols_close(open.symbols);
    return status;
}

static int lookup_put_chain(struct lookup *lookup, struct chain chain, uint32_t *context)
{
    assert(chain.first + chain.count <= lookup->list_count);
    for (size_t i = chain.count; i-- > 0;)
        if (!(*context = tree_context(lookup->tree, *context, lookup->list[chain.first + i])))
            return -1;
    return 0;
}

/* A lost definition has an entry without a frame. */
static int lookup_map_contexts(struct lookup *lookup, const struct lookup_maps *maps)
{
    for (size_t id = 1; id < lookup->names->context_count; id++) {
        const struct trace_context *raw = &lookup->names->contexts[id];
        if (raw->frame == 0)
            continue;
        assert(raw->parent < id);
        struct chain chain = lookup->chains[raw->frame];
        maps->contexts[id] = maps->contexts[raw->parent];
        if (lookup_put_chain(lookup, chain, &maps->contexts[id]) != 0)
            return -1;
        maps->loops[id] = maps->entries[id] = maps->contexts[id];
        if (lookup->uses[id] & LOOKUP_ENTRY && chain.count >= 2) {
            /* The function itself is the outermost of those whose code is at its beginning. */
            maps->entries[id] = maps->contexts[raw->parent];
            if (lookup_put_chain(lookup, (struct chain){chain.first + chain.count - 1, 1}, &maps->entries[id]) != 0)
                return -1;
        }
        if (!(lookup->uses[id] & LOOKUP_HEADER) || lookup->loops[raw->frame].count == 0)
            continue;
        maps->loops[id] = maps->contexts[raw->parent];
        if (lookup_put_chain(lookup, lookup->loops[raw->frame], &maps->loops[id]) != 0)
            return -1;
    }
    return 0;
}

void lookup_maps_free(struct lookup_maps *maps)
{
    free(maps->contexts);
    free(maps->loops);
    free(maps->entries);
    free(maps->methods);
    *maps = (struct lookup_maps){0};
}

int lookup_all(const struct trace_names *names, const uint8_t *uses, struct cache *cache, struct tree *tree,
               struct lookup_maps *maps, struct resolve_report *report)
{
    struct lookup lookup = {.names = names, .uses = uses, .cache = cache, .tree = tree, .report = report};
    struct lookup_maps made = {
        calloc(names->context_count, sizeof *made.contexts), calloc(names->context_count, sizeof *made.loops),
        calloc(names->context_count, sizeof *made.entries), calloc(names->method_count, sizeof *made.methods)};
    lookup.chains = calloc(names->frame_count, sizeof *lookup.chains);
    lookup.loops = calloc(names->frame_count, sizeof *lookup.loops);
    bool *is_header = calloc(names->frame_count, sizeof *is_header);
    bool good =
        made.contexts && made.loops && made.entries && made.methods && lookup.chains && lookup.loops && is_header;
    for (size_t id = 1; id < names->context_count && good; id++)
        if (uses[id] & LOOKUP_HEADER)
            is_header[names->contexts[id].frame] = true;
    for (size_t id = 1; id < names->frame_count && good; id++)
        if (!lookup_in_module(&names->frames[id]))
            good = lookup_copy_frame(&lookup, id) == 0;
    for (size_t module = 1; module < names->module_count && good; module++)
        good = lookup_name_module(&lookup, module, is_header) == 0;
    free(is_header);
    if (good) {
        /* A location where inlined calls begin belongs to the function that contains them. */
        uint32_t *methods = made.methods;
        for (size_t id = 1; id < lookup.names->frame_count; id++) {
            struct chain chain = lookup.chains[id];
            uint32_t *method = &methods[lookup.names->frames[id].method];
            if (*method == 0 && chain.count > 0)
                *method = tree_frame_at(lookup.tree, lookup.list[chain.first + chain.count - 1])->method;
        }
        methods[0] = 0;
    }
    good = good && lookup_map_contexts(&lookup, &made) == 0;
    free(lookup.chains);
    free(lookup.loops);
    free(lookup.list);
    if (good)
        *maps = made;
    else
        lookup_maps_free(&made);
    return good ? 0 : -1;
}

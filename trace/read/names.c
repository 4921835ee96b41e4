#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

/* Ids are dense from 1; a definition may extend a table only by this much (a damaged definition chunk leaves a gap of
 * at most its own records, and a bound keeps a wrong id from taking all memory). */
enum { GAP_MAX = 1 << 20, ID_MAX = 1 << 27, PRESIZE_MAX = 1 << 22 };

struct text_block {
    struct text_block *next;
    char text[];
};

struct loader {
    const struct trace *trace;
    struct trace_names *names;
    struct trace_loss *loss;
    size_t method_capacity, frame_capacity, context_capacity, module_capacity, thread_capacity, site_capacity,
        loop_capacity;
    bool no_memory;
};

/* Usually the first growth suffices: trace_names_presize() knows the number of definitions in the chunks. */
static bool trace_names_grow(void **array, size_t *capacity, uint64_t id, size_t size)
{
    size_t wanted = *capacity ? *capacity : 64;
    while (wanted <= id)
        wanted *= 2;
    void *grown = *array ? realloc(*array, wanted * size) : calloc(wanted, size);
    if (!grown)
        return false;
    if (*array)
        memset((char *)grown + *capacity * size, 0, (wanted - *capacity) * size);
    *array = grown;
    *capacity = wanted;
    return true;
}

/* Makes space for entry `id`; entries between the old count and it are zeros until defined. */
static bool trace_names_reserve(struct loader *loader, void **array, size_t *count, size_t *capacity, uint64_t id,
                                size_t size)
{
    if (id < *count)
        return true;
    if (id > ID_MAX || id - *count > GAP_MAX) {
        loader->loss->records++;
        return false;
    }
    if (id >= *capacity && !trace_names_grow(array, capacity, id, size)) {
        loader->no_memory = true;
        return false;
    }
    *count = id + 1;
    return true;
}

#define RESERVE(loader, what, id)                                                                                      \
    trace_names_reserve(loader, (void **)&(loader)->names->what##s, &(loader)->names->what##_count,                    \
                        &(loader)->what##_capacity, id, sizeof *(loader)->names->what##s)

/* The strings of a whole batch go into one block that lives as long as the names. */
static char *trace_names_text_block(struct loader *loader, const struct trace_batch *batch)
{
    size_t total = 0;
    for (size_t c = 0; c < TRACE_COLUMNS_MAX; c++)
        for (size_t i = 0; batch->strings[c] && i < batch->count; i++)
            total += batch->strings[c][i].length + 1;
    struct text_block *block = malloc(sizeof *block + total + 1);
    if (!block) {
        loader->no_memory = true;
        return NULL;
    }
    block->next = loader->names->memory;
    loader->names->memory = block;
    return block->text;
}

static const char *trace_names_copy_text(char **at, const struct trace_string *string)
{
    char *text = *at;
    memcpy(text, string->text, string->length);
    text[string->length] = '\0';
    *at = text + string->length + 1;
    return text;
}

static uint32_t trace_names_narrow(uint64_t value)
{
    return value >= UINT32_MAX ? 0 : (uint32_t)value;
}

static void trace_names_load_methods(struct loader *loader, const struct trace_batch *batch)
{
    char *text = trace_names_text_block(loader, batch);
    for (size_t i = 0; text && i < batch->count; i++) {
        uint64_t id = batch->integers[METHOD_ID][i];
        if (!id || !RESERVE(loader, method, id))
            continue;
        struct trace_method *method = &loader->names->methods[id];
        method->class_name = trace_names_copy_text(&text, &batch->strings[METHOD_CLASS][i]);
        method->name = trace_names_copy_text(&text, &batch->strings[METHOD_NAME][i]);
        method->signature = trace_names_copy_text(&text, &batch->strings[METHOD_SIGNATURE][i]);
        method->file = trace_names_copy_text(&text, &batch->strings[METHOD_FILE][i]);
    }
}

static void trace_names_load_frames(struct loader *loader, const struct trace_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        uint64_t id = batch->integers[FRAME_ID][i];
        if (id && RESERVE(loader, frame, id))
            loader->names->frames[id] = (struct trace_frame){trace_names_narrow(batch->integers[FRAME_METHOD][i]),
                                                             trace_names_narrow(batch->integers[FRAME_LINE][i]),
                                                             (int64_t)batch->integers[FRAME_POSITION][i],
                                                             trace_names_narrow(batch->integers[FRAME_MODULE][i])};
    }
}

static void trace_names_load_contexts(struct loader *loader, const struct trace_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        uint64_t id = batch->integers[CONTEXT_ID][i], parent = batch->integers[CONTEXT_PARENT][i];
        if (id && RESERVE(loader, context, id))
            loader->names->contexts[id] = (struct trace_context){parent < id ? (uint32_t)parent : 0,
                                                                 trace_names_narrow(batch->integers[CONTEXT_FRAME][i])};
    }
}

static void trace_names_load_modules(struct loader *loader, const struct trace_batch *batch)
{
    char *text = trace_names_text_block(loader, batch);
    for (size_t i = 0; text && i < batch->count; i++) {
        uint64_t id = batch->integers[MODULE_ID][i];
        if (!id || !RESERVE(loader, module, id))
            continue;
        const char *path = trace_names_copy_text(&text, &batch->strings[MODULE_PATH][i]);
        const char *build_id = trace_names_copy_text(&text, &batch->strings[MODULE_BUILD_ID][i]);
        loader->names->modules[id] =
            (struct trace_module){path, build_id, batch->integers[MODULE_BIAS][i], batch->integers[MODULE_LOW][i],
                                  batch->integers[MODULE_HIGH][i]};
    }
}

static void trace_names_load_threads(struct loader *loader, const struct trace_batch *batch)
{
    char *text = trace_names_text_block(loader, batch);
    for (size_t i = 0; text && i < batch->count; i++) {
        uint64_t id = batch->integers[THREAD_ID][i];
        if (!id || !RESERVE(loader, thread, id))
            continue;
        loader->names->threads[id] =
            (struct trace_thread){batch->integers[THREAD_TID][i],
                                  trace_names_copy_text(&text, &batch->strings[THREAD_NAME][i]),
                                  (unsigned)batch->integers[THREAD_ROLE][i],
                                  batch->integers[THREAD_FIRST_NS][i],
                                  batch->integers[THREAD_FIRST_CPU_NS][i],
                                  batch->integers[THREAD_LAST_NS][i],
                                  batch->integers[THREAD_LAST_CPU_NS][i]};
    }
}

static void trace_names_load_sites(struct loader *loader, const struct trace_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        uint64_t id = batch->integers[SITE_ID][i], access = batch->integers[SITE_ACCESS][i];
        if (id && RESERVE(loader, site, id))
            loader->names->sites[id] = (struct trace_site){trace_names_narrow(batch->integers[SITE_CONTEXT][i]),
                                                           trace_names_narrow(batch->integers[SITE_THREAD][i]),
                                                           trace_names_narrow(batch->integers[SITE_BYTES][i]),
                                                           access < ACCESS_COUNT ? (unsigned)access : ACCESS_COUNT,
                                                           trace_names_narrow(batch->integers[SITE_LOOP][i])};
    }
}

static void trace_names_load_loops(struct loader *loader, const struct trace_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        uint64_t id = batch->integers[LOOP_ID][i];
        if (id && RESERVE(loader, loop, id))
            loader->names->loops[id] = (struct trace_loop){trace_names_narrow(batch->integers[LOOP_CONTEXT][i]),
                                                           trace_names_narrow(batch->integers[LOOP_THREAD][i]),
                                                           trace_names_narrow(batch->integers[LOOP_OUTER][i])};
    }
}

static void trace_names_load_lost(struct loader *loader, const struct trace_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        uint64_t cause = batch->integers[LOST_CAUSE][i];
        if (cause < LOST_CAUSE_COUNT)
            loader->loss->dropped[cause] += batch->integers[LOST_COUNT][i];
    }
}

/* ------------------------------------------------------------------------------------ all of them -- */

static void (*const loaders[TRACE_KIND_COUNT])(struct loader *, const struct trace_batch *) = {
    [TRACE_METHOD] = trace_names_load_methods,   [TRACE_FRAME] = trace_names_load_frames,
    [TRACE_CONTEXT] = trace_names_load_contexts, [TRACE_MODULE] = trace_names_load_modules,
    [TRACE_THREAD] = trace_names_load_threads,   [TRACE_LOST] = trace_names_load_lost,
    [TRACE_SITE] = trace_names_load_sites,       [TRACE_LOOP] = trace_names_load_loops,
};

bool trace_names_reads(unsigned kind)
{
    return kind < TRACE_KIND_COUNT && loaders[kind];
}

static bool trace_names_load_all(struct loader *loader)
{
    struct trace_batch batch = {0};
    struct error_text message;
    for (size_t i = 0; i < trace_chunk_count(loader->trace) && !loader->no_memory; i++) {
        const struct trace_chunk *chunk = trace_chunk_at(loader->trace, i);
        if (!trace_names_reads(chunk->kind))
            continue;
        int status = trace_read(loader->trace, i, TRACE_ALL_COLUMNS, &batch, &message);
        if (status == 0)
            loaders[chunk->kind](loader, &batch);
        trace_loss_read(loader->loss, chunk, status, &message);
        loader->no_memory |= status == TRACE_NO_MEMORY;
    }
    trace_batch_free(&batch);
    return !loader->no_memory;
}

/* Allocates tables of the size given by the chunk headers, so that they need not grow step by step. */
static bool trace_names_presize(struct loader *loader)
{
    struct trace_names *names = loader->names;
    uint64_t counts[TRACE_KIND_COUNT] = {0};
    for (size_t i = 0; i < trace_chunk_count(loader->trace); i++) {
        const struct trace_chunk *chunk = trace_chunk_at(loader->trace, i);
        if (trace_names_reads(chunk->kind))
            counts[chunk->kind] += chunk->count;
    }
    const struct {
        unsigned kind;
        void **array;
        size_t *capacity, size;
    } tables[] = {
        {TRACE_METHOD, (void **)&names->methods, &loader->method_capacity, sizeof *names->methods},
        {TRACE_FRAME, (void **)&names->frames, &loader->frame_capacity, sizeof *names->frames},
        {TRACE_CONTEXT, (void **)&names->contexts, &loader->context_capacity, sizeof *names->contexts},
        {TRACE_SITE, (void **)&names->sites, &loader->site_capacity, sizeof *names->sites},
        {TRACE_LOOP, (void **)&names->loops, &loader->loop_capacity, sizeof *names->loops},
    };
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        uint64_t most = counts[tables[i].kind] < PRESIZE_MAX ? counts[tables[i].kind] : PRESIZE_MAX;
        if (!trace_names_grow(tables[i].array, tables[i].capacity, most, tables[i].size))
            return false;
    }
    return true;
}

int trace_names_load(const struct trace *trace, struct trace_names *names, struct trace_loss *loss)
{
    *names = (struct trace_names){0};
    struct loader loader = {.trace = trace, .names = names, .loss = loss};
    bool zeros = trace_names_presize(&loader) && RESERVE(&loader, method, 0) && RESERVE(&loader, frame, 0) &&
                 RESERVE(&loader, context, 0) && RESERVE(&loader, module, 0) && RESERVE(&loader, thread, 0) &&
                 RESERVE(&loader, site, 0) && RESERVE(&loader, loop, 0);
    if (!zeros || !trace_names_load_all(&loader)) {
        trace_names_free(names);
        return -1;
    }
    /* Missing definitions of a damaged chunk get a name that says so; references become safe to follow. */
    for (size_t i = 0; i < names->method_count; i++)
        if (!names->methods[i].name)
            names->methods[i] = (struct trace_method){"", "[lost definition]", "", ""};
    for (size_t i = 0; i < names->module_count; i++)
        if (!names->modules[i].path)
            names->modules[i] = (struct trace_module){.path = "", .build_id = ""};
    for (size_t i = 0; i < names->thread_count; i++)
        if (!names->threads[i].name)
            names->threads[i].name = "[lost definition]";
    for (size_t i = 0; i < names->frame_count; i++) {
        struct trace_frame *frame = &names->frames[i];
        frame->method = frame->method < names->method_count ? frame->method : 0;
        frame->module = frame->module < names->module_count ? frame->module : 0;
    }
    for (size_t i = 0; i < names->context_count; i++)
        if (names->contexts[i].frame >= names->frame_count)
            names->contexts[i].frame = 0;
    for (size_t i = 0; i < names->site_count; i++) {
        struct trace_site *site = &names->sites[i];
        site->context = site->context < names->context_count ? site->context : 0;
        site->thread = site->thread < names->thread_count ? site->thread : 0;
        site->loop = site->loop < names->loop_count ? site->loop : 0;
    }
    for (size_t i = 0; i < names->loop_count; i++) {
        struct trace_loop *loop = &names->loops[i];
        loop->context = loop->context < names->context_count ? loop->context : 0;
        loop->thread = loop->thread < names->thread_count ? loop->thread : 0;
        loop->outer = loop->outer < i ? loop->outer : 0;
    }
    return 0;
}

void trace_names_free(struct trace_names *names)
{
    free(names->methods);
    free(names->frames);
    free(names->contexts);
    free(names->modules);
    free(names->threads);
    free(names->sites);
    free(names->loops);
    for (struct text_block *block = names->memory, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    *names = (struct trace_names){0};
}

const struct trace_context *trace_names_context(const struct trace_names *names, uint64_t id)
{
    return &names->contexts[id < names->context_count ? id : 0];
}

const struct trace_site *trace_names_site(const struct trace_names *names, uint64_t id)
{
    return &names->sites[id < names->site_count ? id : 0];
}

const struct trace_loop *trace_names_loop(const struct trace_names *names, uint64_t id)
{
    return &names->loops[id < names->loop_count ? id : 0];
}

const struct trace_method *trace_names_method(const struct trace_names *names, uint64_t context)
{
    return &names->methods[names->frames[trace_names_context(names, context)->frame].method];
}

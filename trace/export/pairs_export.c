#include "trace/export/pairs_export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/keyed.h"
#include "trace/names/thread_name.h"
#include "trace/export/export_format.h"

/* Frames that follow those of the trace. */
enum { FRAME_UNKNOWN, FRAME_THEN, FRAME_KIND, FRAMES_MORE = FRAME_KIND + WASTE_COUNT };

/* What a thread wasted with a stack. */
struct pairs_sum {
    uint32_t thread, context; /* the key */
    uint64_t bytes, events;
};

struct pairs_stacks {
    struct trace_names names; /* the trace's, with more methods and frames, and with the stacks of pairs as contexts */
    size_t frames;            /* of the trace */
    struct keyed contexts;    /* struct trace_context, all of it the key; 0: none */
    struct keyed sums;        /* struct pairs_sum */
    uint32_t *path;           /* [contexts of the trace] */
};

static void pairs_export_free(struct pairs_stacks *stacks)
{
    free(stacks->names.methods);
    free(stacks->names.frames);
    free(stacks->path);
    keyed_free(&stacks->contexts);
    keyed_free(&stacks->sums);
}

/* The names of a trace with the frames that pairs need. 0 or ENOMEM; to be freed in either case. */
static int pairs_export_init(struct pairs_stacks *stacks, const struct trace_names *names)
{
    const struct trace_context none = {0};
    *stacks = (struct pairs_stacks){
        .names = *names,
        .frames = names->frame_count,
        .contexts = {.item_bytes = sizeof(struct trace_context), .key_bytes = sizeof(struct trace_context)},
        .sums = {.item_bytes = sizeof(struct pairs_sum), .key_bytes = offsetof(struct pairs_sum, bytes)}};
    stacks->names.methods = calloc(names->method_count + FRAMES_MORE, sizeof *stacks->names.methods);
    stacks->names.frames = calloc(names->frame_count + FRAMES_MORE, sizeof *stacks->names.frames);
    stacks->path = calloc(names->context_count + 1, sizeof *stacks->path);
    if (!stacks->names.methods || !stacks->names.frames || !stacks->path ||
        keyed_add(&stacks->contexts, &none) == KEYED_FULL)
        return ENOMEM;
    memcpy(stacks->names.methods, names->methods, names->method_count * sizeof *names->methods);
    memcpy(stacks->names.frames, names->frames, names->frame_count * sizeof *names->frames);
    for (size_t i = 0; i < FRAMES_MORE; i++) {
        size_t method = i == FRAME_UNKNOWN ? 0 : names->method_count + i;
        const char *name = i < FRAME_KIND ? "then" : trace_waste_name((unsigned)(i - FRAME_KIND));
        if (method > 0)
            stacks->names.methods[method] =
                (struct trace_method){.class_name = "", .name = name, .signature = "", .file = ""};
        stacks->names.frames[names->frame_count + i] = (struct trace_frame){.method = (uint32_t)method, .position = -1};
    }
    stacks->names.method_count += FRAMES_MORE;
    stacks->names.frame_count += FRAMES_MORE;
    return 0;
}

/* The context of a frame that `parent` called; KEYED_FULL without memory, or if that is the parent. */
static uint32_t pairs_add_frame(struct pairs_stacks *stacks, uint32_t parent, size_t frame)
{
    const struct trace_context context = {.parent = parent, .frame = (uint32_t)frame};
    return parent == KEYED_FULL ? KEYED_FULL : keyed_add(&stacks->contexts, &context);
}

/* Likewise of all frames of a context of the trace, within `parent`. */
static uint32_t pairs_add_context(struct pairs_stacks *stacks, uint32_t parent, const struct trace_names *names,
                                  uint64_t id)
{
    size_t depth = 0;
    if (id == 0 || id >= names->context_count)
        return pairs_add_frame(stacks, parent, stacks->frames + FRAME_UNKNOWN);
    for (uint32_t at = (uint32_t)id; at; at = names->contexts[at].parent)
        stacks->path[depth++] = names->contexts[at].frame;
    while (depth-- > 0) {
        size_t frame = stacks->path[depth] > 0 ? stacks->path[depth] : stacks->frames + FRAME_UNKNOWN;
        parent = pairs_add_frame(stacks, parent, frame);
    }
    return parent;
}

uint64_t pairs_export_columns(uint32_t kind)
{
    if (kind == TRACE_PAIR)
        return TRACE_COLUMN(PAIR_WASTE) | TRACE_COLUMN(PAIR_FIRST) | TRACE_COLUMN(PAIR_SECOND) |
               TRACE_COLUMN(PAIR_WASTED_BYTES) | TRACE_COLUMN(PAIR_WASTED_EVENTS);
    return kind == TRACE_TRAP ? TRACE_COLUMN(TRAP_WASTE) | TRACE_COLUMN(TRAP_FIRST) | TRACE_COLUMN(TRAP_SECOND) |
                                    TRACE_COLUMN(TRAP_WASTED) | TRACE_COLUMN(TRAP_BYTES) | TRACE_COLUMN(TRAP_WEIGHT)
                              : 0;
}

bool pairs_export_row(const struct trace_batch *batch, size_t row, struct pairs_wish *wish, struct pairs_row *pair)
{
    const uint64_t *const *columns = batch->integers;
    bool sampled = batch->kind == TRACE_TRAP;
    uint64_t waste = columns[sampled ? TRAP_WASTE : PAIR_WASTE][row];
    if (waste >= WASTE_COUNT) {
        wish->unknown++;
        return false;
    }
    *pair = (struct pairs_row){.waste = (unsigned)waste,
                               .first = columns[sampled ? TRAP_FIRST : PAIR_FIRST][row],
                               .second = columns[sampled ? TRAP_SECOND : PAIR_SECOND][row]};
    if (!sampled) {
        pair->bytes = columns[PAIR_WASTED_BYTES][row];
        pair->events = columns[PAIR_WASTED_EVENTS][row];
    } else if (columns[TRAP_WASTED][row]) {
        pair->bytes = columns[TRAP_BYTES][row] * columns[TRAP_WEIGHT][row];
        pair->events = columns[TRAP_WEIGHT][row];
    }
    return pair->bytes > 0 && (wish->kind == WASTE_COUNT || wish->kind == waste);
}

/* The pairs of a batch. 0 or ENOMEM. */
static int pairs_add_batch(struct pairs_stacks *stacks, const struct trace_names *names, struct pairs_wish *wish,
                           const struct trace_batch *batch)
{
    for (size_t row = 0; row < batch->count; row++) {
        struct pairs_row pair;
        if (!pairs_export_row(batch, row, wish, &pair))
            continue;
        struct pairs_sum key = {.thread = batch->thread};
        uint32_t at =
            wish->kind == WASTE_COUNT ? pairs_add_frame(stacks, 0, stacks->frames + FRAME_KIND + pair.waste) : 0;
        at = pairs_add_context(stacks, at, names, pair.first);
        at = pairs_add_frame(stacks, at, stacks->frames + FRAME_THEN);
        key.context = pairs_add_context(stacks, at, names, pair.second);
        uint32_t index = key.context == KEYED_FULL ? KEYED_FULL : keyed_add(&stacks->sums, &key);
        if (index == KEYED_FULL)
            return ENOMEM;
        struct pairs_sum *sum = keyed_at(&stacks->sums, index);
        sum->bytes += pair.bytes;
        sum->events += pair.events;
    }
    return 0;
}

static int pairs_read(struct pairs_stacks *stacks, const struct trace *trace, const struct trace_names *names,
                      struct pairs_wish *wish, struct trace_loss *loss)
{
    struct trace_batch batch = {0};
    struct error_text problem;
    int error = 0;
    for (size_t i = 0; !error && i < trace_chunk_count(trace); i++) {
        const struct trace_chunk *chunk = trace_chunk_at(trace, i);
        const uint64_t columns = pairs_export_columns(chunk->kind);
        if (columns == 0)
            continue;
        int status = trace_read(trace, i, columns, &batch, &problem);
        trace_loss_read(loss, chunk, status, &problem);
        if (status == 0)
            error = pairs_add_batch(stacks, names, wish, &batch);
    }
    trace_batch_free(&batch);
    return error;
}

static int pairs_compare_threads(const void *a, const void *b)
{
    const struct pairs_sum *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return x->context < y->context ? -1 : x->context > y->context;
}

/* One value of the sums from `begin` to before `end`, as a profile of its own. */
static bool pairs_write_value(struct profile_export *export, const struct pairs_sum *begin, const struct pairs_sum *end,
                              bool of_events)
{
    char thread[sizeof export->thread], *unit = export->unit, events[] = "samples";
    uint64_t total = 0;
    for (const struct pairs_sum *sum = begin; sum < end; sum++)
        total += export->counts[sum->context] = of_events ? sum->events : sum->bytes;
    memcpy(thread, export->thread, sizeof thread);
    snprintf(export->thread, sizeof export->thread, "%.200s: wasted %s", thread, of_events ? "events" : "bytes");
    export->unit = of_events ? events : unit;
    bool good = export->format->thread(export, total);
    export->unit = unit;
    return good;
}

/* The sums of one thread. */
static bool pairs_write_thread(struct profile_export *export, const struct pairs_sum *begin,
                               const struct pairs_sum *end)
{
    bool good;
    if (export->format->all_weights) {
        uint64_t total = 0;
        for (const struct pairs_sum *sum = begin; sum < end; sum++) {
            total += export->counts[sum->context] = sum->bytes;
            export->more_counts[sum->context] = sum->events;
        }
        good = export->format->thread(export, total);
    } else {
        good = pairs_write_value(export, begin, end, false);
        thread_name(export->names, begin->thread, export->thread, sizeof export->thread);
        good = good && pairs_write_value(export, begin, end, true);
    }
    for (const struct pairs_sum *sum = begin; sum < end; sum++)
        export->counts[sum->context] = export->more_counts[sum->context] = 0;
    return good;
}

/* Names the values, before the first trace. */
static bool pairs_begin(struct profile_export *export)
{
    if (export->unit)
        return true;
    export->unit = strdup("bytes");
    export->mode = strdup("wasted_bytes");
    if (export->format->all_weights) {
        export->more_count = 1;
        export->more[0].name = strdup("wasted_events");
        export->more[0].unit = strdup("samples");
    }
    if (!export->unit || !export->mode || (export->more_count > 0 && (!export->more[0].name || !export->more[0].unit)))
        return false;
    export->format->begin_file(export);
    return true;
}

bool pairs_export_add(struct profile_export *export, const struct trace *trace, const struct trace_names *names,
                      struct pairs_wish *wish, struct trace_loss *loss)
{
    struct pairs_stacks stacks;
    bool good = pairs_export_init(&stacks, names) == 0 && pairs_read(&stacks, trace, names, wish, loss) == 0 &&
                pairs_begin(export);
    stacks.names.contexts = stacks.contexts.items;
    stacks.names.context_count = stacks.contexts.count;
    export->trace_number++;
    export->names = &stacks.names;
    export->counts = calloc(stacks.contexts.count + 1, sizeof *export->counts);
    export->more_counts = calloc(stacks.contexts.count + 1, sizeof *export->more_counts);
    good = good && export->counts && export->more_counts && export->format->begin_trace(export);
    struct pairs_sum *sums = stacks.sums.items;
    if (stacks.sums.count > 0)
        qsort(sums, stacks.sums.count, sizeof *sums, pairs_compare_threads);
    for (size_t begin = 0, end; good && begin < stacks.sums.count; begin = end) {
        for (end = begin + 1; end < stacks.sums.count && sums[end].thread == sums[begin].thread;)
            end++;
        thread_name(names, sums[begin].thread, export->thread, sizeof export->thread);
        export->tid = sums[begin].thread < names->thread_count ? names->threads[sums[begin].thread].tid : 0;
        good = pairs_write_thread(export, &sums[begin], &sums[end]);
    }
    free(export->counts);
    free(export->more_counts);
    free(export->cache);
    export->counts = export->more_counts = NULL;
    export->cache = NULL;
    export->names = NULL;
    pairs_export_free(&stacks);
    return good;
}

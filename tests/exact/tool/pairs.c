/*
 * pairs PREFIX TRACE... - the counts in traces of the exact tool as lines of tab-separated fields, for tests:
 *   pair THREAD KIND VALUES FIRST SECOND SCOPE OBJECT EVENTS WASTED-EVENTS BYTES WASTED-BYTES
 *       those with a context in a function whose name begins with PREFIX
 *   sum KIND VALUES EVENTS WASTED-EVENTS BYTES WASTED-BYTES      over all pairs of a trace
 *   total THREAD ACCESS VALUES EVENTS BYTES
 *   damage TEXT
 * A context is FUNCTION|FILE|LINE<FUNCTION|FILE|LINE…, innermost first, without folders; an object is
 * static:BYTES:CONTEXT or heap:BYTES:CONTEXT. `-` means none.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/trace.h"

enum { DEPTH_MAX = 32 };

struct object {
    uint64_t kind, bytes, context;
};

struct sums {
    uint64_t events, wasted_events, bytes, wasted_bytes;
};

struct view {
    const char *prefix;
    struct trace *trace;
    struct trace_names names;
    struct object *objects; /* [object_count], by id */
    size_t object_count;
    struct sums sums[WASTE_COUNT][VALUES_COUNT];
};

static void put_context(const struct view *view, uint64_t context)
{
    if (context == 0)
        putchar('-');
    const char *mark = "";
    for (int depth = 0; context != 0 && depth < DEPTH_MAX; depth++, mark = "<") {
        const struct trace_context *node = trace_names_context(&view->names, context);
        const struct trace_method *method = trace_names_method(&view->names, context);
        const char *slash = strrchr(method->file, '/');
        printf("%s%s|%s|%u", mark, method->name, slash ? slash + 1 : method->file,
               view->names.frames[node->frame].line);
        context = node->parent;
    }
}

static void put_object(const struct view *view, uint64_t id)
{
    if (id == 0 || id >= view->object_count) {
        putchar('-');
        return;
    }
    const struct object *object = &view->objects[id];
    printf("%s:%lu:", object->kind == OBJECT_STATIC ? "static" : "heap", object->bytes);
    put_context(view, object->context);
}

static bool wanted(const struct view *view, uint64_t context)
{
    const char *name = trace_names_method(&view->names, context)->name;
    return strncmp(name, view->prefix, strlen(view->prefix)) == 0;
}

static void put_pair(struct view *view, const struct trace_batch *batch, size_t i)
{
    uint64_t value[TRACE_COLUMNS_MAX];
    for (size_t k = 0; k <= PAIR_WASTED_BYTES; k++)
        value[k] = batch->integers[k][i];
    if (value[PAIR_WASTE] >= WASTE_COUNT || value[PAIR_VALUES] >= VALUES_COUNT) {
        printf("damage\tpair of waste %lu, values %lu\n", value[PAIR_WASTE], value[PAIR_VALUES]);
        return;
    }
    struct sums *sums = &view->sums[value[PAIR_WASTE]][value[PAIR_VALUES]];
    sums->events += value[PAIR_EVENTS];
    sums->wasted_events += value[PAIR_WASTED_EVENTS];
    sums->bytes += value[PAIR_BYTES];
    sums->wasted_bytes += value[PAIR_WASTED_BYTES];
    if (!wanted(view, value[PAIR_FIRST]) && !wanted(view, value[PAIR_SECOND]))
        return;
    printf("pair\t%u\t%s\t%s\t", batch->thread, trace_waste_name((unsigned)value[PAIR_WASTE]),
           value[PAIR_VALUES] == VALUES_APPROXIMATE ? "approximate" : "precise");
    for (size_t k = PAIR_FIRST; k <= PAIR_SCOPE; k++) {
        put_context(view, value[k]);
        putchar('\t');
    }
    put_object(view, value[PAIR_OBJECT]);
    printf("\t%lu\t%lu\t%lu\t%lu\n", value[PAIR_EVENTS], value[PAIR_WASTED_EVENTS], value[PAIR_BYTES],
           value[PAIR_WASTED_BYTES]);
}

static void put_total(const struct trace_batch *batch, size_t i)
{
    printf("total\t%u\t%s\t%s\t%lu\t%lu\n", batch->thread,
           batch->integers[TOTAL_ACCESS][i] == ACCESS_STORE ? "store" : "load",
           batch->integers[TOTAL_VALUES][i] == VALUES_APPROXIMATE ? "approximate" : "precise",
           batch->integers[TOTAL_EVENTS][i], batch->integers[TOTAL_BYTES][i]);
}

static bool keep_object(struct view *view, const struct trace_batch *batch, size_t i)
{
    size_t id = batch->integers[OBJECT_ID][i];
    if (id >= view->object_count) {
        size_t count = 2 * id + 1;
        struct object *grown = realloc(view->objects, count * sizeof *grown);
        if (!grown)
            return false;
        memset(grown + view->object_count, 0, (count - view->object_count) * sizeof *grown);
        view->objects = grown;
        view->object_count = count;
    }
    view->objects[id] = (struct object){batch->integers[OBJECT_KIND][i], batch->integers[OBJECT_BYTES][i],
                                        batch->integers[OBJECT_CONTEXT][i]};
    return true;
}

/* All records of one kind, in file order. */
static bool feed(struct view *view, enum trace_kind kind)
{
    struct trace_batch batch = {0};
    struct error_text problem;
    bool good = true;
    for (size_t c = 0; good && c < trace_chunk_count(view->trace); c++) {
        if (trace_chunk_at(view->trace, c)->kind != kind)
            continue;
        if (trace_read(view->trace, c, TRACE_ALL_COLUMNS, &batch, &problem) != 0) {
            printf("damage\t%s\n", problem.text);
            continue;
        }
        for (size_t i = 0; good && i < batch.count; i++) {
            if (kind == TRACE_OBJECT)
                good = keep_object(view, &batch, i);
            else if (kind == TRACE_PAIR)
                put_pair(view, &batch, i);
            else
                put_total(&batch, i);
        }
    }
    trace_batch_free(&batch);
    return good;
}

static void put_sums(const struct view *view)
{
    for (unsigned waste = 0; waste < WASTE_COUNT; waste++)
        for (unsigned values = 0; values < VALUES_COUNT; values++) {
            const struct sums *sums = &view->sums[waste][values];
            if (sums->events > 0)
                printf("sum\t%s\t%s\t%lu\t%lu\t%lu\t%lu\n", trace_waste_name(waste),
                       values == VALUES_APPROXIMATE ? "approximate" : "precise", sums->events, sums->wasted_events,
                       sums->bytes, sums->wasted_bytes);
        }
}

static bool print(const char *prefix, const char *path)
{
    struct view view = {.prefix = prefix};
    struct error_text problem;
    if (trace_open(path, &view.trace, &problem) != 0) {
        printf("damage\t%s\n", problem.text);
        return false;
    }
    struct trace_loss loss = *trace_loss(view.trace);
    bool good = trace_names_load(view.trace, &view.names, &loss) == 0;
    if (good) {
        good = feed(&view, TRACE_OBJECT) && feed(&view, TRACE_PAIR) && feed(&view, TRACE_TOTAL);
        put_sums(&view);
        if (loss.bytes || loss.chunks || loss.unfinished)
            printf("damage\t%s\n", loss.unfinished ? "unfinished" : loss.first.text);
        trace_names_free(&view.names);
    }
    free(view.objects);
    trace_close(view.trace);
    return good;
}

int main(int argc, char **argv)
{
    bool good = argc > 2;
    for (int i = 2; i < argc; i++)
        good = print(argv[1], argv[i]) && good;
    return good ? 0 : 1;
}

#include "analyze/strides/dependences.h"

#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"

static int dependences_add(struct dependences *dependences, uint32_t to, uint32_t from, unsigned how)
{
    struct dependence *items =
        grow_unset(dependences->items, &dependences->capacity, dependences->count, sizeof *items);
    if (!items)
        return ENOMEM;
    dependences->items = items;
    items[dependences->count++] = (struct dependence){from, how, dependences->first[to]};
    dependences->first[to] = (uint32_t)dependences->count;
    return 0;
}

static int dependences_read_chunk(struct dependences *dependences, const struct trace *trace, size_t chunk,
                                  size_t sites, struct trace_batch *batch)
{
    struct error_text ignored;
    if (trace_chunk_at(trace, chunk)->kind != TRACE_DEPENDENCE)
        return 0;
    dependences->recorded = true;
    if (trace_read(trace, chunk, TRACE_ALL_COLUMNS, batch, &ignored) != 0)
        return 0;
    int error = 0;
    for (size_t i = 0; i < batch->count && !error; i++) {
        uint64_t from = batch->integers[DEPENDENCE_FROM][i], to = batch->integers[DEPENDENCE_TO][i];
        if (from < sites && to < sites)
            error = dependences_add(dependences, (uint32_t)to, (uint32_t)from,
                                    (unsigned)batch->integers[DEPENDENCE_HOW][i]);
    }
    return error;
}

int dependences_read(struct dependences *dependences, const struct trace *trace, const struct trace_names *names)
{
    struct trace_batch batch = {0};
    *dependences = (struct dependences){.first = calloc(names->site_count, sizeof *dependences->first)};
    int error = dependences->first ? 0 : ENOMEM;
    for (size_t i = 0; i < trace_chunk_count(trace) && !error; i++)
        error = dependences_read_chunk(dependences, trace, i, names->site_count, &batch);
    trace_batch_free(&batch);
    return error;
}

void dependences_free(struct dependences *dependences)
{
    free(dependences->first);
    free(dependences->items);
}

#include "analyze/strides/dependences.h"

#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"

int dependences_read(struct dependences *dependences, const struct trace *trace, const struct trace_names *names)
{
    struct trace_batch batch = {0};
    *dependences = (struct dependences){.first = calloc(names->site_count, sizeof *dependences->first)};
    int error = dependences->first ? 0 : ENOMEM;
    for (size_t chunk = 0; chunk < trace_chunk_count(trace) && !error; chunk++) {
        struct error_text ignored;
        if (trace_chunk_at(trace, chunk)->kind != TRACE_DEPENDENCE)
            continue;
        dependences->recorded = true;
        if (trace_read(trace, chunk, TRACE_ALL_COLUMNS, &batch, &ignored) != 0)
            continue;
        for (size_t i = 0; i < batch.count && !error; i++) {
            uint64_t from = batch.integers[DEPENDENCE_FROM][i], to = batch.integers[DEPENDENCE_TO][i];
            if (from >= names->site_count || to >= names->site_count)
                continue;
            struct dependence *items =
                grow_unset(dependences->items, &dependences->capacity, dependences->count, sizeof *items);
            if (!items) {
                error = ENOMEM;
                break;
            }
            dependences->items = items;
            items[dependences->count++] = (struct dependence){
                (uint32_t)from, (unsigned)batch.integers[DEPENDENCE_HOW][i], dependences->first[to]};
            dependences->first[to] = (uint32_t)dependences->count;
        }
    }
    trace_batch_free(&batch);
    return error;
}

void dependences_free(struct dependences *dependences)
{
    free(dependences->first);
    free(dependences->items);
}

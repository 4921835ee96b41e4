#include "analyze/strides/graph.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/strides/pattern.h"
#include "base/grow.h"

int graph_init(struct graph *graph, const struct strides *strides)
{
    size_t locations = relations_count(&strides->loads.relations, LOADS_LOCATIONS);
    *graph = (struct graph){.strides = strides,
                            .first = calloc(loads_row_count(&strides->loads) + 1, sizeof *graph->first),
                            .row_of_location = malloc((locations + 1) * sizeof *graph->row_of_location)};
    if (!graph->first || !graph->row_of_location)
        return ENOMEM;
    for (size_t i = 0; i < locations; i++)
        graph->row_of_location[i] = LOADS_NONE;
    return 0;
}

void graph_free(struct graph *graph)
{
    free(graph->edges);
    free(graph->first);
    free(graph->row_of_location);
}

static int graph_compare_edges(const void *a, const void *b)
{
    const struct graph_edge *x = a, *y = b;
    if (x->leader != y->leader)
        return x->leader < y->leader ? -1 : 1;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    return x->how < y->how ? -1 : x->how > y->how;
}

int graph_make(struct graph *graph, const uint32_t *rows, uint32_t count)
{
    const struct loads *loads = &graph->strides->loads;
    const struct strides_options *options = &graph->strides->options;
    int error = 0;
    graph->count = 0;
    for (uint32_t i = 0; i < count; i++)
        graph->row_of_location[loads_row_at(loads, rows[i])->location] = rows[i];
    for (uint32_t i = 0; i < count && !error; i++) {
        const struct loads_row *row = loads_row_at(loads, rows[i]);
        for (uint32_t p = 0; p < row->partner_count && !error; p++) {
            const struct loads_partner *partner = loads_partner_at(loads, row, p);
            struct graph_edge edge = {.leader = graph->row_of_location[partner->location],
                                      .row = rows[i],
                                      .how = (enum loads_how)partner->how};
            if (edge.leader == LOADS_NONE || edge.leader == edge.row ||
                !pattern_depends(options, row, partner, &edge.offset))
                continue;
            edge.intra = pattern_intra(options, row, partner, &edge.distance);
            struct graph_edge *edges = grow_unset(graph->edges, &graph->capacity, graph->count, sizeof *edges);
            error = edges ? 0 : ENOMEM;
            if (edges) {
                graph->edges = edges;
                edges[graph->count++] = edge;
            }
        }
    }
    for (uint32_t i = 0; i < count; i++)
        graph->row_of_location[loads_row_at(loads, rows[i])->location] = LOADS_NONE;
    if (graph->count > 1)
        qsort(graph->edges, graph->count, sizeof *graph->edges, graph_compare_edges);
    for (uint32_t i = 0; i < count; i++)
        graph->first[rows[i]] = graph->count;
    for (uint32_t i = graph->count; i-- > 0;)
        graph->first[graph->edges[i].leader] = i;
    return error;
}

uint32_t graph_edges(const struct graph *graph, uint32_t leader, const struct graph_edge **edges)
{
    uint32_t first = graph->first[leader], end = first;
    while (end < graph->count && graph->edges[end].leader == leader)
        end++;
    *edges = graph->edges + first;
    return end - first;
}

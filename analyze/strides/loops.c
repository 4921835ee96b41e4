#include "analyze/strides/loops.h"

#include <stdlib.h>

#include "analyze/strides/walk.h"

enum { DISTANCE_MAX = 1024, DEPTH_MAX = 64 };

static bool loops_is_small(const struct strides *strides, uint32_t location)
{
    const struct loads_loop *loop = loads_loop_find(&strides->loads, location);
    return loop && loads_trips(loop) < (double)strides->options.small;
}

bool loops_includes_row(const struct strides *strides, const struct loads_row *row)
{
    return (row->inner == row->loop || loops_is_small(strides, row->inner)) &&
           (row->middle == row->loop || loops_is_small(strides, row->middle));
}

uint64_t loops_instructions(const struct strides *strides)
{
    const struct loads_totals *totals = loads_totals_of(&strides->loads);
    return totals->instructions > 0 ? totals->instructions : totals->accesses * WALK_CYCLES;
}

uint64_t loops_distance(const struct strides *strides, uint32_t location)
{
    const struct loads_loop *loop = loads_loop_find(&strides->loads, location);
    const struct loads_totals *totals = loads_totals_of(&strides->loads);
    if (strides->options.distance)
        return strides->options.distance;
    if (!loop || loop->spans == 0 || loop->accesses == 0 || totals->accesses == 0)
        return 1;
    double iteration =
        (double)loops_instructions(strides) / (double)totals->accesses * (double)loop->accesses / (double)loop->spans;
    double wanted = (double)strides->options.machine.memory / iteration, most = loads_trips(loop) / 2;
    if (wanted > most)
        wanted = most;
    return wanted <= 1 ? 1 : wanted > (double)DISTANCE_MAX ? DISTANCE_MAX : (uint64_t)(wanted + 0.999);
}

/* Inner loops first. */
static int loops_compare_rows(const void *a, const void *b)
{
    const struct loops_row *x = a, *y = b;
    if (x->depth != y->depth)
        return x->depth > y->depth ? -1 : 1;
    if (x->loop != y->loop)
        return x->loop < y->loop ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

uint32_t loops_rank(const struct strides *strides, struct loops_row *ranked)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < loads_row_count(&strides->loads); i++) {
        const struct loads_row *row = loads_row_at(&strides->loads, i);
        if (!loops_includes_row(strides, row))
            continue;
        unsigned depth = 0;
        uint32_t location = row->loop;
        const struct loads_loop *loop;
        while (depth < DEPTH_MAX && location != LOADS_NONE && (loop = loads_loop_find(&strides->loads, location))) {
            location = loop->outer;
            depth++;
        }
        ranked[count++] = (struct loops_row){i, row->loop, depth};
    }
    if (count > 1)
        qsort(ranked, count, sizeof *ranked, loops_compare_rows);
    return count;
}

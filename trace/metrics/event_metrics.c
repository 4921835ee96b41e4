#include "trace/metrics/event_metrics.h"

#include <math.h>
#include <string.h>

bool event_metric_is_time(const char *name)
{
    size_t length = strlen(name), tail = strlen("cpu-ns");
    return (length >= tail && strcmp(name + length - tail, "cpu-ns") == 0) || strcmp(name, "wall-ns") == 0;
}

/* A number of the metadata, 2^-16. */
static uint64_t event_metric_fixed_cost(const json_t *probe, const char *key)
{
    const json_t *number = json_object_get(probe, key);
    double cost = json_is_number(number) ? json_number_value(number) : 0;
    return cost > 0 && cost < 1e9 ? (uint64_t)llround(ldexp(cost, PROBE_COST_SHIFT)) : 0;
}

static struct probe_cost event_metric_probe_cost(uint64_t pair, uint64_t inner)
{
    inner = inner < pair ? inner : pair;
    return (struct probe_cost){inner, pair - inner, pair};
}

void event_metrics_costs(const json_t *metadata, size_t count, const bool *is_time, struct probe_cost *costs)
{
    const json_t *probe = json_object_get(metadata, "probe");
    const struct probe_cost time =
        event_metric_probe_cost(event_metric_fixed_cost(probe, "pair_ns"), event_metric_fixed_cost(probe, "exit_ns"));
    for (size_t m = 0; m < count; m++) {
        const json_t *own = m ? json_array_get(json_object_get(probe, "counters"), m - 1) : NULL;
        bool sure = event_metric_fixed_cost(own, "lo") > 0; /* otherwise it may be anything */
        costs[m] =
            is_time[m] ? time
            : sure ? event_metric_probe_cost(event_metric_fixed_cost(own, "pair"), event_metric_fixed_cost(own, "exit"))
                   : (struct probe_cost){0};
    }
}

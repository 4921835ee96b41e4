/*
 * pace.h - the rate of a thread's clock, and the governor, which slows it down.
 *
 * The recorder measures the cost of a tick before it starts, but a machine may behave differently later: reading a
 * counter may take milliseconds, a trap may cost more than the interval, a counter may run fifty times as fast. So each
 * thread's handler adds up the cost of sampling in a window of the thread's CPU time.
 */
#ifndef ASSAY_SAMPLE_PACE_H
#define ASSAY_SAMPLE_PACE_H

#include <stdint.h>

struct pace {
    double stretch;          /* the mean interval in multiples of the requested one, ≥ 1 */
    uint64_t period, spread; /* in the clock's own units; spread < period */
};

/*
 * period · stretch · units, and the spread likewise: of a clock with `units` of its own for each unit of `period`.
 * At least 1 in all.
 */
struct pace pace_of(uint64_t period, uint64_t spread, double stretch, double units);

struct governor {
    uint64_t since_ns;           /* CPU time of the thread when the window began */
    uint64_t own_ns, largest_ns; /* the part of it that sampling took, and the most expensive tick */
    uint64_t ticks;
};

enum governor_verdict {
    GOVERNOR_FINE,
    GOVERNOR_TOO_COSTLY, /* sampling takes more than its share: multiply the interval by the factor */
    GOVERNOR_TOO_OFTEN   /* ticks come three times as often as the CPU time allows: multiply the period by the factor */
};

/* A new window, from this CPU time on. */
void governor_begin(struct governor *governor, uint64_t cpu_ns);

/* A cost of sampling between ticks: a trap. */
void governor_add(struct governor *governor, uint64_t cost_ns);

/* What a clock should keep to. */
struct governor_limits {
    uint64_t interval_ns; /* its mean interval; 0: its ticks are not to be compared with CPU time */
    double max_cost;      /* share of the thread's CPU time */
};

/* After another verdict than GOVERNOR_FINE. */
struct governor_finding {
    double factor;
    double share; /* of the window, that sampling took */
};

/*
 * A tick has had this cost; the thread's CPU time is now cpu_ns. A window is judged after 1 s, or after 0.1 s if more
 * than half of it is lost; its most expensive tick does not count, since it may have been an accident. After another
 * verdict than GOVERNOR_FINE the window begins anew. Async-signal-safe.
 */
enum governor_verdict governor_tick(struct governor *governor, uint64_t cpu_ns, uint64_t cost_ns,
                                    struct governor_limits limits, struct governor_finding *found);

#endif

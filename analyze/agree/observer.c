#include "analyze/agree/observer.h"

#include <math.h>

#include "stats/estimates/ratio.h"

enum clock { WALL, CPU };

/* Moments of a time of a profiler's runs, in s; runs without it are left out. */
static struct ratio_side observer_times(const struct view *view, uint32_t profiler, enum clock clock)
{
    long double sum = 0, squares = 0;
    struct ratio_side side = {0, NAN, NAN};
    for (int pass = 0; pass < 2; pass++)
        for (size_t r = 0; r < profiles_run_count(view->profiles); r++) {
            const struct profiles_run *run = profiles_run_at(view->profiles, r);
            uint64_t ns = clock == WALL ? run->wall_ns : run->command_cpu_ns;
            if (run->profiler != profiler || ns == 0)
                continue;
            if (pass == 0) {
                side.n++;
                sum += (long double)ns / 1e9L;
            } else {
                long double difference = (long double)ns / 1e9L - sum / (long double)side.n;
                squares += difference * difference;
            }
        }
    if (side.n > 0)
        side.mean = (double)(sum / (long double)side.n);
    if (side.n > 1)
        side.sd = (double)sqrtl(squares / (long double)(side.n - 1));
    return side;
}

static struct measured observer_overhead(struct ratio_side without, struct ratio_side with, double confidence)
{
    struct measured measured = {NAN, NAN, NAN};
    struct ratio ratio;
    if (without.n == 0 || with.n == 0)
        return measured;
    measured.value = with.mean / without.mean - 1;
    if (ratio_fieller(with, without, confidence, &ratio) == STATS_OK) {
        measured.lo = ratio.low - 1;
        measured.hi = ratio.high - 1;
    }
    return measured;
}

int observer_measure(const struct view *view, const struct measure_options *options, struct observed *out)
{
    struct measured_pair pair;
    int error = measure_pair(view, 1, options, &pair);
    if (error)
        return error;
    const uint32_t without = view->side[0].profiler, with = view->side[1].profiler;
    const struct ratio_side wall[] = {observer_times(view, without, WALL), observer_times(view, with, WALL)};
    *out = (struct observed){.distance = pair.distance,
                             .noise = pair.noise,
                             .wall_s = {wall[0].mean, wall[1].mean},
                             .wall = observer_overhead(wall[0], wall[1], options->confidence),
                             .cpu = observer_overhead(observer_times(view, without, CPU),
                                                      observer_times(view, with, CPU), options->confidence)};
    return 0;
}

#include "collect/inject/choose.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

int choose_check_row(const struct inject_row *row, uint32_t amount, struct error_text *message)
{
    bool ran = row && strcmp(row->status, "ok") == 0;
    if (ran && strcmp(row->guard, "ok") == 0)
        return STATUS_GOOD;
    return error_set(message, STATUS_BAD, "with work of %" PRIu32 " a call: %.400s%.60s", amount,
                     ran ? row->guard : "the run failed: ",
                     ran   ? ""
                     : row ? row->status
                           : "it was not made");
}

/* To so many decimals as the table has, so that a series that goes on chooses the same amounts. */
static double choose_round_as_written(double ms, double scale)
{
    return rint(ms * scale) / scale;
}

bool choose_halve(uint32_t *amounts, size_t count)
{
    uint32_t step = count > 1 ? amounts[1] / 2 : 0;
    for (size_t i = 0; step > 0 && i < count; i++)
        amounts[i] = (uint32_t)i * step;
    return step > 0;
}

int choose_amounts(const struct inject_row *base, const struct inject_row *pilot, double slowdown, uint64_t steps,
                   uint32_t *amounts, struct error_text *message)
{
    static const double MOST = 1e8;
    assert(steps > 0 && slowdown > 0 && pilot->amount > 0);
    double cpu_ms = isfinite(base->java_cpu_ms) ? base->java_cpu_ms : base->cpu_ms;
    double most = slowdown * choose_round_as_written(cpu_ms, 1e3) * pilot->amount /
                  choose_round_as_written(pilot->injected_ms, 1e6);
    double step = isfinite(most) ? fmax(floor(most / (double)steps), 1) : INFINITY;
    if (step * (double)steps > MOST)
        return error_set(message, STATUS_BAD, "its %" PRIu64 " call%s would have to take %.3g rounds of work each",
                         pilot->calls, pilot->calls == 1 ? "" : "s", step * (double)steps);
    for (uint64_t i = 0; i <= steps; i++)
        amounts[i] = (uint32_t)((double)i * step);
    return STATUS_GOOD;
}

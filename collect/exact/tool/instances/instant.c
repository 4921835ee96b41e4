#include "collect/exact/tool/instances/instant.h"

#include <valgrind/pub_tool_libcproc.h>
#include <valgrind/pub_tool_vki.h>

/* The rate is found over this long, and the clock is not trusted to be right further ahead. */
enum { RATE_NS = 10000000, AHEAD_NS = 100000000 };

static ULong seen_ns, seen_cycles; /* of the latest look */
static ULong from_ns, from_cycles; /* since when the rate is found */
static double ns_per_cycle;
static ULong latest_ns;

void instant_read_clock(void)
{
    struct vki_timespec now;
    VG_(clock_gettime)(&now, VKI_CLOCK_MONOTONIC);
    seen_ns = (ULong)now.tv_sec * 1000000000ULL + (ULong)now.tv_nsec;
    seen_cycles = __builtin_ia32_rdtsc();
    if (from_ns == 0 || seen_cycles <= from_cycles) {
        from_ns = seen_ns;
        from_cycles = seen_cycles;
    } else if (seen_ns - from_ns >= RATE_NS) {
        ns_per_cycle = (double)(seen_ns - from_ns) / (double)(seen_cycles - from_cycles);
        from_ns = seen_ns;
        from_cycles = seen_cycles;
    }
}

ULong instant_ns(void)
{
    double ahead = (double)(Long)(__builtin_ia32_rdtsc() - seen_cycles) * ns_per_cycle;
    ULong now = seen_ns + (ULong)(ahead < 0 ? 0 : ahead > (double)AHEAD_NS ? (double)AHEAD_NS : ahead);
    latest_ns = now > latest_ns ? now : latest_ns;
    return latest_ns;
}

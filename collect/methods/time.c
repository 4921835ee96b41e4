/*
 * The clock of records: the time stamp counter, where it runs at one rate and never stops. What it shows is turned into
 * nanoseconds of CLOCK_MONOTONIC later, between two moments at which both were read, so that no calibration ages.
 */
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "collect/methods/thread.h"

bool time_is_tsc;

static struct moment {
    uint64_t ticks, ns;
} before, latest;
static double ns_per_tick = 1;

static bool has_steady_counter(void)
{
    char text[8192];
    int fd = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[length > 0 ? length : 0] = '\0';
    return strstr(text, "constant_tsc") && strstr(text, "nonstop_tsc");
}

/* The reading that took least is the one that was not interrupted. */
static struct moment read_both(void)
{
    struct moment best = {0};
    uint64_t least = UINT64_MAX;
    for (unsigned i = 0; i < 5; i++) {
        uint64_t begin = time_ticks(), ns = clock_ns(CLOCK_MONOTONIC), end = time_ticks();
        if (end - begin < least) {
            least = end - begin;
            best = (struct moment){begin + least / 2, ns};
        }
    }
    return best;
}

bool time_prepare(void)
{
    enum { CALIBRATION_NS = 2000000 };
    time_is_tsc = has_steady_counter();
    before = read_both();
    nanosleep(&(struct timespec){.tv_nsec = CALIBRATION_NS}, NULL);
    latest = read_both();
    if (latest.ticks > before.ticks)
        ns_per_tick = (double)(latest.ns - before.ns) / (double)(latest.ticks - before.ticks);
    return time_is_tsc;
}

void time_synchronize(void)
{
    enum { SHORT_NS = 1000000 };
    struct moment now = read_both();
    if (now.ticks <= latest.ticks || now.ns <= latest.ns)
        return;
    if (latest.ns - before.ns >= SHORT_NS) /* otherwise the line through the moment before is the better one */
        before = latest;
    latest = now;
    ns_per_tick = (double)(latest.ns - before.ns) / (double)(latest.ticks - before.ticks);
}

uint64_t time_latest(void)
{
    return latest.ticks;
}

uint64_t time_ns_of(uint64_t ticks)
{
    return before.ns + (uint64_t)(int64_t)((double)(int64_t)(ticks - before.ticks) * ns_per_tick);
}

uint64_t time_length_ns(uint64_t ticks)
{
    return (uint64_t)((double)ticks * ns_per_tick);
}

/*
 * The clock of records: the time stamp counter, where it runs at one rate and never stops. What it shows is turned into
 * nanoseconds of CLOCK_MONOTONIC later, between two moments at which both were read, so that no calibration ages.
 */
#include "collect/methods/time.h"

#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

bool time_is_tsc;

static struct time_line calibrated;

/* The reading that took least is the one that was not interrupted. */
static struct time_moment time_read_both(void)
{
    struct time_moment best = {0};
    uint64_t least = UINT64_MAX;
    for (unsigned i = 0; i < 5; i++) {
        uint64_t begin = time_ticks(), ns = clock_ns(CLOCK_MONOTONIC), end = time_ticks();
        if (end - begin < least) {
            least = end - begin;
            best = (struct time_moment){begin + least / 2, ns};
        }
    }
    return best;
}

static void time_set_rate(struct time_line *line)
{
    if (line->latest.ticks > line->before.ticks)
        line->ns_per_tick =
            (double)(line->latest.ns - line->before.ns) / (double)(line->latest.ticks - line->before.ticks);
}

bool time_prepare(void)
{
    enum { CALIBRATION_NS = 2000000 };
    char text[8192];
    int fd = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[length > 0 ? length : 0] = '\0';
    time_is_tsc = strstr(text, "constant_tsc") && strstr(text, "nonstop_tsc");
    calibrated.ns_per_tick = 1;
    calibrated.before = time_read_both();
    nanosleep(&(struct timespec){.tv_nsec = CALIBRATION_NS}, NULL);
    calibrated.latest = time_read_both();
    time_set_rate(&calibrated);
    return time_is_tsc;
}

struct time_line time_begin(void)
{
    return calibrated;
}

uint64_t time_synchronize(struct time_line *line)
{
    enum { SHORT_NS = 1000000 };
    struct time_moment now = time_read_both();
    if (now.ticks <= line->latest.ticks || now.ns <= line->latest.ns)
        return line->latest.ticks;
    if (line->latest.ns - line->before.ns >= SHORT_NS) /* otherwise the line through the moment before is the better */
        line->before = line->latest;
    line->latest = now;
    time_set_rate(line);
    return line->latest.ticks;
}

uint64_t time_ns_of(const struct time_line *line, uint64_t ticks)
{
    return line->before.ns + (uint64_t)(int64_t)((double)(int64_t)(ticks - line->before.ticks) * line->ns_per_tick);
}

uint64_t time_length_ns(const struct time_line *line, uint64_t ticks)
{
    return (uint64_t)((double)ticks * line->ns_per_tick);
}

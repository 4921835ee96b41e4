/*
 * imitate.c - a preloaded library that makes this machine look like another one to the recorder and its agents: it
 * replaces perf_event_open(), ioctl() and read(). ASSAY_IMITATE names the machine, one of opening.h or of these:
 *
 *   slow-enable   like counters, but PERF_EVENT_IOC_ENABLE burns 30 ms of CPU time
 *   slow-events   like slow-enable, but for every perf event, also software events and debug registers
 *   slow-read     read() and PERF_EVENT_IOC_PERIOD burn 0.2 ms
 *   slow-later    read() burns 5 ms, but only in measured processes, so that it can't be known before
 *   fast          counters that count 1000 times too fast
 *   fast-later    50 times too fast, but only in measured processes
 *   jumps         one reading in ten jumps up by 2^48, and the counter stays there
 *   backwards     one reading in ten jumps back by a second, and the counter stays there
 *   multiplexed   a counter that runs a quarter of the time
 *   silent        counters count, but never interrupt
 *   vanish        counters that are gone a second after they were opened
 *   slow-traps    every call that sets, stops or starts a debug register burns 1 ms
 *
 * The imitated counters hide the real ones. machine.c imitates those of opening.h without a library.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "opening.h"

#pragma GCC visibility push(default)

enum { DESCRIPTORS = 65536, NOT_PERF = 0, SOFT, HARD, POINT };
static const uint64_t MILLISECOND = 1000000, SECOND = 1000000000, SHARE = 4, JUMP = UINT64_C(1) << 48;

static struct {
    _Atomic unsigned char kind;
    _Atomic uint64_t offset, opened_ns;
} table[DESCRIPTORS];
static _Atomic unsigned reading;

static long raw(long number, long a, long b, long c, long d, long e, long f)
{
    long result;
    register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

static long answer(long result)
{
    if (result >= 0 || result < -4095)
        return result;
    errno = (int)-result;
    return -1;
}

static char wanted[32];
static bool measured;

__attribute__((constructor)) static void begin(void)
{
    const char *name = getenv("ASSAY_IMITATE");
    strncpy(wanted, name ? name : "", sizeof wanted - 1);
    measured = getenv("ASSAY_RECORD") != NULL;
}

static bool is(const char *machine)
{
    return strcmp(wanted, machine) == 0;
}

static uint64_t now_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

static void burn(uint64_t ns)
{
    uint64_t until = now_ns(CLOCK_THREAD_CPUTIME_ID) + ns;
    while (now_ns(CLOCK_THREAD_CPUTIME_ID) < until)
        ;
}

static unsigned kind_of(int fd)
{
    return fd >= 0 && fd < DESCRIPTORS ? atomic_load(&table[fd].kind) : NOT_PERF;
}

static void note(int fd, unsigned kind)
{
    if (fd < 0 || fd >= DESCRIPTORS)
        return;
    atomic_store(&table[fd].offset, 0);
    atomic_store(&table[fd].opened_ns, now_ns(CLOCK_MONOTONIC));
    atomic_store(&table[fd].kind, (unsigned char)kind);
}

/* The counter's units in a nanosecond. */
static uint64_t speed(void)
{
    return is("fast") ? 1000 : is("fast-later") && measured ? 50 : 1;
}

/* A period in the counter's units, converted to those of the clock that replaces it. */
static uint64_t real_period(uint64_t units)
{
    uint64_t period = units / speed() * (is("multiplexed") ? SHARE : 1);
    return is("silent") ? UINT64_C(1) << 50 : period ? period : 1;
}

static bool has_vanished(int fd)
{
    return is("vanish") && now_ns(CLOCK_MONOTONIC) - atomic_load(&table[fd].opened_ns) > SECOND;
}

/* ---------------------------------------------------------------------------------------------- opening -- */

static long open_event(const struct perf_event_attr *asked, long pid, long cpu, long group, long flags)
{
    static uint64_t untouched;
    struct perf_event_attr attr = *asked;
    bool hard = opening_is_hard(asked);
    int error = opening_imitate(wanted, &attr, (uintptr_t)&untouched);
    if (error)
        return -error;
    hard = hard && attr.type == PERF_TYPE_SOFTWARE; /* replaced */
    if (hard && attr.sample_period)
        attr.sample_period = real_period(attr.sample_period);
    long result = raw(SYS_perf_event_open, (long)&attr, pid, cpu, group, flags, 0);
    if (result >= 0)
        note((int)result, hard ? HARD : attr.type == PERF_TYPE_BREAKPOINT ? POINT : SOFT);
    return result;
}

/* ---------------------------------------------------------------------------------------------- reading -- */

static void spoil(int fd, uint64_t *values, size_t count)
{
    uint64_t step = is("jumps") ? JUMP : is("backwards") ? -SECOND : 0;
    if (step && atomic_fetch_add(&reading, 1) % 10 == 9)
        atomic_fetch_add(&table[fd].offset, step);
    values[0] = values[0] * speed() / (is("multiplexed") ? SHARE : 1) + atomic_load(&table[fd].offset);
    if (is("multiplexed") && count > 2)
        values[2] /= SHARE;
}

static long read_event(int fd, void *buffer, size_t size)
{
    if (is("slow-read"))
        burn(MILLISECOND / 5);
    if (is("slow-later") && measured)
        burn(5 * MILLISECOND);
    if (has_vanished(fd))
        return 0;
    long got = raw(SYS_read, fd, (long)buffer, (long)size, 0, 0, 0);
    if (got >= (long)sizeof(uint64_t))
        spoil(fd, buffer, (size_t)got / sizeof(uint64_t));
    return got;
}

ssize_t read(int fd, void *buffer, size_t size)
{
    return answer(kind_of(fd) == HARD ? read_event(fd, buffer, size)
                                      : raw(SYS_read, fd, (long)buffer, (long)size, 0, 0, 0));
}

long syscall(long number, ...)
{
    va_list args;
    long a[6];
    va_start(args, number);
    for (size_t i = 0; i < 6; i++)
        a[i] = va_arg(args, long);
    va_end(args);
    if (number == SYS_perf_event_open)
        return answer(open_event((const struct perf_event_attr *)a[0], a[1], a[2], a[3], a[4])); /* NOLINT */
    if (number == SYS_read)
        return read((int)a[0], (void *)a[1], (size_t)a[2]); /* NOLINT */
    if (number == SYS_close)
        return close((int)a[0]);
    return answer(raw(number, a[0], a[1], a[2], a[3], a[4], a[5]));
}

/* ---------------------------------------------------------------------------------------------- control -- */

static void delay(unsigned kind, unsigned long request)
{
    if (request == PERF_EVENT_IOC_ENABLE && (is("slow-events") || (is("slow-enable") && kind == HARD)))
        burn(30 * MILLISECOND);
    if (request == PERF_EVENT_IOC_PERIOD && kind == HARD && is("slow-read"))
        burn(MILLISECOND / 5);
    if (kind == POINT && is("slow-traps"))
        burn(MILLISECOND);
}

int ioctl(int fd, unsigned long request, ...)
{
    va_list args;
    va_start(args, request);
    unsigned long argument = va_arg(args, unsigned long);
    va_end(args);
    unsigned kind = kind_of(fd);
    uint64_t period;
    if (kind != NOT_PERF)
        delay(kind, request);
    if (kind == HARD && has_vanished(fd)) {
        raw(SYS_ioctl, fd, PERF_EVENT_IOC_DISABLE, 0, 0, 0, 0);
        if (request == PERF_EVENT_IOC_ENABLE || request == PERF_EVENT_IOC_PERIOD)
            return 0;
    }
    if (kind == HARD && request == PERF_EVENT_IOC_PERIOD) {
        period = real_period(*(const uint64_t *)argument); /* NOLINT */
        argument = (unsigned long)(uintptr_t)&period;
    }
    return (int)answer(raw(SYS_ioctl, fd, (long)request, (long)argument, 0, 0, 0));
}

static int control(int fd, int command, unsigned long argument)
{
    int result = (int)answer(raw(SYS_fcntl, fd, command, (long)argument, 0, 0, 0));
    if ((command == F_DUPFD || command == F_DUPFD_CLOEXEC) && result >= 0)
        note(result, kind_of(fd));
    return result;
}

int fcntl(int fd, int command, ...)
{
    va_list args;
    va_start(args, command);
    unsigned long argument = va_arg(args, unsigned long);
    va_end(args);
    return control(fd, command, argument);
}

int fcntl64(int fd, int command, ...)
{
    va_list args;
    va_start(args, command);
    unsigned long argument = va_arg(args, unsigned long);
    va_end(args);
    return control(fd, command, argument);
}

int close(int fd)
{
    if (kind_of(fd) != NOT_PERF)
        atomic_store(&table[fd].kind, NOT_PERF);
    return (int)answer(raw(SYS_close, fd, 0, 0, 0, 0, 0));
}

#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "collect/calls/calls.h"
#include "collect/perf/event.h"
#include "collect/perf/reserved_fd.h"

enum { FIRST = 10000, EVERY_NS = 10000000 /* of program time, a chosen call */, FASTER = 4 };
static const uint64_t MOST = UINT64_C(1) << 40;

/* Any number around this one is as likely, so that the calls of a loop take turns. */
static uint64_t counted_random_period(struct calls *calls, uint64_t around)
{
    uint64_t random = around / 4 * 3 + rng_below(&calls->rng, around / 2 + 1);
    return random > 0 ? random : 1;
}

int counted_open(struct calls *calls, pid_t tid)
{
    const struct call_event *event = &calls_host.event;
    calls->counter = (struct call_counter){.fd = -1, .period = counted_random_period(calls, FIRST)};
    struct perf_event_attr attr = {
        .size = sizeof attr,
        .type = event->type,
        .config = event->config,
        .config1 = event->config1,
        .config2 = event->config2,
        .precise_ip = event->precise & 3,
        .sample_period = calls->counter.period,
        .wakeup_events = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .remove_on_exec = 1,
        .sigtrap = 1,
        .sig_data = wait_word(&calls->counter),
    };
    int fd = perf_keep(&attr, tid);
    if (fd < 0)
        return errno;
    calls->counter.fd = fd;
    calls->counter.id = perf_id(fd);
    return 0;
}

void counted_close(struct calls *calls)
{
    struct call_counter *counter = &calls->counter;
    if (counter->id != 0 && perf_id(counter->fd) == counter->id)
        close(counter->fd);
    if (counter->id != 0)
        reserved_fd_release();
    counter->id = 0;
}

bool counted_is(const struct calls *calls, uint64_t word)
{
    return calls->counter.id != 0 && word == wait_word(&calls->counter);
}

void counted_on_call(struct calls *calls, void *ucontext)
{
    enum { THOUSANDTHS = 1000 };
    uint64_t count = perf_count(calls->counter.fd), passed = count - calls->counter.count, slot;
    calls->counter.count = count;
    uint64_t code = calls_pc(ucontext), function = calls_host.function(code);
    function = function == 0 ? code : function; /* a stub of the dynamic linker, for example */
    if (prologue_slot(function, code, calls_sp(ucontext), &slot) &&
        prologue_is_called(function, *(const uint64_t *)slot)) /* NOLINT: the program's stack */
        instance_choose(calls, ucontext, function, slot, passed * THOUSANDTHS);
    else
        instance_count(calls, INSTANCE_SKIDDED);
    /* So many calls until the next interrupt that it comes after EVERY_NS. Not after one that has come long before it
     * was due: setting the number of calls lets some events interrupt at once. */
    struct call_counter *counter = &calls->counter;
    int64_t now = calls->meter.program[METER_CPU], took = now - counter->last;
    counter->last = now;
    if (passed < counter->period / 2)
        return;
    double factor = took > 0 ? (double)EVERY_NS / (double)took : (double)FASTER;
    factor = factor > (double)FASTER ? (double)FASTER : factor < 1.0 / (double)FASTER ? 1.0 / (double)FASTER : factor;
    uint64_t around = (uint64_t)((double)passed * factor);
    counter->period = counted_random_period(calls, around > MOST ? MOST : around);
    ioctl(counter->fd, PERF_EVENT_IOC_PERIOD, &counter->period);
}

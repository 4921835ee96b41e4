/* Debug registers, as perf events of a thread: opening and arming them, and whether the machine has them. */
#include "collect/watch/watch.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "collect/perf/event.h"
#include "collect/perf/kept.h"

struct watch_host watch_host;

static struct perf_event_attr attributes(const struct watchpoint *point, bool writes_only)
{
    return (struct perf_event_attr){
        .size = sizeof(struct perf_event_attr),
        .type = PERF_TYPE_BREAKPOINT,
        .sample_period = 1,
        .wakeup_events = 1,
        .bp_type = writes_only ? HW_BREAKPOINT_W : HW_BREAKPOINT_RW,
        .bp_addr = point->low,
        .bp_len = point->window,
        .exclude_kernel = !point->kernel,
        .exclude_hv = 1,
        .remove_on_exec = 1,
        .sigtrap = 1,
        .sig_data = (uint64_t)(uintptr_t)point,
    };
}

static const uint64_t nothing; /* the place of a register that watches none */

/* A register for this thread, which watches nothing. */
static int open_register(struct watchpoint *point, pid_t tid, bool kernel)
{
    *point =
        (struct watchpoint){.fd = -1, .kernel = kernel, .low = (uint64_t)(uintptr_t)&nothing, .window = WATCH_WINDOW};
    struct perf_event_attr attr = attributes(point, true);
    attr.disabled = 1;
    int fd = perf_keep(&attr, tid);
    if (fd < 0)
        return errno;
    point->fd = fd;
    point->event = perf_id(fd);
    return 0;
}

void watch_close_point(const struct watchpoint *point)
{
    if (point->event != 0 && perf_id(point->fd) == point->event)
        close(point->fd);
    kept_forget();
}

int watch_open_point(struct watchpoint *point, pid_t tid)
{
    int error = open_register(point, tid, true);
    return error == EACCES || error == EPERM ? open_register(point, tid, false) : error;
}

bool watch_arm(struct watchpoint *point, bool writes_only)
{
    struct perf_event_attr attr = attributes(point, writes_only);
    point->writes_only = writes_only;
    if (point->fd < 0) /* the candidate: stepping sees what it waits for */
        return true;
    point->armed = ioctl(point->fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr) == 0;
    return point->armed;
}

void watch_pause(struct watchpoint *point)
{
    if (point->fd >= 0)
        ioctl(point->fd, PERF_EVENT_IOC_DISABLE, 0);
}

void watch_resume(struct watchpoint *point)
{
    if (point->fd >= 0)
        ioctl(point->fd, PERF_EVENT_IOC_ENABLE, 0);
}

/* Some virtual machines allow setting debug registers, but never trap: 0 if one counts a store and a load, else EIO. */
static int try_point(void)
{
    static volatile uint64_t place;
    const struct watchpoint point = {.low = (uint64_t)(uintptr_t)&place, .window = sizeof place};
    struct perf_event_attr attr = attributes(&point, false);
    attr.sigtrap = false; /* it only counts */
    attr.sample_period = attr.wakeup_events = 0;
    int fd = perf_keep(&attr, 0);
    if (fd < 0)
        return errno;
    place = 1;
    (void)place;
    bool trapped = perf_count(fd) == 2;
    close(fd);
    kept_forget();
    return trapped ? 0 : EIO;
}

int watch_probe(const struct watch_config *config)
{
    struct watchpoint point;
    if (!config->wanted)
        return 0;
    int error = watch_open_point(&point, 0);
    if (!error) {
        watch_close_point(&point);
        error = try_point();
    }
    return error;
}

enum watch_kernel watch_kernel(void)
{
    struct watchpoint point;
    enum watch_kernel kernel = WATCH_KERNEL_UNSEEN;
    if (watch_open_point(&point, 0) == 0) {
        if (point.kernel)
            kernel = WATCH_KERNEL_SEEN;
        watch_close_point(&point);
    }
    if (kernel == WATCH_KERNEL_UNSEEN && watch_host.config->waste == WASTE_DEAD_STORE) {
        struct kept io = system_open_io(gettid());
        if (kept_valid(&io))
            kernel = WATCH_KERNEL_LEFT_OUT;
        kept_close(&io);
    }
    return kernel;
}

const char *watch_kernel_name(enum watch_kernel kernel)
{
    static const char *const names[] = {
        [WATCH_KERNEL_SEEN] = "seen", [WATCH_KERNEL_LEFT_OUT] = "left-out", [WATCH_KERNEL_UNSEEN] = "unseen"};
    return names[kernel];
}

#include "collect/perf/debug_register.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/copy_readable.h"
#include "collect/perf/event.h"
#include "collect/perf/reserved_fd.h"

static struct perf_event_attr debug_register_attributes(struct debug_place place, bool kernel, uint64_t word)
{
    return (struct perf_event_attr){
        .size = sizeof(struct perf_event_attr),
        .type = PERF_TYPE_BREAKPOINT,
        .sample_period = 1,
        .wakeup_events = 1,
        .bp_type = place.writes_only ? HW_BREAKPOINT_W : HW_BREAKPOINT_RW,
        .bp_addr = place.address,
        .bp_len = place.bytes,
        .exclude_kernel = !kernel,
        .exclude_hv = 1,
        .remove_on_exec = 1,
        .sigtrap = 1,
        .sig_data = word,
    };
}

int debug_register_open(struct debug_register *which, pid_t tid, bool kernel, uint64_t word)
{
    static const uint64_t nothing; /* the place of a register that watches none */
    *which = (struct debug_register){-1, 0, kernel, word};
    struct perf_event_attr attr = debug_register_attributes(
        (struct debug_place){(uint64_t)(uintptr_t)&nothing, sizeof nothing, true}, kernel, word);
    attr.disabled = 1;
    int fd = perf_keep(&attr, tid);
    if (fd < 0)
        return errno;
    which->fd = fd;
    which->event = perf_id(fd);
    return 0;
}

void debug_register_close(const struct debug_register *which)
{
    if (which->event != 0 && perf_id(which->fd) == which->event)
        close(which->fd);
    reserved_fd_release();
}

bool debug_register_watch(const struct debug_register *which, struct debug_place place)
{
    struct perf_event_attr attr = debug_register_attributes(place, which->kernel, which->word);
    return ioctl(which->fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr) == 0;
}

void debug_register_pause(const struct debug_register *which)
{
    ioctl(which->fd, PERF_EVENT_IOC_DISABLE, 0);
}

void debug_register_resume(const struct debug_register *which)
{
    ioctl(which->fd, PERF_EVENT_IOC_ENABLE, 0);
}

static void debug_register_ignore_signal(int signal)
{
    (void)signal;
}

int debug_register_try(void)
{
    enum { TIMES = 3 };
    static volatile uint64_t place;
    struct sigaction action = {.sa_handler = debug_register_ignore_signal}, before;
    if (sigaction(SIGTRAP, &action, &before) != 0)
        return errno;
    int trapped = 0; /* whether a load and a store of the calling thread trap; −1 with errno */
    for (int i = 0; i < TIMES && trapped == 0; i++) {
        struct perf_event_attr attr =
            debug_register_attributes((struct debug_place){(uint64_t)(uintptr_t)&place, sizeof place, false}, false, 0);
        attr.sigtrap = false; /* it only counts */
        attr.sample_period = attr.wakeup_events = 0;
        int fd = perf_keep(&attr, 0);
        place = 1;
        (void)place;
        trapped = fd < 0 ? -1 : perf_count(fd) == 2;
        if (fd >= 0)
            close(fd);
    }
    int error = trapped < 0 ? errno : trapped == 0 ? EIO : 0;
    sigaction(SIGTRAP, &before, NULL);
    reserved_fd_release();
    return error;
}

/* Fields of a SIGTRAP from a perf event, which older headers lack; include/uapi/asm-generic/siginfo.h. */
enum { CODE_PERF = 6, FLAG_ASYNC = 1 };

bool debug_register_trapped(const siginfo_t *info, uint64_t *word, bool *late)
{
    struct {
        uint64_t data;
        uint32_t type, flags;
    } perf;
    if (info->si_code != CODE_PERF)
        return false;
    memcpy(&perf, (const char *)&info->si_addr + sizeof info->si_addr, sizeof perf);
    *word = perf.data;
    *late = perf.flags & FLAG_ASYNC;
    return true;
}

bool debug_register_strayed(const siginfo_t *info, uint64_t code)
{
    enum { INT1 = 0xf1 };
    uint8_t before;
    return info->si_code == TRAP_HWBKPT ||
           (info->si_code == TRAP_BRKPT && copy_readable(&before, code - 1, 1) && before != INT1);
}

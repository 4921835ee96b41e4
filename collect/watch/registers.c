/* Debug registers, as perf events of a thread: opening and arming them, and whether the machine has them. */
#include "collect/watch/watch.h"

#include <errno.h>
#include <unistd.h>

struct watch_host watch_host;

int watch_open_point(struct watchpoint *point, pid_t tid)
{
    *point = (struct watchpoint){.window = WATCH_WINDOW};
    uint64_t word = (uint64_t)(uintptr_t)point;
    int error = debug_register_open(&point->trap, tid, true, word);
    return error == EACCES || error == EPERM ? debug_register_open(&point->trap, tid, false, word) : error;
}

bool watch_arm(struct watchpoint *point, bool writes_only)
{
    point->writes_only = writes_only;
    if (point->trap.fd < 0) /* the candidate: stepping sees what it waits for */
        return true;
    point->armed =
        debug_register_watch(&point->trap, (struct debug_place){point->low, point->window, point->writes_only});
    return point->armed;
}

void watch_pause(struct watchpoint *point)
{
    if (point->trap.fd >= 0)
        debug_register_pause(&point->trap);
}

void watch_resume(struct watchpoint *point)
{
    if (point->trap.fd >= 0)
        debug_register_resume(&point->trap);
}

int watch_probe(const struct watch_config *config)
{
    struct watchpoint point;
    if (!config->wanted)
        return 0;
    int error = watch_open_point(&point, 0);
    if (!error) {
        debug_register_close(&point.trap);
        error = debug_register_try();
    }
    return error;
}

enum watch_kernel watch_kernel(void)
{
    struct watchpoint point;
    enum watch_kernel kernel = WATCH_KERNEL_UNSEEN;
    if (watch_open_point(&point, 0) == 0) {
        if (point.trap.kernel)
            kernel = WATCH_KERNEL_SEEN;
        debug_register_close(&point.trap);
    }
    if (kernel == WATCH_KERNEL_UNSEEN && watch_host.config->waste == WASTE_DEAD_STORE) {
        struct reserved_fd io = system_open_io(gettid());
        if (reserved_fd_valid(&io))
            kernel = WATCH_KERNEL_LEFT_OUT;
        reserved_fd_close(&io);
    }
    return kernel;
}

const char *watch_kernel_name(enum watch_kernel kernel)
{
    static const char *const names[] = {
        [WATCH_KERNEL_SEEN] = "seen", [WATCH_KERNEL_LEFT_OUT] = "left-out", [WATCH_KERNEL_UNSEEN] = "unseen"};
    return names[kernel];
}

#include "collect/perf/event.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collect/perf/reserved_fd.h"

static bool perf_has_id(int fd, const void *meant)
{
    uint64_t id;
    return ioctl(fd, PERF_EVENT_IOC_ID, &id) == 0 && id == *(const uint64_t *)meant;
}

int perf_keep(const struct perf_event_attr *attr, pid_t tid)
{
    enum { TRIES = 16 };
    errno = EBUSY;
    for (int i = 0; i < TRIES && (errno == EBUSY || errno == EINTR); i++) {
        uint64_t id;
        int fd = (int)syscall(SYS_perf_event_open, attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
        if (fd < 0 && errno == EINTR)
            continue; /* a signal came while the kernel waited for an exec in the process */
        if (fd < 0)
            return -1;
        if (ioctl(fd, PERF_EVENT_IOC_ID, &id) != 0)
            errno = EBUSY; /* the program has reused its number */
        else if ((fd = reserved_fd_move(fd, perf_has_id, &id)) >= 0)
            return fd;
    }
    return -1;
}

uint64_t perf_id(int fd)
{
    uint64_t id;
    return ioctl(fd, PERF_EVENT_IOC_ID, &id) == 0 ? id : 0;
}

void perf_enable(int fd)
{
    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
}

void perf_enable_once(int fd)
{
    ioctl(fd, PERF_EVENT_IOC_REFRESH, 1);
}

void perf_disable(int fd)
{
    ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
}

void perf_rearm(int fd, uint64_t units)
{
    ioctl(fd, PERF_EVENT_IOC_PERIOD, &units);
}

uint64_t perf_count(int fd)
{
    uint64_t count = 0;
    /* Not read(), which is a cancellation point: a handler must not have one. */
    return syscall(SYS_read, fd, &count, sizeof count) == sizeof count ? count : 0;
}

bool perf_owned(int fd, pid_t tid)
{
    struct f_owner_ex owner = {0};
    /* The kernel reports 0 for an owner that has exited. */
    return fcntl(fd, F_GETOWN_EX, &owner) == 0 && owner.type == F_OWNER_TID && (owner.pid == tid || owner.pid == 0) &&
           fcntl(fd, F_GETSIG) > 0;
}

void perf_close(int fd, pid_t tid)
{
    if (perf_owned(fd, tid))
        close(fd);
    reserved_fd_release();
}

/*
 * machine.c - machine NAME COMMAND...: runs a command, and all that it starts, on an imitated machine (opening.h lists
 * them). Ends with the command's status, with 128 + N if signal N killed it, with 77 where this can't be done.
 *
 * A seccomp filter stops each perf_event_open(), and this process refuses it or changes the event before the kernel
 * opens it. So processes see what they see on such a machine: no library is loaded into them, their environment is
 * untouched, and statically linked programs are reached as well. An ordinary user's processes get no_new_privs, so that
 * setuid programs give them no privileges. Processes that live longer than the command get ENOSYS.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/hw_breakpoint.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "opening.h"

enum { CANNOT = 77, SHADOW_STACK_STATUS = 0x5005 /* ARCH_SHSTK_STATUS */ };

static const char *machine;

static void fail(const char *what)
{
    fprintf(stderr, "machine: %s: %s\n", what, strerror(errno));
    exit(CANNOT);
}

/* Calls of this process and of its children wait for an answer from now on, if they open or aim an event, or ask
 * whether the processor checks return addresses. */
static int install_filter(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 6, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 2),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)PERF_EVENT_IOC_MODIFY_ATTRIBUTES, 3, 4),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_arch_prctl, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SHADOW_STACK_STATUS, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    unsigned long flags = SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
    long listener = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
    if (listener < 0 && errno == EACCES && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
        listener = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
    if (listener < 0)
        fail("seccomp");
    return (int)listener;
}

/* An event that interrupts synchronously, if it is to interrupt soon, becomes an execution of CALLED. */
static bool imitate_calls(struct perf_event_attr *attr)
{
    const char *called = getenv("CALLED");
    if (strcmp(machine, "near-calls") != 0 || !called || !opening_is_hard(attr) || !attr->sigtrap ||
        attr->sample_period >= UINT64_C(1) << 40)
        return false;
    attr->type = PERF_TYPE_BREAKPOINT;
    attr->config = attr->precise_ip = 0;
    attr->bp_type = HW_BREAKPOINT_X;
    attr->bp_addr = strtoull(called, NULL, 0);
    attr->bp_len = sizeof(long);
    return true;
}

/* Imitates perf_event_open() of a thread whose attributes are at this address; 0, or an errno value. */
static int imitate_opening(pid_t tid, uint64_t address)
{
    enum { UNUSED = 8 }; /* in the page that is never mapped */
    struct perf_event_attr attr = {0};
    struct iovec here = {&attr, PERF_ATTR_SIZE_VER0}, there = {(void *)(uintptr_t)address, PERF_ATTR_SIZE_VER0};
    if (process_vm_readv(tid, &here, 1, &there, 1, 0) != (ssize_t)here.iov_len)
        return errno;
    here.iov_len = there.iov_len = attr.size && attr.size < sizeof attr ? attr.size : sizeof attr;
    if (process_vm_readv(tid, &here, 1, &there, 1, 0) != (ssize_t)here.iov_len)
        return errno;
    struct perf_event_attr before = attr;
    int error = imitate_calls(&attr) ? 0 : opening_imitate(machine, &attr, UNUSED);
    if (error || memcmp(&before, &attr, sizeof attr) == 0)
        return error;
    return process_vm_writev(tid, &here, 1, &there, 1, 0) == (ssize_t)here.iov_len ? 0 : errno;
}

/* Answers the question for a thread that wants the answer at this address: 0, or an errno value. */
static int imitate_shadow_stack(pid_t tid, uint64_t address)
{
    uint64_t enabled = 1;
    struct iovec here = {&enabled, sizeof enabled}, there = {(void *)(uintptr_t)address, sizeof enabled};
    return process_vm_writev(tid, &here, 1, &there, 1, 0) == (ssize_t)here.iov_len ? 0 : errno;
}

/* Whoever waits may have been killed meanwhile (ENOENT): there is nobody to answer then. */
static void answer(int listener)
{
    struct seccomp_notif call = {0};
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0)
        return;
    struct seccomp_notif_resp result = {.id = call.id};
    if (call.data.nr == SYS_perf_event_open) {
        result.error = -imitate_opening((pid_t)call.pid, call.data.args[0]);
        result.flags = result.error ? 0U : (unsigned)SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    } else if (call.data.nr == SYS_arch_prctl && strcmp(machine, "shadow-stacks") == 0) {
        result.error = -imitate_shadow_stack((pid_t)call.pid, call.data.args[1]);
    } else if (call.data.nr != SYS_ioctl || strcmp(machine, "no-traps") != 0) {
        result.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    }
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &result);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: machine NAME COMMAND...\n");
        return 2;
    }
    machine = argv[1];
    if (!opening_is_known(machine)) {
        fprintf(stderr, "machine: %s: no such machine; tests/machines/opening.h lists them\n", machine);
        return 2;
    }
    int listener = install_filter();
    pid_t child = fork();
    if (child < 0)
        fail("fork");
    if (child == 0) {
        execvp(argv[2], argv + 2);
        fprintf(stderr, "machine: %s: %s\n", argv[2], strerror(errno));
        _exit(127);
    }
    struct pollfd ready[] = {{.fd = listener, .events = POLLIN},
                             {.fd = (int)syscall(SYS_pidfd_open, child, 0), .events = POLLIN}};
    if (ready[1].fd < 0)
        fail("pidfd_open");
    while (ready[1].revents == 0)
        if (poll(ready, 2, -1) > 0 && ready[0].revents)
            answer(listener);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

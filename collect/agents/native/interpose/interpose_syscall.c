/*
 * syscall() makes system calls that the C library has no function for, among them some that this library has to see.
 * The others must be made as the C library makes them: without using the stack, which the call may replace (clone).
 */
#include "collect/agents/native/native.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/copy_readable.h"
#include "base/signals.h"

/*
 * A program may restrict the system calls that it can make from now on. Ticks need some, and the threads of the sampler
 * others: if the filter forbids them, the program is killed, or loses a thread without a word. So the recording of the
 * process ends before the filter is installed. A filter that does not exist is asked for to find out whether the kernel
 * has filters.
 */
static void syscall_check_filter(long operation, long flags, const void *filter)
{
    bool strict = operation == SECCOMP_SET_MODE_STRICT && flags == 0 && !filter;
    if (strict || (operation == SECCOMP_SET_MODE_FILTER && filter))
        agent_end_for_good("it restricts its system calls (seccomp), and is not recorded from there on");
}

#define LOCAL __attribute__((visibility("hidden"), used))

LOCAL long interpose_failed_call(long result);
LOCAL long interpose_failed_call(long result)
{
    errno = (int)-result;
    return -1;
}

/* In interpose_syscall_entry.S. */
long interpose_raw_call(long number, ...) __attribute__((visibility("hidden")));
LOCAL long (*interpose_next_syscall)(long number, ...) = interpose_raw_call;

void interpose_find_syscall(void)
{
    void *found = interpose_next("syscall");
    if (found)
        interpose_next_syscall = (long (*)(long, ...))found;
}

static long syscall_change_action(int number, const struct signals_action *action, struct signals_action *before,
                                  long size)
{
    struct sigaction wanted = {0}, found;
    if (action)
        interpose_look_at_handler(number, (sighandler_t)action->handler);
    if (action && size == sizeof before->mask) {
        wanted.sa_sigaction = (void (*)(int, siginfo_t *, void *))action->handler;
        wanted.sa_flags = (int)action->flags;
        *(unsigned long *)(void *)&wanted.sa_mask = action->mask;
    }
    /* An action of the program's for a signal that the sampler keeps. */
    if (size == sizeof before->mask && agent_chain(number, action ? &wanted : NULL, &found)) {
        if (before)
            *before = (struct signals_action){(uintptr_t)found.sa_sigaction, (unsigned long)(unsigned)found.sa_flags, 0,
                                              *(const unsigned long *)(const void *)&found.sa_mask};
        return 0;
    }
    long result = interpose_next_syscall(SYS_rt_sigaction, number, action, before, size);
    if (result == 0 && before && agent_has_handler(before->handler))
        *before = (struct signals_action){0};
    return result;
}

/* The kernel's set is shorter than the C library's. */
static long syscall_change_mask(int how, const unsigned long *set, unsigned long *before, long size)
{
    sigset_t wanted, found;
    if (size != sizeof *set || !mask_is_changed())
        return interpose_next_syscall(SYS_rt_sigprocmask, how, set, before, size);
    if (set)
        memcpy(&wanted, set, sizeof *set);
    int error = mask_change(how, set ? &wanted : NULL, before ? &found : NULL);
    if (!error && before)
        memcpy(before, &found, sizeof *before);
    errno = error ? error : errno;
    return error ? -1 : 0;
}

/* Each tick of a traced process is a stop that its tracer sees. */
static void syscall_check_tracer(long request)
{
    if (request == PTRACE_TRACEME && !methods_recording())
        agent_end_for_good("it lets itself be traced, and is not recorded from there on");
}

LOCAL long interpose_seen_call(long number, long a, long b, long c, long d, long e, long f);
LOCAL long interpose_seen_call(long number, long a, long b, long c, long d, long e, long f)
{
    switch (number) {
    case SYS_execve:
        return execve((const char *)a, (char *const *)b, (char *const *)c);
    case SYS_rt_sigaction:
        return syscall_change_action((int)a, (const struct signals_action *)b, (struct signals_action *)c, d);
    case SYS_rt_sigprocmask:
        return syscall_change_mask((int)a, (const unsigned long *)b, (unsigned long *)c, d);
    case SYS_sigaltstack:
        return sigaltstack((const stack_t *)a, (stack_t *)b);
    case SYS_ptrace:
        syscall_check_tracer(a);
        break;
    case SYS_perf_event_open: {
        /* A trap of the program's own would be lost if it came with that of a step. */
        struct perf_event_attr attr = {0};
        if (copy_readable(&attr, (uint64_t)a, PERF_ATTR_SIZE_VER0) && attr.sigtrap)
            sampler_no_steps("it has perf events that trap, so its calls are not found by steps from then on");
        break;
    }
    case SYS_seccomp:
        syscall_check_filter(a, b, (const void *)c);
        break;
    case SYS_prctl:
        if (a == PR_SET_SECCOMP)
            syscall_check_filter(b == SECCOMP_MODE_STRICT ? SECCOMP_SET_MODE_STRICT : SECCOMP_SET_MODE_FILTER, 0,
                                 b == SECCOMP_MODE_STRICT ? NULL : (const void *)c);
        break;
    default:
        break;
    }
    return interpose_next_syscall(number, a, b, c, d, e, f);
}

/*
 * Calls that a signal ends with EINTR, or cuts short, whether or not the program handles any. The kernel does not keep
 * the number of a call for the handler of a tick, which recognizes a call by the instruction that sets it (restart.h),
 * and syscall() is called with it. A run of a BPF program that takes longer than the interval would never end if it
 * began anew for each tick.
 */
LOCAL long interpose_waiting_call(long number, long a, long b, long c, long d, long e, long f);
LOCAL long interpose_waiting_call(long number, long a, long b, long c, long d, long e, long f)
{
    unsigned long held = interpose_hold_ticks(), ticks = mask_ticks(), mask;
    long *set = number == SYS_ppoll ? &d : number == SYS_epoll_pwait || number == SYS_epoll_pwait2 ? &e : NULL;
    if (set && *set && ticks != 0) {
        mask = *(const unsigned long *)*set | ticks;
        *set = (long)&mask;
    }
    long result = interpose_next_syscall(number, a, b, c, d, e, f);
    interpose_let_ticks(held);
    return result;
}

EXPORT int prctl(int option, ...)
{
    va_list list;
    long a[4];
    va_start(list, option);
    for (size_t i = 0; i < sizeof a / sizeof *a; i++)
        a[i] = va_arg(list, long);
    va_end(list);
    return (int)interpose_seen_call(SYS_prctl, option, a[0], a[1], a[2], a[3], 0);
}

/* The C library's function returns what some requests read. */
EXPORT long ptrace(enum __ptrace_request request, ...)
{
    va_list list;
    va_start(list, request);
    pid_t pid = va_arg(list, pid_t);
    void *address = va_arg(list, void *), *data = va_arg(list, void *);
    va_end(list);
    syscall_check_tracer(request);
    return ((long (*)(enum __ptrace_request, ...))interpose_next("ptrace"))(request, pid, address, data);
}

/* A filter that turns all calls but a few into SIGSYS, with a handler that counts them and gives the answer, as
 * sandboxes do: a recorder's own calls would be counted. */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "burn.h"

#define ALLOW(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static volatile int trapped, others;

static void trap(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    trapped++;
    others += info->si_syscall != SYS_getppid;
}

int main(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        ALLOW(write),
        ALLOW(exit_group),
        ALLOW(rt_sigreturn),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    struct sigaction action = {.sa_sigaction = trap, .sa_flags = SA_SIGINFO};
    sigaction(SIGSYS, &action, NULL);
    puts("before");
    fflush(stdout);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        perror("seccomp");
    for (int i = 0; i < 100; i++) {
        burn_rounds(500000);
        syscall(SYS_getppid);
    }
    printf("trapped %d, others %d\n", trapped, others);
    fflush(stdout);
    return 0;
}

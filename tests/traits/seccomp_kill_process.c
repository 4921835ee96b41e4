/* A filter that kills the process at any call but the few that the program makes: alone it ends well, and then dies of
 * the one call it should not make, in a child, with SIGSYS. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

#define ALLOW(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static void enter(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        ALLOW(write),
        ALLOW(exit_group),
        ALLOW(rt_sigreturn),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        perror("seccomp");
    burn_rounds(50000000);
}

int main(void)
{
    int status = 0;
    puts("before");
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        enter();
        getppid();
        _exit(0);
    }
    waitpid(child, &status, 0);
    printf("child died of SIGSYS: %d\n", WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS);
    enter();
    puts("done");
    fflush(stdout);
    return 5;
}

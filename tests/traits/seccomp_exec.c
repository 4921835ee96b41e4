/* A filter that allows everything, in a child that then becomes another program and burns in a shell: filters are
 * inherited, and what a recorder does in the new program is filtered too. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

int main(void)
{
    struct sock_filter filter[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {1, filter};
    int status = 0;
    burn(0.02);
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
            perror("seccomp");
        burn(0.03);
        execl("/bin/echo", "echo", "echoed", (char *)NULL);
        _exit(1);
    }
    waitpid(child, &status, 0);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
    burn(0.03);
    printf("status %d, mode %d\n", status, prctl(PR_GET_SECCOMP));
    fflush(stdout);
    execl("/bin/sh", "sh", "-c", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; echo $i", (char *)NULL);
    return 1;
}

/* A child in the strict mode of seccomp, which may only read, write and leave by the plain exit call: everything else
 * kills it, and with a second thread its exit would not end it. */
#include <linux/seccomp.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

int main(void)
{
    int ends[2], status = 0;
    char text[16] = {0};
    pipe(ends);
    burn(0.02);
    pid_t child = fork();
    if (child == 0) {
        burn(0.01);
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
        burn_rounds(50000000);
        write(ends[1], "written", 7);
        burn_rounds(10000000);
        syscall(SYS_exit, 4);
    }
    waitpid(child, &status, 0);
    read(ends[0], text, sizeof text - 1);
    printf("%s, %s %d\n", text, WIFSIGNALED(status) ? "killed by" : "status",
           WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    return 0;
}

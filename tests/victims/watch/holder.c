/*
 * holder N COMMAND... - a debugger that occupies N debug registers of the command's first thread with write watchpoints
 * on places that are never accessed, by perf events. It ends as the command does; status 77 means that this is not
 * permitted here.
 */
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void hold(pid_t child, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        struct perf_event_attr attr = {.size = sizeof attr,
                                       .type = PERF_TYPE_BREAKPOINT,
                                       .sample_period = 1,
                                       .pinned = 1,
                                       .bp_type = HW_BREAKPOINT_W,
                                       .bp_addr = 0x10000 + 8 * i,
                                       .bp_len = HW_BREAKPOINT_LEN_8,
                                       .exclude_kernel = 1};
        if (syscall(SYS_perf_event_open, &attr, child, -1, -1, PERF_FLAG_FD_CLOEXEC) < 0) {
            perror("holder: debug register");
            kill(child, SIGKILL);
            exit(77);
        }
    }
}

int main(int argc, char **argv)
{
    int status, go[2];
    char word;
    if (argc < 3 || pipe(go) != 0)
        return 99;
    pid_t child = fork();
    if (child == 0) {
        if (read(go[0], &word, 1) != 1)
            _exit(99);
        close(go[0]);
        close(go[1]);
        execvp(argv[2], argv + 2);
        _exit(127);
    }
    hold(child, (unsigned)atoi(argv[1]));
    if (write(go[1], "", 1) != 1)
        return 99;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

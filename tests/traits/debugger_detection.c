/* What programs look at to find out whether they are debugged: the tracer in /proc, whether they may still be traced,
 * and whether a trap arrives at their handler. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

static volatile int traps;

static void trap(int number)
{
    (void)number;
    traps++;
}

static void tell(void)
{
    char line[256];
    FILE *file = fopen("/proc/self/status", "r");
    while (fgets(line, sizeof line, file))
        if (strncmp(line, "TracerPid:", 10) == 0)
            fputs(line, stdout);
    fclose(file);
    printf("dumpable %d\n", prctl(PR_GET_DUMPABLE));
}

int main(void)
{
    int status = 0;
    tell();
    burn(0.05);
    tell();
    signal(SIGTRAP, trap);
    for (int i = 0; i < 20; i++) {
        raise(SIGTRAP);
        burn(0.001);
    }
    printf("traps %d\n", traps);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        _exit(ptrace(PTRACE_TRACEME, 0, NULL, NULL) ? 1 : 0);
    waitpid(child, &status, 0);
    printf("may be traced: %d\n", status == 0);
    return 0;
}

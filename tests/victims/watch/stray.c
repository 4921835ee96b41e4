/* Gets traps of debug registers that belong to nobody, as the kernel sends them when a register changes while its trap
 * is on its way. Argument: their si_code. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile long cells[64];

static double cpu(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void store(double seconds)
{
    for (double end = cpu() + seconds; cpu() < end;)
        for (int i = 0; i < 20000; i++)
            cells[i % 64] = i / 64;
}

int main(int argc, char **argv)
{
    siginfo_t info = {.si_signo = SIGTRAP, .si_code = argc > 1 ? atoi(argv[1]) : 0};
    for (int i = 0; i < 20; i++) {
        store(0.02);
        syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), SIGTRAP, &info);
    }
    return puts("done") < 0;
}

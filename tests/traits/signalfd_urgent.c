/* Blocks SIGURG and SIGPROF and reads them from a signalfd: must read those that were sent, with their values, and
 * none that a recorder sent. */
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "burn.h"

int main(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGURG);
    sigaddset(&set, SIGPROF);
    burn(0.02);
    sigprocmask(SIG_BLOCK, &set, NULL);
    int descriptor = signalfd(-1, &set, SFD_NONBLOCK);
    int urgent = 0, profiling = 0, strange = 0, sum = 0;
    for (int i = 0; i < 40; i++) {
        sigqueue(getpid(), i % 4 ? SIGURG : SIGPROF, (union sigval){.sival_int = i});
        burn(0.002);
        struct signalfd_siginfo info;
        while (read(descriptor, &info, sizeof info) == sizeof info) {
            urgent += info.ssi_signo == SIGURG;
            profiling += info.ssi_signo == SIGPROF;
            strange += info.ssi_code != SI_QUEUE || info.ssi_pid != (unsigned)getpid();
            sum += info.ssi_int;
        }
    }
    printf("urgent %d, profiling %d, strange %d, sum %d\n", urgent, profiling, strange, sum);
    return 0;
}

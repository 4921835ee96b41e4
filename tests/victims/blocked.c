/*
 * blocked MILLISECONDS-OF-CPU - burns CPU time (burn.h) with SIGURG blocked by the system call, where nothing can
 * intercept it, then as much again with the signal unblocked.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "burn.h"
#include "unseen.h"

int main(int argc, char **argv)
{
    double ms = argc > 1 ? atof(argv[1]) : 200;
    unseen_mask(SIG_BLOCK, SIGURG);
    burn_for(ms);
    unseen_mask(SIG_UNBLOCK, SIGURG);
    burn_for(ms);
    return 0;
}

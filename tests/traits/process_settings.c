/* Prints what a process inherits and may set for itself, before and after work, in the program and in a thread: umask,
 * folder, group, nice value, limits that a shell set, names and flags of prctl. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "burn.h"

static void *tell(void *who)
{
    int limits[] = {RLIMIT_NOFILE, RLIMIT_CORE, RLIMIT_STACK, RLIMIT_FSIZE}, death = 0, reaper = 0;
    char name[16] = "";
    burn(0.03);
    prctl(PR_GET_NAME, name);
    prctl(PR_GET_PDEATHSIG, &death);
    prctl(PR_GET_CHILD_SUBREAPER, &reaper);
    mode_t mask = umask(0);
    umask(mask);
    printf("%s: name %s, death signal %d, reaper %d, no new privileges %d, seccomp %d, umask %o, nice %d\n",
           (char *)who, name, death, reaper, prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), prctl(PR_GET_SECCOMP), mask,
           getpriority(PRIO_PROCESS, 0));
    for (int i = 0; i < 4; i++) {
        struct rlimit limit;
        getrlimit((__rlimit_resource_t)limits[i], &limit);
        printf("limit %ld\n", (long)limit.rlim_cur);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    if (argc == 1) {
        execl("/bin/sh", "sh", "-c",
              "umask 037; ulimit -n 100; ulimit -c 0; ulimit -s 4096; ulimit -f 1000; exec nice -n 3 \"$0\" inner",
              argv[0], (char *)NULL);
        return 127;
    }
    tell("main");
    prctl(PR_SET_NAME, "renamed");
    pthread_create(&thread, NULL, tell, "thread");
    pthread_join(thread, NULL);
    tell("main");
    return 0;
}

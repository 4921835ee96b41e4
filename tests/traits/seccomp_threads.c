/* A filter for all threads at once (TSYNC), by the seccomp call itself, that refuses whatever these burning threads do
 * not need: a recorder's calls fail from then on, and the program must not notice. */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "burn.h"

#define ALLOW(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static volatile int filtered, refused[4];
static sem_t started, finished;

static void *work(void *given)
{
    volatile int *own = given;
    sem_post(&started);
    while (!filtered)
        burn(0.001);
    burn(0.03);
    *own = syscall(SYS_getppid) == -1 && errno == EPERM;
    sem_post(&finished);
    return NULL;
}

int main(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        ALLOW(write),
        ALLOW(futex),
        ALLOW(exit),
        ALLOW(exit_group),
        ALLOW(rt_sigreturn),
        ALLOW(rt_sigprocmask),
        ALLOW(clock_gettime),
        ALLOW(munmap),
        ALLOW(madvise),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    pthread_t threads[4];
    puts("before");
    fflush(stdout);
    sem_init(&started, 0, 0);
    sem_init(&finished, 0, 0);
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work, (void *)&refused[i]);
    for (int i = 0; i < 4; i++)
        sem_wait(&started);
    burn(0.01);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    long failed = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
    filtered = 1;
    for (int i = 0; i < 4; i++)
        sem_wait(&finished);
    printf("failed %ld, refused %d %d %d %d\n", failed, refused[0], refused[1], refused[2], refused[3]);
    fflush(stdout);
    return 0;
}

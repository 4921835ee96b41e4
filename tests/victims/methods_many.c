/*
 * methods_many THREADS - for -finstrument-functions: the threads make nested calls until the process is killed; longjmp
 * leaves some calls. Makes the file `ready` when all threads have started and their first records have been written.
 */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned sink;

__attribute__((noinline)) static void leaf(jmp_buf *out, unsigned i)
{
    sink++;
    if (i % 16 == 0)
        longjmp(*out, 1);
}

__attribute__((noinline)) static void middle(unsigned i)
{
    jmp_buf place;
    if (setjmp(place) == 0)
        leaf(&place, i);
}

static void *run(void *unused)
{
    for (unsigned i = 0;; i++) {
        middle(i);
        if (i % 8 == 0)
            nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    for (int i = 1; i < (argc > 1 ? atoi(argv[1]) : 1); i++)
        if (pthread_create(&thread, NULL, run, NULL) != 0)
            return 1;
    nanosleep(&(struct timespec){.tv_nsec = 500000000}, NULL);
    close(open("ready", O_CREAT | O_WRONLY, 0600));
    run(NULL);
    return 0;
}

/*
 * methods N - for -finstrument-functions: calls, a longjmp through ten frames, threads that end inside calls, and a
 * child of a fork that ends by _exit(). The entries and exits of functions are, with n = N,
 *
 *   main    1, 1 exit; in the child 1 more, which it inherits, unfinished
 *   work    1 + 4 exits; in the child 1
 *   leaf    n + 4 * 1000 exits; in the child 5
 *   jumper  10 exits
 *   deep    100, all by the longjmp
 *   run     4, unfinished: its thread ends in ender
 *   ender   4, unfinished: pthread_exit() inside
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int sink;
static jmp_buf place;

__attribute__((noinline)) static void leaf(void)
{
    sink++;
}

__attribute__((noinline)) static void work(int n)
{
    for (int i = 0; i < n; i++)
        leaf();
}

__attribute__((noinline)) static void deep(int n)
{
    if (n == 0)
        longjmp(place, 1);
    deep(n - 1);
    sink++;
}

__attribute__((noinline)) static void jumper(void)
{
    if (!setjmp(place))
        deep(9);
    sink++;
}

__attribute__((noinline)) static void ender(void)
{
    pthread_exit(NULL);
}

__attribute__((noinline)) static void *run(void *argument)
{
    work(1000);
    ender();
    return argument;
}

int main(int count, char **arguments)
{
    pthread_t threads[4];
    work(count > 1 ? atoi(arguments[1]) : 1000);
    for (int i = 0; i < 10; i++)
        jumper();
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    if (fork() == 0) {
        work(5);
        _exit(0);
    }
    wait(NULL);
    return 0;
}

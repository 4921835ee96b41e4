/*
 * For -finstrument-functions: calls `leaf` 1000 times, then kills itself inside `end`, when the records must have been
 * written, whoever writes them.
 */
#include <signal.h>
#include <time.h>

static volatile int sink;

__attribute__((noinline)) static void leaf(void)
{
    sink++;
}

__attribute__((noinline)) static void end(void)
{
    nanosleep(&(struct timespec){.tv_sec = 2}, NULL);
    raise(SIGKILL);
}

int main(void)
{
    for (int i = 0; i < 1000; i++)
        leaf();
    end();
    return 0;
}

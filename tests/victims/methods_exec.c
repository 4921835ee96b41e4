/*
 * For -finstrument-functions: an exec that fails, and one that succeeds. Active calls are unfinished at the second:
 * main 1, f 1, both unfinished; g 2 exits. (A process that writes its own trace does not know at the first that it will
 * go on: there they are unfinished as well, and entered again.) With an argument, main leaves by pthread_exit(), and
 * its thread ends later: main 1 unfinished, late 1 exit, g 1 exit.
 */
#include <pthread.h>
#include <unistd.h>

static void g(void)
{
    __asm__ volatile(""); /* or the compiler would remove the call */
}

static void f(void)
{
    g();
    execl("/nonexistent", "x", (char *)NULL);
    g();
    execl("/bin/true", "true", (char *)NULL);
}

static void *late(void *argument)
{
    usleep(300000);
    g();
    return argument;
}

int main(int count, char **arguments)
{
    pthread_t thread;
    if (count > 1) {
        pthread_create(&thread, NULL, late, NULL);
        pthread_exit(arguments);
    }
    f();
}

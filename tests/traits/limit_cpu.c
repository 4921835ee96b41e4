/* A limit of one second of CPU, then a SIGXCPU that the program handles: once, since it raises the limit. */
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>

#include "burn.h"

static volatile int exceeded;

static void excess(int number)
{
    (void)number;
    struct rlimit more = {60, 60};
    exceeded++;
    setrlimit(RLIMIT_CPU, &more);
}

int main(void)
{
    struct rlimit limit = {1, 60};
    signal(SIGXCPU, excess);
    setrlimit(RLIMIT_CPU, &limit);
    for (int i = 0; i < 200 && !exceeded; i++)
        burn(0.1);
    burn(0.1);
    printf("exceeded %d\n", exceeded);
    return 0;
}

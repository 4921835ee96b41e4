/* Finds sigaction and pthread_sigmask in the C library itself by dlopen and dlsym, past whatever was preloaded, and
 * handles SIGURG with them: its count must be that of its own signals.
 * flags: -ldl
 * todo: a handler of SIGURG that nothing can see gets the ticks of 20 ms */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "burn.h"

static volatile int count;

static void urgent(int number)
{
    (void)number;
    count++;
}

int main(void)
{
    void *library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    int (*set)(int, const struct sigaction *, struct sigaction *) = dlsym(library, "sigaction");
    int (*set_next)(int, const struct sigaction *, struct sigaction *) = dlsym(RTLD_NEXT, "sigaction");
    struct sigaction action = {.sa_handler = urgent, .sa_flags = SA_RESTART}, old;
    burn(0.02);
    printf("result %d, ", set(SIGURG, &action, &old));
    printf("before: %s\n", old.sa_handler == SIG_DFL ? "default" : "a handler");
    for (int i = 0; i < 50; i++) {
        raise(SIGURG);
        burn(0.002);
    }
    printf("count %d, ", count);
    set_next(SIGURG, NULL, &old);
    printf("still there: %d\n", old.sa_handler == urgent);
    return 0;
}

/* Looks at its own return addresses and at a backtrace, as crash reporters and lock checkers do: they lie in the
 * program itself, in the function that made the call.
 * flags: -fno-omit-frame-pointer
 * todo: mode methods: a probe replaces the return address */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <stdio.h>

#include "burn.h"

static int inside, outside;

__attribute__((noinline)) static void look(void)
{
    Dl_info here, caller;
    dladdr((void *)look, &here);
    if (dladdr(__builtin_return_address(0), &caller) && caller.dli_fbase == here.dli_fbase)
        inside++;
    else
        outside++;
}

__attribute__((noinline)) static int descend(int depth)
{
    void *frames[64];
    int found = 0;
    burn_rounds(20000);
    look();
    if (depth)
        found = descend(depth - 1);
    else
        found = backtrace(frames, 64);
    burn_rounds(100);
    return found;
}

int main(void)
{
    int most = 0, least = 1000;
    for (int i = 0; i < 100; i++) {
        int found = descend(20);
        most = found > most ? found : most;
        least = found < least ? found : least;
    }
    printf("inside %d, outside %d, frames: %d, always as many: %d\n", inside, outside, least >= 22 && most <= 26,
           least == most);
    return 0;
}

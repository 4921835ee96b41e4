/* sigaltstack tells the alternate stack of the thread: none at first in each, then the program's own, and disabled
 * again; a recorder's must not show. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

#include "burn.h"

static char rooms[2][65536];

static void tell(const char *when, const char *room)
{
    stack_t now;
    sigaltstack(NULL, &now);
    printf("%s: flags %d, %s, size %zu\n", when, now.ss_flags, now.ss_sp == room ? "as set" : "another", now.ss_size);
}

static void *walk(void *given)
{
    char *room = given;
    stack_t own = {.ss_sp = room, .ss_size = sizeof rooms[0]}, none = {.ss_flags = SS_DISABLE}, old;
    burn(0.02);
    tell("at first", NULL);
    printf("set: %d, ", sigaltstack(&own, &old));
    printf("before: flags %d, size %zu\n", old.ss_flags, old.ss_size);
    burn(0.02);
    tell("then", room);
    sigaltstack(&none, &old);
    printf("before: flags %d, size %zu\n", old.ss_flags, old.ss_size);
    burn(0.02);
    sigaltstack(NULL, &old);
    printf("at last: flags %d\n", old.ss_flags);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    walk(rooms[0]);
    pthread_create(&thread, NULL, walk, rooms[1]);
    pthread_join(thread, NULL);
    return 0;
}

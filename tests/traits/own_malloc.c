/* The program brings its own malloc, which counts: while it burns, without asking for memory, nobody else may ask it
 * for any, least of all in a signal handler. */
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "burn.h"

static _Alignas(16) char arena[32 << 20];
static size_t used;
static volatile int calls;

void *malloc(size_t bytes)
{
    __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
    size_t room = ((bytes + 15) & ~(size_t)15) + 16;
    size_t place = __atomic_fetch_add(&used, room, __ATOMIC_RELAXED);
    if (place + room > sizeof arena)
        return NULL;
    *(size_t *)(arena + place) = bytes;
    return arena + place + 16;
}

void free(void *block)
{
    (void)block;
    __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
}

void *calloc(size_t count, size_t bytes)
{
    return malloc(count * bytes);
}

void *realloc(void *block, size_t bytes)
{
    void *larger = malloc(bytes);
    size_t old = block ? *(size_t *)((char *)block - 16) : 0;
    return larger && block ? memcpy(larger, block, old < bytes ? old : bytes) : larger;
}

static void *work(void *nothing)
{
    int before = calls;
    burn(0.05);
    printf("calls while burning: %d\n", calls - before);
    return nothing;
}

int main(void)
{
    pthread_t thread;
    work(NULL);
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    work(NULL);
    return 0;
}

/*
 * Blocks of the heap that are given back: what is watched there is no more what it was.
 */
#include "collect/native/native.h"

#include <malloc.h>
#include <stdlib.h>

extern void __libc_free(void *block); /* glibc's own */

static void tell(void *block)
{
    if (block && watch_may_hold((uint64_t)(uintptr_t)block))
        watch_freed((uint64_t)(uintptr_t)block, malloc_usable_size(block));
}

static void (*_Atomic next)(void *);

/* dlsym() frees what it has to say of a failure the next time that it is called: a first free() that came from there
 * would find the next one by dlsym(), which would free the same again. */
void interpose_find_free(void)
{
    next = (void (*)(void *))interpose_next("free");
}

EXPORT void free(void *block)
{
    static _Thread_local bool looking __attribute__((tls_model("initial-exec")));
    tell(block);
    if (!next && !looking) { /* finding it may free something */
        looking = true;
        next = (void (*)(void *))interpose_next("free");
        looking = false;
    }
    (next ? next : __libc_free)(block);
}

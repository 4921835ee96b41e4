/*
 * Blocks of the heap that are freed: watchpoints in them are no longer valid.
 */
#include "collect/agents/native/native.h"

#include <malloc.h>
#include <stdlib.h>

extern void __libc_free(void *block); /* glibc's own */

static void (*_Atomic next)(void *);

/* dlsym() frees its last error message the next time that it is called: if the first free() came from there, it would
 * look for the next free() with dlsym(), which would free the message again. */
void interpose_find_free(void)
{
    next = (void (*)(void *))interpose_next("free");
}

EXPORT void free(void *block)
{
    static _Thread_local bool looking __attribute__((tls_model("initial-exec")));
    if (block && watch_may_hold((uint64_t)(uintptr_t)block))
        watch_freed((uint64_t)(uintptr_t)block, malloc_usable_size(block));
    if (!next && !looking) { /* finding it may free something */
        looking = true;
        next = (void (*)(void *))interpose_next("free");
        looking = false;
    }
    (next ? next : __libc_free)(block);
}

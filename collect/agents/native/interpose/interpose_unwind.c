/*
 * Unwinders of gcc, also those that are linked into a program, ask the dynamic linker for the unwind table of each
 * frame, before they look at its return address. They must find the real addresses: an exception's frames are
 * identified twice, once to find its handler and again on the way there, and a stub that comes or goes in between
 * changes what identifies them.
 */
#include "collect/agents/native/native.h"

#include <dlfcn.h>

typedef int find_function(void *, struct dl_find_object *);
static find_function *_Atomic next_find;

/* Beforehand, since unwinding may begin in a signal handler. */
void interpose_find_object(void)
{
    next_find = (find_function *)interpose_next("_dl_find_object");
}

EXPORT int _dl_find_object(void *address, struct dl_find_object *result)
{
    if (!next_find)
        interpose_find_object();
    if (!walk_is_own((uint64_t)(uintptr_t)__builtin_return_address(0)))
        sampler_unwind((uint64_t)(uintptr_t)__builtin_frame_address(0));
    return next_find ? next_find(address, result) : -1;
}

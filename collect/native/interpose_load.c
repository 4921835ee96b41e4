/*
 * Libraries that come and go while the program runs, in mode methods.
 *
 * The dynamic linker calls an empty function for debuggers (r_brk, <link.h>) whenever it has mapped files, before it
 * calls their constructors: no thread can run their code yet. That is when they get probes. Up to glibc 2.40 they are
 * not relocated by then; from 2.41 on they are.
 */
#include "collect/native/native.h"
#include "collect/native/patch.h"
#include "collect/native/room.h"

#include <link.h>
#include <sys/mman.h>

static _Atomic unsigned unloaded; /* how often files that had been met are gone */

/* A dlopen() that fails unloads what it has mapped, by no call of dlclose(). */
static void on_change(void)
{
    static int before = RT_CONSISTENT; /* the dynamic linker holds its lock around this */
    int now = (int)_r_debug.r_state;
    if (now == RT_CONSISTENT && before == RT_ADD)
        patch_loaded();
    if (now == RT_CONSISTENT && before == RT_DELETE && patch_forget_unloaded())
        unloaded++;
    before = now;
}

bool load_watch(void)
{
    enum { PAGE = 4096 };
    uint64_t at = _r_debug.r_brk, to = (uint64_t)(uintptr_t)on_change, offset = at % PAGE;
    void *page = (void *)(uintptr_t)(at - offset);
    size_t bytes = offset + ROOM_JUMP_BYTES > PAGE ? 2 * PAGE : PAGE;
    if (at == 0 || !room_at_return(at, to) || mprotect(page, bytes, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
        return false;
    patch_put_jump((uint8_t *)(uintptr_t)at, at, to);
    mprotect(page, bytes, PROT_READ | PROT_EXEC);
    return true;
}

/* What has been recorded gets its names first; another library may come where this one was. */
EXPORT int dlclose(void *handle)
{
    static int (*_Atomic next)(void *);
    if (!next)
        next = (int (*)(void *))interpose_next("dlclose");
    bool recorded = methods_recording();
    if (recorded)
        methods_wait_for_writer();
    unsigned before = unloaded;
    int result = next(handle);
    if (recorded && (patch_forget_unloaded() || unloaded != before))
        methods_wait_for_writer();
    return result;
}

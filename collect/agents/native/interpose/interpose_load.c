/*
 * Libraries that are loaded and unloaded while the program runs, in mode methods.
 *
 * The dynamic linker calls an empty function for debuggers (r_brk, <link.h>) whenever it has mapped files, before it
 * calls their constructors: no thread can run their code yet. That is when they get probes. Up to glibc 2.40 they are
 * not relocated by then; from 2.41 on they are.
 */
#include "collect/agents/native/native.h"
#include "collect/agents/native/patch.h"
#include "collect/agents/native/nops.h"

#include <link.h>
#include <sys/mman.h>

static bool watching;

static void load_on_unloaded(void)
{
    if (!patch_forget_unloaded() || !methods_recording())
        return;
    if (methods_are_outside())
        announce_unloaded();
    methods_wait_for_reader();
}

/* A dlopen() that fails unloads what it has mapped without calling dlclose(). Destructors have run when unloading
 * begins. So everything recorded by then gets its names before the files are gone, and nobody can load another file in
 * their location before the reader knows that they are gone. */
static void load_on_change(void)
{
    static int before = RT_CONSISTENT; /* the dynamic linker holds its lock around this */
    int now = (int)_r_debug.r_state;
    if (now == RT_CONSISTENT && before == RT_ADD) {
        patch_loaded();
        if (methods_recording() && methods_are_outside())
            announce_files();
    }
    if (now == RT_DELETE && methods_recording())
        methods_wait_for_reader();
    if (now == RT_CONSISTENT && before == RT_DELETE)
        load_on_unloaded();
    before = now;
}

bool load_is_watched(void)
{
    return watching;
}

bool load_watch(void)
{
    enum { PAGE = 4096 };
    uint64_t at = _r_debug.r_brk, to = (uint64_t)(uintptr_t)load_on_change, offset = at % PAGE;
    void *page = (void *)(uintptr_t)(at - offset);
    size_t bytes = offset + NOPS_JUMP_BYTES > PAGE ? 2 * PAGE : PAGE;
    if (at == 0 || !nops_at_return(at, to) || mprotect(page, bytes, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
        return false;
    patch_put_jump((uint8_t *)(uintptr_t)at, at, to);
    mprotect(page, bytes, PROT_READ | PROT_EXEC);
    return watching = true;
}

/* For modes that sample, and for processes in which load_on_change() is not called: destructors that this runs may be
 * missing in the trace. */
EXPORT int dlclose(void *handle)
{
    static int (*_Atomic next)(void *);
    if (!next)
        next = (int (*)(void *))interpose_next("dlclose");
    bool alone = methods_recording() && !watching;
    if (alone)
        methods_wait_for_reader();
    int result = next(handle);
    if (alone)
        load_on_unloaded();
    if (sampler_is_outside() && !methods_recording())
        announce_unloaded();
    return result;
}

/*
 * Libraries that come and go while the program runs, in mode methods.
 *
 * One that comes is patched before dlopen() returns, when nobody can know its functions yet but itself: if it has
 * started a thread by then, that one may be in the middle of the code to be changed, and it stays as it is. dlopen()
 * knows its caller by the return address, and searches for some names where the caller's file says. A call with such a
 * name jumps to the real dlopen(), which returns to the caller, so what it loads is not patched.
 */
#include "collect/native/native.h"
#include "collect/native/patch.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef void *open_function(const char *, int);

static open_function *_Atomic next_open;
static pthread_mutex_t opening = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP; /* as in the dynamic linker itself */
static unsigned depth;                                                   /* of calls in constructors */
static bool started;                                                     /* a thread, by one of them */
static _Thread_local bool inside __attribute__((tls_model("initial-exec")));

void load_before_fork(void)
{
    pthread_mutex_lock(&opening);
}

void load_after_fork_in_parent(void)
{
    pthread_mutex_unlock(&opening);
}

/* The mutex belongs to a thread of the parent. */
void load_after_fork_in_child(void)
{
    opening = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
}

void load_starts_thread(void)
{
    if (inside)
        started = true;
}

static void *open_and_patch(const char *name, int mode)
{
    pthread_mutex_lock(&opening);
    bool outermost = depth++ == 0;
    if (outermost)
        started = false;
    inside = true;
    patch_hold();
    void *handle = next_open(name, mode);
    patch_release(!started);
    depth--;
    inside = !outermost;
    pthread_mutex_unlock(&opening);
    return handle;
}

/* Whether the caller's file says where to look for libraries. */
static bool has_run_path(void *caller)
{
    Dl_info info;
    struct link_map *map = NULL;
    if (!dladdr1(caller, &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
        return true;
    for (const ElfW(Dyn) *entry = map->l_ld; entry && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_RUNPATH || entry->d_tag == DT_RPATH)
            return true;
    return false;
}

__attribute__((visibility("hidden"), used)) open_function *load_choose(const char *name, int mode, void *caller);
__attribute__((visibility("hidden"), used)) open_function *load_choose(const char *name, int mode, void *caller)
{
    if (!next_open)
        next_open = (open_function *)interpose_next("dlopen");
    if (!next_open)
        abort(); /* someone called it: it is there */
    if (!patch_watches() || !name || mode & RTLD_NOLOAD || strchr(name, '$') ||
        (!strchr(name, '/') && has_run_path(caller)))
        return next_open;
    return open_and_patch;
}

/* void *dlopen(const char *name, int mode): goes on to what load_choose() says, which returns to the caller. */
__asm__(".pushsection .text\n"
        ".balign 16\n"
        ".globl dlopen\n .type dlopen, @function\n"
        "dlopen: push %rdi\n push %rsi\n sub $8, %rsp\n"
        "mov 24(%rsp), %rdx\n call load_choose\n"
        "add $8, %rsp\n pop %rsi\n pop %rdi\n"
        "jmp *%rax\n"
        ".size dlopen, . - dlopen\n"
        ".popsection\n");

/* What has been recorded gets its names first; another library may come where this one was. */
EXPORT int dlclose(void *handle)
{
    static int (*_Atomic next)(void *);
    if (!next)
        next = (int (*)(void *))interpose_next("dlclose");
    bool recorded = methods_recording();
    if (recorded)
        methods_wait_for_writer();
    int result = next(handle);
    if (recorded && patch_forget_unloaded())
        methods_wait_for_writer();
    return result;
}

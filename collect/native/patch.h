/*
 * patch.h - probes in functions that were compiled with room for them (-fpatchable-function-entry): room.c finds the
 * functions, patch.c patches them, hook.c is what they then run, shadow.c keeps the return addresses.
 *
 * A function's first bytes become `jmp stub`. The stub pushes the function's number and jumps to the hook, which
 * records the enter, keeps the return address on the thread's shadow stack, and calls the rest of the function, so that
 * the address at which the hook goes on takes the place of the return address: the stack looks as before, and every
 * processor's predictor of returns sees calls and returns that match. Where the function returns the hook records the
 * exit and returns to the caller.
 */
#ifndef ASSAY_NATIVE_PATCH_H
#define ASSAY_NATIVE_PATCH_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A function that has a probe. The first is one of ours, for what a probe costs. */
struct patch_function {
    uint64_t method; /* where its probe is, which names it */
    uint64_t resume; /* where it goes on */
    uint64_t stub;
    bool off;   /* its probe was taken out */
    bool whole; /* no copy of another function: a hook of its own names itself */
};
extern struct patch_function *patch_functions;

/* Patches all that has been loaded; one line on stderr for a file with too little room, or where it can't be done. How
 * many functions have got probes. While there is one thread. */
size_t patch_all(void);

/* Patches what has been loaded since, before any thread runs its code: for load_watch(). */
void patch_loaded(void);

/* A file that has been loaded where patch_loaded() is not called: its functions get no probes, since other threads may
 * run in them; one line says so. In the writer's thread, with modules_lock(). */
void patch_meet(const struct dl_phdr_info *info);

/* Puts the jump from `at` to `to` into `code`: ROOM_JUMP_BYTES. */
void patch_put_jump(uint8_t *code, uint64_t at, uint64_t to);

/* Whether a hook that names this function, which is there, may be that of the one whose call is under way: it is the
 * same, or, if that may be a copy of another, one that has a probe, in its code or taken out. A few instructions. */
struct shadow_entry;
bool patch_may_hook(const struct shadow_entry *call, uint64_t function);

/* Files have perhaps been unloaded, with their probes, or could not be loaded to the end. Whether any has. */
bool patch_forget_unloaded(void);

/* Takes a probe out of the code, at any time: methods_hooks.given_up. The function costs two jumps from then on. */
void patch_out(uint64_t method);
void patch_in_again(void); /* all of them */

/* So many calls of an empty function that has a probe. */
void patch_pairs(unsigned count);

/* ------------------------------------------------------------------------------------ shadow.c -- */

/* A call under way. */
struct shadow_entry {
    uint64_t *slot; /* where on the stack the return address is, or was */
    uint64_t real;  /* the return address */
    uint64_t method;
    /* Of -finstrument-functions: what the function's own hook calls it, before it is known SHADOW_ANY or SHADOW_WHOLE;
     * how many hooks of that are entered. */
    uint64_t hooked, hooks;
};
enum { SHADOW_ANY, SHADOW_WHOLE /* only itself: as patch_function.whole */ };

enum { SHADOW_FLIGHTS = 64 };

/* The calls under way of a thread, and of each exception in flight how many were so when it was thrown. */
struct shadow {
    uint64_t low, high; /* of the thread's own stack; other stacks are not compared */
    size_t count;
    size_t suspect; /* so many of the outermost were under way at a jump or an exception, and may have been left */
    size_t flights[SHADOW_FLIGHTS], flight_count;
    struct shadow_entry entries[];
};
enum { SHADOW_ENTRIES = 1 << 20 }; /* memory is taken as it is used */

extern _Thread_local struct shadow *shadow_own __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Where hooked functions return to. */
extern char assay_patch_return[] __attribute__((visibility("hidden")));
#define SHADOW_HOOK ((uint64_t)(uintptr_t)assay_patch_return)

/* A signal handler may come in between, and leaves all as it was but for what is above `count`. */
static inline void shadow_push(struct shadow *shadow, const struct shadow_entry *entry)
{
    size_t at = shadow->count;
    volatile struct shadow_entry *to = &shadow->entries[at];
    do {
        to->slot = entry->slot;
        to->real = entry->real;
        to->method = entry->method;
        to->hooked = entry->hooked;
        to->hooks = 0;
        *(volatile size_t *)&shadow->count = at + 1;
    } while (to->slot != entry->slot || to->real != entry->real || to->method != entry->method);
}

/* The innermost call has returned. */
static inline void shadow_pop(struct shadow *shadow)
{
    size_t left = shadow->count - 1;
    if (shadow->suspect > left)
        shadow->suspect = left;
    *(volatile size_t *)&shadow->count = left;
}

/* shadow_inside() after a jump or an exception. */
struct shadow_entry *shadow_inside_slowly(uint64_t place) __attribute__((visibility("hidden")));

/* The innermost call, where the thread's stack ends at `place`; NULL: there is none. */
static inline struct shadow_entry *shadow_inside(uint64_t place)
{
    struct shadow *shadow = shadow_own;
    if (!shadow || shadow->count == 0)
        return NULL;
    return shadow->count == shadow->suspect ? shadow_inside_slowly(place) : &shadow->entries[shadow->count - 1];
}

/* Around whatever follows return addresses: the real ones are put back, and hooked again. shadow_catch(): an exception
 * has been caught by the function whose frame is above `place`; what it has left returns no more. */
void shadow_restore(void);
void shadow_hook_again(void);
void shadow_throw(void);
void shadow_jump(void); /* a longjmp */
void shadow_catch(uint64_t place);

/* A new thread's stack is looked up; a thread ends. */
void shadow_begin_thread(void);
void shadow_end_thread(void);

/* At the end: one line on stderr if calls were not recorded since a shadow stack was full. */
void shadow_tell(void);

#endif

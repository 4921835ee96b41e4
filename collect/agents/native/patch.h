/*
 * patch.h - probes in functions that were compiled with space for them (-fpatchable-function-entry): nops.c finds the
 * functions, patch.c patches them, hook_code.S has the code that they then run, shadow.c keeps the return addresses.
 *
 * A function's first bytes become `jmp stub`. The stub pushes the function's number and jumps to the hook, which
 * records the entry, keeps the return address on the thread's shadow stack, and calls the rest of the function. So the
 * address at which the hook continues replaces the return address: the stack has the same layout as before, and the
 * processor's return predictor sees matching calls and returns. When the function returns, the hook records the exit
 * and returns to the caller.
 */
#ifndef ASSAY_AGENTS_NATIVE_PATCH_H
#define ASSAY_AGENTS_NATIVE_PATCH_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A function that has a probe. The first is one of ours, to measure the cost of a probe. */
struct patch_function {
    uint64_t method; /* where its probe is, which identifies it */
    uint64_t resume; /* where it continues */
    uint64_t stub;
    bool off;   /* its probe was taken out */
    bool whole; /* not a copy of another function, so its own hook passes its own address */
};
extern struct patch_function *patch_functions;

/* Patches everything that has been loaded, and returns how many functions got probes. Writes a note (sampler_report())
 * for a file with too little room, or if patching is impossible. To be called while there is one thread. */
size_t patch_all(void);

/* Patches what has been loaded since, before any thread runs its code. For load_watch(). */
void patch_loaded(void);

/* Notes a file that was loaded without a call of patch_loaded(): its functions get no probes, since other threads may
 * be running them, and one line says so. For the writer's thread, with modules_lock(). */
void patch_meet(const struct dl_phdr_info *info);

/* Writes the jump from `at` to `to` into `code`: NOPS_JUMP_BYTES. */
void patch_put_jump(uint8_t *code, uint64_t at, uint64_t to);

/* Whether a hook (-finstrument-functions) that passes this function's address may belong to the function of this open
 * call: it is the same function or, if that may be a copy of another, one that has or had a probe. Costs a few
 * instructions. */
struct shadow_entry;
bool patch_may_hook(const struct shadow_entry *call, uint64_t function);

/* Forgets the probes of files that have been unloaded, or could not be loaded completely. Returns whether there were
 * any. */
bool patch_forget_unloaded(void);

/* Takes a probe out of the code: methods_hooks.passed. The function costs two jumps from then on. False: not now. */
bool patch_out(uint64_t method);
void patch_in_again(void); /* puts all of them back */

/* Calls an empty function that has a probe `count` times. */
void patch_pairs(unsigned count);

/* ------------------------------------------------------------------------------------ shadow.c -- */

/* An open call. */
struct shadow_entry {
    uint64_t *slot; /* where on the stack the return address is or was */
    uint64_t real;  /* the return address */
    uint64_t method;
    /* For -finstrument-functions: the address that the function's own hook passes, or SHADOW_ANY or SHADOW_WHOLE before
     * that is known; and how many calls of hooks with that address are open. */
    uint64_t hooked, hooks;
    uint32_t chosen;      /* mode calls: its number (collect/calls/chooser.h) */
    uint32_t is_put_back; /* the hook was there, and the real address is now */
};
enum { SHADOW_ANY, SHADOW_WHOLE /* only its own: see patch_function.whole */ };

enum { SHADOW_FLIGHTS = 64 };

/* The open calls of a thread, and for each exception in flight how many were open when it was thrown. */
struct shadow {
    /* hook_code.S finds these two by their location: whether the thread works on the stack below, and where that ends.
     */
    uint64_t busy, stack_end;
    uint64_t low, high; /* bounds of the thread's own stack; other stacks are not compared */
    size_t count;
    size_t suspect; /* so many of the outermost calls were open at a jump or an exception, and may have been left */
    size_t flights[SHADOW_FLIGHTS], flight_count;
    volatile unsigned pauses; /* that nest: while there are any, return addresses are the real ones */
    struct shadow_entry entries[];
};
enum { SHADOW_STACK_BYTES = 32 << 10 };
enum { SHADOW_ENTRIES = 1 << 20 }; /* the kernel allocates their memory only as it is used */

extern _Thread_local struct shadow *shadow_own __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* With the address at which a function continues: it continues, and returns, without a hook. */
#define SHADOW_UNHOOKED (UINT64_C(1) << 63)

/* The address to which hooked functions return. */
extern char assay_patch_return[] __attribute__((visibility("hidden")));
#define SHADOW_HOOK ((uint64_t)(uintptr_t)assay_patch_return)

/* A signal handler may interrupt this, and leaves everything as it was except entries above `count`. */
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
        to->chosen = entry->chosen;
        to->is_put_back = 0;
        *(volatile size_t *)&shadow->count = at + 1;
    } while (to->slot != entry->slot || to->real != entry->real || to->method != entry->method ||
             to->chosen != entry->chosen);
}

/* Removes the innermost call, which has returned. */
static inline void shadow_pop(struct shadow *shadow)
{
    size_t left = shadow->count - 1;
    if (shadow->suspect > left)
        shadow->suspect = left;
    *(volatile size_t *)&shadow->count = left;
}

/* Continues shadow_inside() after a jump or an exception. */
struct shadow_entry *shadow_inside_slowly(uint64_t location) __attribute__((visibility("hidden")));

/* Returns the innermost open call when the thread's stack ends at `location`; NULL: there is none. */
static inline struct shadow_entry *shadow_inside(uint64_t location)
{
    struct shadow *shadow = shadow_own;
    if (!shadow || shadow->count == 0)
        return NULL;
    return shadow->count == shadow->suspect ? shadow_inside_slowly(location) : &shadow->entries[shadow->count - 1];
}

/* These two belong around whatever follows return addresses: they put the real ones back, and hook them again. They
 * nest, so a signal handler may call them anywhere. shadow_restore() is for what does not come back. shadow_catch()
 * says that the function whose frame is above `location` has caught an exception, so that the calls that it left will
 * not return. */
void shadow_pause(void);
void shadow_resume(void);
void shadow_restore(void);
void shadow_throw(void);
void shadow_jump(void); /* a longjmp */
void shadow_catch(uint64_t location);

/* Where the calling thread's stack is; of the main thread's the low end is where it may grow to. */
void shadow_bounds(uint64_t *low, uint64_t *high);

/* To be called when a thread begins, to look up its stack, and when it ends. */
void shadow_begin_thread(void);
void shadow_end_thread(void);

/* Writes a note (sampler_report()), at the end, if a shadow stack was full, so that calls were not recorded. */
void shadow_report(void);

#endif

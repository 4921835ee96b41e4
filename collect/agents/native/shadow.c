/*
 * The shadow stack of a thread: the return addresses of its open calls.
 */
#include "collect/agents/native/chosen.h"
#include "collect/agents/native/native.h"
#include "collect/agents/native/patch.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <unwind.h>

_Thread_local struct shadow *shadow_own;

/* The lowest address of the thread's stack, if it has been looked up. */
static _Thread_local uint64_t stack_low __attribute__((tls_model("initial-exec")));
static _Atomic uint64_t lost;

extern void *__libc_stack_end; /* the dynamic linker sets it: where the main thread's stack ends */

/* Its stack comes after the entries. */
static const size_t SHADOW_BYTES =
    sizeof(struct shadow) + SHADOW_ENTRIES * sizeof(struct shadow_entry) + SHADOW_STACK_BYTES;

void shadow_report(void)
{
    if (lost > 0)
        sampler_report("%llu calls at a depth of more than %d functions are not recorded", (unsigned long long)lost,
                       SHADOW_ENTRIES);
}

void shadow_bounds(uint64_t *low, uint64_t *high)
{
    enum { MAIN_GAP = 128 << 20, USUAL = 8 << 20 }; /* bytes that the kernel leaves free for the main stack */
    bool first = gettid() == getpid();
    *high = (uint64_t)(uintptr_t)(first ? __libc_stack_end : __builtin_thread_pointer());
    *low = stack_low ? stack_low : *high - (first ? MAIN_GAP : USUAL);
}

static struct shadow *shadow_attach_thread(void)
{
    int saved = errno;
    struct shadow *shadow =
        mmap(NULL, SHADOW_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    errno = saved;
    if (shadow == MAP_FAILED)
        return NULL;
    shadow->stack_end = ((uint64_t)(uintptr_t)shadow + SHADOW_BYTES) & ~UINT64_C(63);
    shadow_bounds(&shadow->low, &shadow->high);
    return shadow_own = shadow;
}

void shadow_begin_thread(void)
{
    pthread_attr_t attributes;
    void *low;
    size_t bytes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return;
    if (pthread_attr_getstack(&attributes, &low, &bytes) == 0)
        stack_low = (uint64_t)(uintptr_t)low;
    pthread_attr_destroy(&attributes);
}

void shadow_end_thread(void)
{
    struct shadow *shadow = shadow_own;
    shadow_own = NULL;
    if (shadow)
        munmap(shadow, SHADOW_BYTES);
}

static bool shadow_owns_slot(const struct shadow *shadow, const uint64_t *slot)
{
    return (uint64_t)slot >= shadow->low && (uint64_t)slot < shadow->high;
}

/* Forgets calls that a jump or an exception has left: those that were below a location of the thread's own stack.
 * Without a jump it forgets nothing, since a signal stack may lie inside the frame of a function. */
static void shadow_prune(struct shadow *shadow, uint64_t location)
{
    if (!shadow_owns_slot(shadow, (const uint64_t *)(uintptr_t)location))
        return;
    while (shadow->count > 0 && shadow->count == shadow->suspect) {
        const uint64_t *slot = shadow->entries[shadow->count - 1].slot;
        if (!shadow_owns_slot(shadow, slot) || (uint64_t)slot >= location)
            break;
        shadow_pop(shadow);
    }
    for (size_t i = 0; i < shadow->flight_count; i++)
        if (shadow->flights[i] > shadow->count)
            shadow->flights[i] = shadow->count;
}

struct shadow_entry *shadow_inside_slowly(uint64_t location)
{
    struct shadow *shadow = shadow_own;
    shadow_prune(shadow, location);
    return shadow->count > 0 ? &shadow->entries[shadow->count - 1] : NULL;
}

void shadow_restore(void)
{
    struct shadow *shadow = shadow_own;
    for (size_t i = shadow ? shadow->count : 0; i-- > 0;) {
        volatile struct shadow_entry *entry = &shadow->entries[i];
        if (*entry->slot != SHADOW_HOOK)
            continue;
        entry->is_put_back = true;
        *entry->slot = entry->real;
    }
}

/* Only where the hook was: a call that was left by a jump may have made room for another one with the same return
 * address. Calls from before an exception that is in flight stay as they are, since it passes through them. A function
 * that another one called as a tail call returns to the hook, and comes after that one. */
static void shadow_hook_again(void)
{
    struct shadow *shadow = shadow_own;
    for (size_t i = shadow->flight_count > 0 ? shadow->flights[shadow->flight_count - 1] : 0; i < shadow->count; i++) {
        volatile struct shadow_entry *entry = &shadow->entries[i];
        if (entry->is_put_back && *entry->slot == entry->real)
            *entry->slot = SHADOW_HOOK;
        entry->is_put_back = false;
    }
}

void shadow_pause(void)
{
    if (!shadow_own)
        return;
    shadow_own->pauses++;
    shadow_restore();
}

void shadow_resume(void)
{
    if (shadow_own && shadow_own->pauses > 0 && --shadow_own->pauses == 0)
        shadow_hook_again();
}

static void shadow_suspect_all(struct shadow *shadow)
{
    shadow->suspect = shadow->count;
}

/* It may leave what has paused, as an exception may. */
void shadow_jump(void)
{
    if (!shadow_own)
        return;
    shadow_suspect_all(shadow_own);
    shadow_own->pauses = 0;
}

void shadow_throw(void)
{
    struct shadow *shadow = shadow_own;
    if (!shadow)
        return;
    shadow_suspect_all(shadow);
    shadow_prune(shadow, (uint64_t)(uintptr_t)__builtin_frame_address(0));
    shadow_restore();
    if (shadow->flight_count < SHADOW_FLIGHTS)
        shadow->flights[shadow->flight_count++] = shadow->count;
}

void shadow_catch(uint64_t location)
{
    struct shadow *shadow = shadow_own;
    if (!shadow)
        return;
    shadow_jump();
    shadow_prune(shadow, location);
    if (shadow->flight_count > 0)
        shadow->flight_count--;
    shadow_hook_again();
}

/* ---------------------------------------------------------------------------- for hook.c -- */

#define LOCAL __attribute__((visibility("hidden"), used))

LOCAL uint64_t hook_enter_slowly(uint64_t number, uint64_t *below);
LOCAL uint64_t hook_enter_slowly(uint64_t number, uint64_t *below)
{
    const struct patch_function *function = &patch_functions[number];
    uint64_t *slot = below + 1;
    struct shadow *shadow = shadow_own;
    uint32_t chosen = 0;
    if ((!methods_recording() && !chosen_active) || (!shadow && !(shadow = shadow_attach_thread())))
        return function->resume | SHADOW_UNHOOKED;
    bool last_act = *slot == SHADOW_HOOK;
    shadow_prune(shadow, (uint64_t)slot + !last_act);
    if (shadow->count == SHADOW_ENTRIES) {
        lost++;
        return function->resume | SHADOW_UNHOOKED;
    }
    if (!chosen_active)
        methods_mark(MARK_ENTER, function->method, (uint64_t)slot | (last_act ? 0 : METHODS_PLACE_FRESH));
    else if ((chosen = chooser_enter(&(struct chooser_call){function->method, (uint64_t)slot, NULL})) == CHOOSER_PASSED)
        return function->resume | SHADOW_UNHOOKED;
    shadow_push(shadow, &(struct shadow_entry){slot, *slot, function->method, function->whole, 0, chosen, 0});
    return function->resume;
}

/* The personality routine of the frame that unwinders find where a function is hooked. */
LOCAL _Unwind_Reason_Code hook_personality(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
                                           struct _Unwind_Exception *exception, struct _Unwind_Context *context);
LOCAL _Unwind_Reason_Code hook_personality(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
                                           struct _Unwind_Exception *exception, struct _Unwind_Context *context)
{
    (void)version;
    (void)actions;
    (void)class;
    (void)exception;
    (void)context;
    if (shadow_own)
        shadow_suspect_all(shadow_own);
    shadow_restore();
    return _URC_CONTINUE_UNWIND;
}

/* A return without a call: another thread has entered the function. */
static _Noreturn void shadow_give_up(void)
{
    static const char text[] =
        "assay: a function returns in another thread than it was entered in: programs that do so can't be recorded by "
        "-fpatchable-function-entry; compile this one with -finstrument-functions\n";
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
        _exit(1);
    abort();
}

LOCAL uint64_t hook_leave_slowly(uint64_t nothing, uint64_t *slot);
LOCAL uint64_t hook_leave_slowly(uint64_t nothing, uint64_t *slot)
{
    (void)nothing;
    struct shadow *shadow = shadow_own;
    if (!shadow)
        shadow_give_up();
    shadow_prune(shadow, (uint64_t)slot);
    size_t at = shadow->count;
    while (at > 0 && shadow->entries[at - 1].slot != slot)
        at--;
    if (at == 0)
        shadow_give_up();
    struct shadow_entry entry = shadow->entries[at - 1];
    if (chosen_active)
        chooser_leave(entry.chosen);
    else
        methods_mark(MARK_EXIT, entry.method, (uint64_t)slot);
    memmove(&shadow->entries[at - 1], &shadow->entries[at], (shadow->count - at) * sizeof entry);
    shadow_pop(shadow);
    *slot = entry.real;
    return 1;
}

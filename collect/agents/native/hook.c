/*
 * hook.c - what hook_code.S calls in the usual case. The program relies on every register here, not only on those that
 * the calling convention preserves, so these functions use only general registers. All others are saved around the
 * rest (shadow.c).
 */
#ifdef __SSE__
#error "the Makefile has flags for this file"
#endif
#include "collect/methods/methods.h"
#include "collect/agents/native/chosen.h"
#include "collect/agents/native/patch.h"

_Static_assert(offsetof(struct shadow, busy) == 0 && offsetof(struct shadow, stack_end) == 8 &&
                   SHADOW_STACK_BYTES == 32768,
               "CALL_SLOWLY of hook_code.S");

#define LOCAL __attribute__((visibility("hidden"), used))

/* Mode calls: where a function continues, and returns, without a hook if its call is not chosen; 0: it may be. */
static uint64_t hook_resume_unhooked(uint64_t number)
{
    return chosen_active && chooser_passes_by_time() ? patch_functions[number].resume | SHADOW_UNHOOKED : 0;
}

/* Returns the address at which the function continues; 0: not the usual case. Its `number` is at slot − 1. */
LOCAL uint64_t hook_enter(uint64_t number, uint64_t *below);
LOCAL uint64_t hook_enter(uint64_t number, uint64_t *below)
{
    struct shadow *shadow = shadow_own;
    uint64_t *slot = below + 1;
    if (!shadow || shadow->count == SHADOW_ENTRIES)
        return hook_resume_unhooked(number);
    bool last_act = *slot == SHADOW_HOOK; /* the tail call of a function that returns through the same slot */
    if (shadow->count > 0 && shadow->count == shadow->suspect)
        return hook_resume_unhooked(number);
    const struct patch_function *function = &patch_functions[number];
    uint64_t location = (uint64_t)slot | (last_act ? 0 : METHODS_PLACE_FRESH);
    if (!methods_mark_plain(MARK_ENTER, function->method, location))
        return hook_resume_unhooked(number);
    shadow_push(shadow, &(struct shadow_entry){slot, *slot, function->method, function->whole, 0, 0, 0});
    return function->resume;
}

/* Puts the return address into `slot`; returns 0 if this is not the usual case. */
LOCAL uint64_t hook_leave(uint64_t nothing, uint64_t *slot);
LOCAL uint64_t hook_leave(uint64_t nothing, uint64_t *slot)
{
    (void)nothing;
    struct shadow *shadow = shadow_own;
    if (!shadow || shadow->count == 0)
        return 0;
    const struct shadow_entry *entry = &shadow->entries[shadow->count - 1];
    if (entry->slot != slot || !methods_mark_plain(MARK_EXIT, entry->method, (uint64_t)slot))
        return 0;
    *slot = entry->real;
    shadow_pop(shadow);
    return 1;
}

#include "collect/sample/stack.h"

#include <errno.h>
#include <sys/syscall.h>

#include "base/system_call.h"
#include "collect/sample/sampler.h"
#include "collect/sample/state.h"
#include "collect/sample/task.h"

/* In stack_call_on.S: calls run(argument) on the stack that ends at `top`. */
void stack_call_on(void *top, void (*run)(void *), void *argument) __attribute__((visibility("hidden")));

void stack_run(const struct slot *slot, void (*run)(void *argument), void *argument)
{
    const char *here = __builtin_frame_address(0);
    if (here >= slot->stack && here < slot->stack + SLOT_STACK_BYTES)
        run(argument);
    else
        stack_call_on(slot->stack + SLOT_STACK_BYTES, run, argument);
}

static bool stack_is_own(const stack_t *stack)
{
    return !(stack->ss_flags & SS_DISABLE) && slots_hold_stack(stack->ss_sp);
}

/* The least that the kernel accepts. */
enum { MINSIGSTKSZ_OLD = 2048 };

/* sigaltstack() itself may be interposed. */
static int stack_exchange(const stack_t *stack, stack_t *before)
{
    long result = system_call(SYS_sigaltstack, (long)stack, (long)before, 0, 0, 0, 0);
    if (result < 0)
        errno = (int)-result;
    return result < 0 ? -1 : 0;
}

void stack_offer(const struct slot *slot)
{
    stack_t known, own = {.ss_sp = slot->stack, .ss_size = SLOT_STACK_BYTES};
    if (stack_exchange(NULL, &known) == 0 && (known.ss_flags & SS_DISABLE || stack_is_own(&known)))
        stack_exchange(&own, NULL);
}

void stack_withdraw(void)
{
    stack_t known, none = {.ss_flags = SS_DISABLE};
    if (stack_exchange(NULL, &known) == 0 && stack_is_own(&known))
        stack_exchange(&none, NULL);
}

/* The alternate stack that the program believes this thread to have, in place of the slot's: too small for a frame. */
static _Thread_local stack_t small = {.ss_flags = SS_DISABLE};

int sampler_alternate_stack(const stack_t *stack, stack_t *before)
{
    stack_t known;
    enum { LEAST_BYTES = 4096 }; /* for the frame of one signal and a few words more */
    bool keep =
        stack && !(stack->ss_flags & SS_DISABLE) && stack->ss_size >= MINSIGSTKSZ_OLD && stack->ss_size < LEAST_BYTES;
    int result = stack_exchange(keep ? NULL : stack, &known);
    if (result == 0 && keep && !stack_is_own(&known)) {
        keep = false;
        result = stack_exchange(stack, NULL);
    }
    if (result != 0)
        return result;
    if (stack_is_own(&known))
        known = small;
    if (stack)
        small = keep ? *stack : (stack_t){.ss_flags = SS_DISABLE};
    if (stack && stack->ss_flags & SS_DISABLE && sampler_active() && sampler.hooks.alternate_stacks) {
        struct sampler_guard guard;
        if (sampler_try_lock(&guard)) {
            const struct slot *slot = slots_of_tid(task_self());
            if (slot)
                stack_offer(slot);
            sampler_unlock(&guard);
        }
    }
    if (before)
        *before = known;
    return 0;
}

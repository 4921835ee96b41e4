#include "collect/sample/mask.h"

#include <errno.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/signals.h"
#include "base/system_call.h"
#include "collect/sample/chain.h"
#include "collect/sample/state.h"
#include "collect/sample/task.h"

static _Thread_local unsigned long kept; /* a bit a signal, as in the kernel's sets */

/* The same in a child of vfork, which has a mask of its own, though the memory is its parent's. */
static _Thread_local struct {
    pid_t process;
    unsigned long kept;
} child;

/* Where the calling process has its bits: those of a child begin as its parent's. */
static unsigned long *mask_own_bits(void)
{
    pid_t process = task_process();
    if (process == sampler.process)
        return &kept;
    if (child.process != process) {
        child.process = process;
        child.kept = kept;
    }
    return &child.kept;
}

static unsigned long mask_bit(int signal)
{
    return 1UL << (signal - 1);
}

/* All signals below 65. */
static unsigned long *mask_bits(const sigset_t *set)
{
    return (unsigned long *)(void *)(uintptr_t)set;
}

/* The signals that stay open. */
static unsigned long mask_own_signals(void)
{
    if (!sampler_active() || sampler.source == SOURCE_EXTERNAL)
        return 0;
    int signal = atomic_load(&sampler.signal);
    unsigned long own = chain_has_handler(signal) ? 0 : mask_bit(signal);
    if (sampler_uses_registers() && !chain_has_handler(SIGTRAP))
        own |= mask_bit(SIGTRAP);
    return own;
}

int mask_change(int how, const sigset_t *set, sigset_t *before)
{
    enum { FEW = 8 };
    unsigned long changed = set ? *mask_bits(set) : 0;
    int signal = atomic_load(&sampler.signal);
    /* A program that blocks few signals, and among them the one of the clocks, is about to send it or to wait for it; a
     * tick that waits at that moment would take its place. */
    if (how != SIG_UNBLOCK && signal > 0 && changed & mask_bit(signal) && __builtin_popcountl(changed) <= FEW &&
        sampler_active())
        sampler_yield_signal(signal, changed);
    unsigned long own = mask_own_signals(), *here = (own | kept) ? mask_own_bits() : &kept, believed = *here;
    sigset_t open;
    if (set && (how == SIG_BLOCK || how == SIG_UNBLOCK || how == SIG_SETMASK)) {
        open = *set;
        /* The signals that the program believes to be blocked, but are not: before the change, since a pending signal
         * may come with it. */
        *here = how == SIG_UNBLOCK ? believed & ~changed : (how == SIG_BLOCK ? believed : 0) | (changed & own);
        if (how != SIG_UNBLOCK)
            *mask_bits(&open) &= ~own;
        set = &open;
    }
    if (signals_mask(how, set, before) != 0)
        return errno;
    if (before) /* in a handler, and in some calls, they are blocked without the program's knowledge */
        *mask_bits(before) = (*mask_bits(before) & ~own) | believed;
    return 0;
}

bool mask_is_changed(void)
{
    return mask_own_signals() != 0 || kept != 0;
}

void mask_open_inherited(unsigned long inherited)
{
    sigset_t mask;
    signals_mask(SIG_BLOCK, NULL, &mask);
    unsigned long own = mask_own_signals(), blocked = *mask_bits(&mask) | inherited;
    kept = blocked & own;
    *mask_bits(&mask) = blocked & ~own;
    signals_restore(&mask);
}

void mask_open(void)
{
    if (task_process() != sampler.process) /* a child of vfork, whose memory is its parent's */
        return;
    mask_open_inherited(kept);
}

void mask_end(void)
{
    mask_close();
    kept = 0;
}

unsigned long mask_ticks(void)
{
    return mask_own_signals() & ~mask_bit(SIGTRAP);
}

unsigned long mask_kept(void)
{
    return kept;
}

void mask_close(void)
{
    sigset_t mask;
    unsigned long own = mask_own_signals(), closed = (own | kept) ? *mask_own_bits() : 0;
    if ((own | closed) == 0)
        return;
    signals_mask(SIG_BLOCK, NULL, &mask);
    /* In a handler that has ended a wait, or has left one by a jump, ticks are blocked without the program's knowledge.
     */
    *mask_bits(&mask) = (*mask_bits(&mask) & ~own) | closed;
    signals_restore(&mask);
}

bool mask_defers(int signal, siginfo_t *info, void *context)
{
    /* The thread's own trap can't wait: it would recur immediately. */
    if (!(kept & mask_bit(signal)) || (signal == SIGTRAP && info->si_code > 0))
        return false;
    kept &= ~mask_bit(signal);
    /* A tick that came while this handler ran waits, and the program's signal of the same number would be lost in it.
     */
    static const struct timespec AT_ONCE = {0, 0};
    unsigned long set = mask_bit(signal);
    siginfo_t waiting;
    long got = signal;
    while (signal < SIGRTMIN && got == signal) {
        got = system_call(SYS_rt_sigtimedwait, (long)&set, (long)&waiting, (long)&AT_ONCE, sizeof set, 0, 0);
        if (got == signal && !mask_is_own(&waiting))
            break; /* the program's, and one of them is sent again */
    }
    sigaddset(&((ucontext_t *)context)->uc_sigmask, signal);
    if (info->si_code != SI_USER && info->si_code != SI_KERNEL && info->si_code != SI_QUEUE)
        return syscall(SYS_rt_tgsigqueueinfo, task_process(), task_self(), signal, info) == 0;
    /* It was sent to the process: any thread that waits for it may take it. */
    if (syscall(SYS_rt_sigqueueinfo, task_process(), signal, info) == 0)
        return true;
    /* Only the main thread may send it in the name of kill(): it still shows who sent it. */
    siginfo_t queued = *info;
    queued.si_code = SI_QUEUE;
    return syscall(SYS_rt_sigqueueinfo, task_process(), signal, &queued) == 0;
}

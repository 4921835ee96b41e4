#include "collect/watch/watch.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "collect/perf/reserved_fd.h"

static _Atomic uint64_t epoch;
static _Thread_local struct watcher *own __attribute__((tls_model("initial-exec")));

/* ------------------------------------------------------------------------------------------ life -- */

int watch_open(const struct watch_config *config, pid_t tid, uint64_t seed, uint64_t order, struct watcher **out)
{
    if (!*out) {
        void *memory = mmap(NULL, sizeof **out, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        *out = memory == MAP_FAILED ? NULL : memory;
    }
    struct watcher *watcher = *out;
    int error = watcher ? 0 : ENOMEM;
    if (error)
        return error;
    watcher->count = 0;
    watcher->stepping = false;
    watcher->stream = NULL;
    while (watcher->count < config->registers && !(error = watch_open_point(&watcher->points[watcher->count], tid)))
        watcher->count++;
    if (watcher->count == 0)
        return error;
    rng_init(&watcher->rng, seed ^ UINT64_C(0x7761746368), order);
    /* Places on the stack and others have separate registers, so that the probability of each sample is known: one for
     * the stack, with its guard, and the rest for others; two or one serve both. */
    bool guarded = watcher->count > 1;
    size_t unguarded = watcher->count - guarded;
    watcher->guard = guarded ? &watcher->points[watcher->count - 1] : NULL;
    watcher->stack_first = 0;
    watcher->elsewhere_first = unguarded > 1 ? 1 : 0;
    reservoir_init(&watcher->stack, 1, config->policy);
    reservoir_init(&watcher->elsewhere, unguarded > 1 ? unguarded - 1 : 1, config->policy);
    watcher->io = (struct reserved_fd){.fd = -1};
    if (config->waste == WASTE_DEAD_STORE && !watcher->points[0].trap.kernel)
        watcher->io = system_open_io(tid);
    watcher->epoch = atomic_load(&epoch);
    return 0;
}

static void watch_close_points(struct watcher *watcher)
{
    for (size_t i = 0; i < watcher->count; i++)
        debug_register_close(&watcher->points[i].trap);
    reserved_fd_close(&watcher->io);
    watcher->count = 0;
}

void watch_close(struct watcher *watcher)
{
    if (!watcher || watcher->count == 0)
        return;
    for (size_t i = 0; i < watcher->count; i++)
        if (watcher->points[i].armed && &watcher->points[i] != watcher->guard)
            watch_count(watcher, OUTCOME_PENDING);
    watcher->stream = NULL;
    watch_close_points(watcher);
}

void watch_forget(struct watcher *watcher)
{
    own = NULL;
    if (watcher)
        watch_close_points(watcher);
}

void watch_new_epoch(void)
{
    atomic_fetch_add(&epoch, 1);
}

/* ------------------------------------------------------------------------------------------ freed blocks -- */

bool watch_may_hold(uint64_t address)
{
    enum { NEAR = 1 << 30 };
    const struct watcher *watcher = own;
    for (size_t i = 0; watcher && i < watcher->count; i++) {
        const struct watchpoint *point = &watcher->points[i];
        if (point->armed && !point->frame && point->chosen >= address && point->chosen - address < NEAR)
            return true;
    }
    return false;
}

void watch_freed(uint64_t address, uint64_t bytes)
{
    struct watcher *watcher = own;
    for (size_t i = 0; watcher && i < watcher->count; i++) {
        struct watchpoint *point = &watcher->points[i];
        if (!point->armed || point->chosen < address || point->chosen - address >= bytes)
            continue;
        if (atomic_exchange(&watcher->inside, true))
            return;
        if (point->armed)
            watch_give_up(watcher, point, OUTCOME_FRESH);
        atomic_store(&watcher->inside, false);
    }
}

/* ------------------------------------------------------------------------------------------ signals -- */

static void watch_begin_epoch(struct watcher *watcher)
{
    uint64_t now = atomic_load(&epoch);
    if (watcher->epoch == now)
        return;
    watcher->epoch = now;
    for (size_t i = 0; i < watcher->count; i++)
        if (watcher->points[i].armed && &watcher->points[i] != watcher->guard) {
            watch_disarm(watcher, &watcher->points[i]);
            watch_count(watcher, OUTCOME_COLLECTED);
        }
}

static uint64_t watch_stack_pointer(const void *ucontext)
{
    return (uint64_t)((const ucontext_t *)ucontext)->uc_mcontext.gregs[REG_RSP];
}

static void watch_give_up_all(struct watcher *watcher)
{
    for (size_t i = 0; i < watcher->count; i++)
        if (watcher->points[i].armed && &watcher->points[i] == watcher->guard)
            watch_disarm(watcher, watcher->guard);
        else if (watcher->points[i].armed)
            watch_give_up(watcher, &watcher->points[i], OUTCOME_UNKNOWN);
}

void watch_tick(struct watcher *watcher, void *ucontext)
{
    own = watcher;
    if (watcher->count == 0 || atomic_exchange(&watcher->inside, true))
        return;
    if (watch_host.traps()) {
        watch_begin_epoch(watcher);
        watch_sweep(watcher, watch_stack_pointer(ucontext));
        if (!watcher->stepping)
            step_begin(watcher, ucontext);
    } else {
        /* The program has taken SIGTRAP past the C library: what traps now would reach its handler. */
        watch_give_up_all(watcher);
        watch_count(watcher, OUTCOME_BLOCKED);
    }
    atomic_store(&watcher->inside, false);
}

static void watch_on_guard(struct watcher *watcher)
{
    struct watchpoint *guarded = &watcher->points[watcher->stack_first];
    watch_disarm(watcher, watcher->guard);
    if (guarded->armed && guarded->frame)
        watch_give_up(watcher, guarded, OUTCOME_FRESH);
}

/*
 * It happened while the signal was blocked: one of our handlers has used the place. If it does so every time (below the
 * stack pointer, where handlers run, or errno), this never ends.
 */
static void watch_on_late(struct watcher *watcher, struct watchpoint *point, const void *ucontext)
{
    uint64_t pc = (uint64_t)((const ucontext_t *)ucontext)->uc_mcontext.gregs[REG_RIP];
    watch_sweep(watcher, watch_stack_pointer(ucontext));
    if (point->armed && watcher->late_at == pc && point != watcher->guard)
        watch_give_up(watcher, point, OUTCOME_UNKNOWN);
    else if (point->armed && watcher->late_at == pc)
        watch_on_guard(watcher);
    watcher->late_at = pc;
}

bool watch_trap(const siginfo_t *info, void *ucontext)
{
    struct watcher *watcher = own;
    uint64_t word = 0;
    bool late = false, trapped = debug_register_trapped(info, &word, &late);
    uint64_t pc = (uint64_t)((const ucontext_t *)ucontext)->uc_mcontext.gregs[REG_RIP];
    if (watcher && watcher->count > 0 && debug_register_strayed(info, pc)) {
        if (watch_host.running() && watcher->stream && !atomic_exchange(&watcher->inside, true)) {
            watch_give_up_all(watcher);
            atomic_store(&watcher->inside, false);
        }
        return true;
    }
    /* A step that was taken when stepping ended. */
    if (info->si_code == TRAP_TRACE && watcher && !watcher->stepping && !watch_host.handles(SIGTRAP))
        return true;
    if (!trapped && !(info->si_code == TRAP_TRACE && watcher && watcher->stepping))
        return false;
    if (!watcher)
        return true;
    if (!watch_host.running() || !watcher->stream) {
        step_end(watcher, ucontext);
        return true;
    }
    struct watchpoint *point = NULL;
    for (size_t i = 0; trapped && !point && i < watcher->count; i++)
        if (word == (uint64_t)(uintptr_t)&watcher->points[i])
            point = &watcher->points[i];
    if (atomic_exchange(&watcher->inside, true))
        return true;
    if (late && point)
        watch_on_late(watcher, point, ucontext);
    else if (watcher->stepping) /* steps check the watchpoints themselves */
        step_on(watcher, ucontext);
    else if (point) {
        watch_begin_epoch(watcher);
        watch_sweep(watcher, watch_stack_pointer(ucontext));
        if (point->armed && point == watcher->guard)
            watch_on_guard(watcher);
        else if (point->armed)
            hit_take(watcher, point, ucontext);
    }
    atomic_store(&watcher->inside, false);
    return true;
}

/*
 * The usual record, for probes that may change no register of the program: code that was compiled without a call here
 * relies on more of them than the calling convention keeps. So this file uses the general ones alone, which are cheap
 * to save; all else is for methods_mark(), around which the caller saves every register.
 */
#ifdef __SSE__
#error "the Makefile has flags for this file"
#endif
#include "collect/methods/thread.h"

/* What such a probe reads. */
struct methods_tables methods_own_tables;
struct methods methods = {.tables = &methods_own_tables};
_Thread_local struct methods_thread *probe_current __attribute__((tls_model("initial-exec")));
struct rseq_cs probe_untouched;

int giveup_find(const struct giveup_table *table, uint64_t method)
{
    size_t slot = method * UINT64_C(0x9E3779B97F4A7C15) >> 52;
    for (size_t tries = 0; tries < GIVEUP_SLOTS; tries++, slot = (slot + 1) % GIVEUP_SLOTS) {
        uint64_t there = atomic_load_explicit(&table->methods[slot], memory_order_relaxed);
        if (there == method)
            return (int)slot;
        if (there == 0)
            break;
    }
    return -1;
}

static bool probe_is_usual(const struct methods_thread *thread)
{
    return thread && atomic_load_explicit(&methods.active, memory_order_relaxed) && thread->muted == 0 && time_is_tsc &&
           !methods.reads && thread->dropped == 0 && thread->reserved < thread->limit &&
           (thread->reserved & (WAKE_RECORDS - 1)) != WAKE_RECORDS - 1 && thread->rseq &&
           __atomic_load_n(&thread->rseq->rseq_cs, __ATOMIC_RELAXED) == (uintptr_t)&probe_untouched;
}

bool methods_mark_plain(enum methods_mark mark, uint64_t method, uint64_t location)
{
    struct methods_thread *thread = probe_current;
    if (!probe_is_usual(thread) || (method && giveup_slot(&methods.tables->giveup, method) >= 0))
        return false;
    thread->inside++;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    probe_put(thread, mark, method, location, __builtin_ia32_rdtsc());
    probe_publish(thread);
    return true;
}

/*
 * Records into the ring of a thread. Only what is in this file runs in the measured program's own time.
 */
#include <errno.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/system_call.h"
#include "collect/methods/thread.h"
#include "collect/pool/pool.h"
#include "collect/sample/sampler.h"

/* A sequence that no thread is ever in: the kernel clears rseq_cs when it takes a thread off its processor outside of
 * the sequence that it names. The word before the handler is the signature that glibc registers. */
__asm__(".pushsection .text\n"
        ".balign 16\n"
        "assay_rseq_begin: nop\n"
        "nop\n"
        ".long 0x53053053\n"
        "assay_rseq_abort: ud2\n"
        ".popsection\n");
extern char assay_rseq_begin[] __attribute__((visibility("hidden")));
extern char assay_rseq_abort[] __attribute__((visibility("hidden")));

extern void *__libc_stack_end; /* the dynamic linker's: where the main thread's stack ends */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));

struct methods_thread probe_refused = {.muted = 1};

static void *probe_map_pages(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* The faults of the first accesses are not the program's. */
static void probe_touch_pages(void *memory, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += SHARED_PAGE)
        ((volatile char *)memory)[at] = 0;
}

static void probe_set_name(struct methods_ring *ring)
{
    uint64_t words[NAME_WORDS] = {0};
    if (prctl(PR_GET_NAME, words) == 0)
        for (size_t i = 0; i < NAME_WORDS; i++)
            atomic_store_explicit(&ring->name[i], words[i], memory_order_relaxed);
}

struct methods_thread *probe_thread_new(pid_t tid)
{
    struct methods_thread *thread = probe_map_pages(sizeof *thread);
    if (!thread)
        return NULL;
    if (methods.outside) {
        madvise(thread, sizeof *thread, MADV_WIPEONFORK);
        thread->part = sampler_claim_thread();
        thread->ring = thread->part ? (struct methods_ring *)(void *)((char *)thread->part + POOL_PAGE) : NULL;
    } else {
        thread->ring = probe_map_pages(sizeof *thread->ring);
    }
    if (!thread->ring) {
        munmap(thread, sizeof *thread);
        return NULL;
    }
    thread->tid = tid;
    thread->began_ns = clock_ns(CLOCK_MONOTONIC);
    /* glibc puts the thread pointer above the stack of any other thread. */
    thread->ring->stack_high = (uint64_t)(uintptr_t)(tid == getpid() ? __libc_stack_end : __builtin_thread_pointer());
    probe_set_name(thread->ring);
    thread->limit = RING_RECORDS - RING_SLACK;
    thread->generation = atomic_load(&methods.tables->giveup.generation);
    if (&__rseq_size && __rseq_size != 0) {
        probe_untouched.start_ip = (uintptr_t)assay_rseq_begin;
        probe_untouched.post_commit_offset = 1;
        probe_untouched.abort_ip = (uintptr_t)assay_rseq_abort;
        thread->rseq = (struct rseq *)((char *)__builtin_thread_pointer() + __rseq_offset);
        thread->rseq->rseq_cs = 0; /* of a ring before: this one begins with the CPU time */
    }
    if (methods.counts[COUNTER_FAULTS]) {
        probe_touch_pages(thread->inner, sizeof thread->inner);
        probe_touch_pages(thread->ring->records, sizeof thread->ring->records);
    }
    probe_open_hardware(thread);
    return thread;
}

void probe_open_hardware(struct methods_thread *thread)
{
    if (hardware_count() > 0 && !hardware_open(&thread->hardware))
        atomic_fetch_add(&methods.tables->blind, 1);
}

void probe_thread_free(struct methods_thread *thread)
{
    hardware_close(&thread->hardware);
    if (thread->part)
        sampler_release_thread(thread->part);
    else
        munmap(thread->ring, sizeof *thread->ring);
    munmap(thread, sizeof *thread);
}

struct methods_thread *probe_self(void)
{
    return probe_current;
}

void probe_set_self(struct methods_thread *thread)
{
    probe_current = thread;
}

/* How many records have space. */
static uint64_t probe_space(struct methods_thread *thread)
{
    thread->limit = atomic_load_explicit(&thread->ring->tail, memory_order_acquire) + RING_RECORDS - RING_SLACK;
    return thread->limit > thread->reserved ? thread->limit - thread->reserved : 0;
}

bool methods_has_reader(void)
{
    return methods.outside || sampler_writer();
}

void methods_wake(void)
{
    _Atomic uint32_t *bell = &methods.tables->bell;
    if (!methods.outside && sampler_writer())
        trace_wake(sampler_writer());
    else if (methods.outside && atomic_exchange(bell, 1) == 0)
        system_call(SYS_futex, (long)bell, FUTEX_WAKE, 1, 0, 0, 0);
}

/* Waits until the reader has emptied half of the ring: a thread that went on as soon as there is any space would soon
 * wait again, and write into the lines that the reader is about to read. Whoever holds a lock that the reader needs
 * would wait for ever, and so would everybody if the reader had died: when it has taken no record of any thread for a
 * second, records are dropped, and counted, until there is space. */
static __attribute__((noinline)) bool probe_wait_for_space(struct methods_thread *thread)
{
    enum { PATIENCE_NS = 1000000000, PAUSE_NS = 50000, LONGEST_NS = 3200000, ENOUGH = RING_RECORDS / 2 };
    int saved = errno;
    long pause_ns = PAUSE_NS; /* longer and longer: many threads that look too often would keep the reader from work */
    _Atomic uint64_t *steps = &methods.tables->taken;
    uint64_t taken = atomic_load(steps);
    uint64_t until = thread->dropped ? 0 : clock_ns(CLOCK_MONOTONIC) + PATIENCE_NS;
    uint64_t space = probe_space(thread);
    while (space < ENOUGH && atomic_load(&methods.active) && methods_has_reader() && getpid() == methods.process) {
        atomic_store_explicit(&thread->ring->head, thread->reserved, memory_order_release);
        methods_wake();
        if (clock_ns(CLOCK_MONOTONIC) >= until)
            break;
        system_call(SYS_nanosleep, (long)&(struct timespec){.tv_nsec = pause_ns}, 0, 0, 0, 0, 0);
        pause_ns = pause_ns < LONGEST_NS ? 2 * pause_ns : pause_ns;
        if (atomic_load(steps) != taken && until > 0) {
            taken = atomic_load(steps);
            until = clock_ns(CLOCK_MONOTONIC) + PATIENCE_NS;
        }
        space = probe_space(thread);
    }
    errno = saved;
    return space > 0;
}

static void probe_write(struct methods_thread *thread, enum methods_mark mark, uint64_t method, uint64_t location)
{
    if (probe_put(thread, mark, method, location, time_ticks()))
        methods_wake();
}

static void probe_write_counter(struct methods_thread *thread, enum methods_counter which)
{
    uint64_t value;
    if (!counters_value(which, &value) || value == thread->counted[which])
        return;
    thread->counted[which] = value;
    probe_write(thread, MARK_COUNTER, which, value);
}

static __attribute__((noinline)) void probe_write_counters(struct methods_thread *thread)
{
    int saved = errno;
    if (methods.counts[COUNTER_ALLOCATED])
        probe_write_counter(thread, COUNTER_ALLOCATED);
    if (methods.counts[COUNTER_FAULTS])
        probe_write_counter(thread, COUNTER_FAULTS);
    for (enum methods_counter which = COUNTER_SIMULATED; methods.simulated && which < COUNTERS_NAMED; which++)
        if (methods.counts[which])
            probe_write_counter(thread, which);
    uint64_t value;
    for (size_t i = 0; i < hardware_count(); i++)
        if (hardware_read(&thread->hardware, i, &value))
            probe_write(thread, MARK_COUNTER, COUNTER_HARDWARE + i, value);
    errno = saved;
}

static __attribute__((noinline)) void probe_write_cpu(struct methods_thread *thread)
{
    int saved = errno;
    if (thread->rseq)
        thread->rseq->rseq_cs = (uintptr_t)&probe_untouched;
    probe_write(thread, MARK_CPU, 0, clock_ns(CLOCK_THREAD_CPUTIME_ID));
    if (methods.counts[COUNTER_SWITCHES]) /* it was not taken off its processor in between */
        probe_write_counter(thread, COUNTER_SWITCHES);
    probe_set_name(thread->ring); /* it may have changed, and this is a system call already */
    errno = saved;
}

static __attribute__((noinline)) void probe_write_gap(struct methods_thread *thread)
{
    probe_write(thread, MARK_GAP, 0, thread->dropped);
    thread->dropped = 0;
}

static void probe_record(struct methods_thread *thread, enum methods_mark mark, uint64_t method, uint64_t location)
{
    if (thread->reserved >= thread->limit && !probe_wait_for_space(thread)) {
        thread->dropped++;
        return;
    }
    thread->inside++;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (thread->dropped)
        probe_write_gap(thread);
    if (methods.reads)
        probe_write_counters(thread);
    if (!thread->rseq || __atomic_load_n(&thread->rseq->rseq_cs, __ATOMIC_RELAXED) != (uintptr_t)&probe_untouched)
        probe_write_cpu(thread);
    probe_write(thread, mark, method, location);
    probe_publish(thread);
}

__attribute__((noinline)) struct methods_thread *probe_attach(void)
{
    int saved = errno;
    struct methods_thread *thread = probe_thread_new((pid_t)syscall(SYS_gettid));
    if (!thread) {
        atomic_fetch_add(&methods.tables->unrecorded, 1);
        probe_current = &probe_refused;
        errno = saved;
        return NULL;
    }
    thread->next = atomic_load(&methods.threads);
    while (!atomic_compare_exchange_weak(&methods.threads, &thread->next, thread))
        ;
    probe_current = thread;
    if (thread->part) {
        sampler_show_thread(thread->part);
        /* Frees what threads have left behind whose records another process has taken. One thread at a time does it;
         * others only add to the beginning of the list. */
        static atomic_flag busy = ATOMIC_FLAG_INIT;
        if (!atomic_flag_test_and_set(&busy)) {
            struct methods_thread *before = atomic_load(&methods.threads), *ended;
            while (before && (ended = before->next)) {
                if (!ended->part || !atomic_load(&ended->part->gone)) {
                    before = ended;
                    continue;
                }
                before->next = ended->next;
                probe_thread_free(ended);
            }
            atomic_flag_clear(&busy);
        }
    }
    errno = saved;
    return thread;
}

static __attribute__((noinline)) void probe_begin_generation(struct methods_thread *thread, unsigned generation)
{
    memset(thread->inner, 0, sizeof thread->inner);
    thread->generation = generation;
    if (atomic_exchange(&methods.tried_generation, generation) != generation)
        for (size_t slot = 0; slot < GIVEUP_SLOTS; slot++)
            atomic_store(&methods.tried[slot], false);
}

/* Whether a record of a method that has been given up is passed over. */
static __attribute__((noinline)) bool probe_is_passed(struct methods_thread *thread, enum methods_mark mark, int slot,
                                                      uint64_t method)
{
    const struct giveup_table *table = &methods.tables->giveup;
    unsigned generation = atomic_load_explicit(&table->generation, memory_order_relaxed);
    if (generation != thread->generation)
        probe_begin_generation(thread, generation);
    bool drains = atomic_load_explicit(&table->states[slot], memory_order_relaxed) == GIVEUP_DRAINING;
    if (mark == MARK_ENTER) {
        _Atomic uint64_t *passed = &thread->ring->passed;
        atomic_store_explicit(passed, atomic_load_explicit(passed, memory_order_relaxed) + 1, memory_order_relaxed);
        thread->inner[slot] += drains;
        /* The probes leave the code if that is possible now. */
        if (methods.hooks.passed && !atomic_load_explicit(&methods.tried[slot], memory_order_relaxed) &&
            methods.hooks.passed(method))
            atomic_store(&methods.tried[slot], true);
        return true;
    }
    if (drains && thread->inner[slot] == 0)
        return false; /* it was entered before */
    thread->inner[slot] -= drains;
    return true;
}

/* Whether the calling thread has a ring. In the child of a fork that nothing has seen, no thread has. */
static bool probe_has_ring(const struct methods_thread *thread)
{
    if (!thread || thread->ring)
        return thread != NULL;
    if (thread != &probe_refused)
        atomic_store(&methods.active, false);
    return false;
}

static void probe_mark(enum methods_mark mark, uint64_t method, uint64_t location)
{
    if (!atomic_load_explicit(&methods.active, memory_order_relaxed))
        return;
    struct methods_thread *thread = probe_current;
    if (!thread && mark != MARK_ENTER)
        return;
    if (!thread && !(thread = probe_attach()))
        return;
    if (probe_has_ring(thread) && !thread->muted)
        probe_record(thread, mark, method, location);
}

static bool probe_passes(enum methods_mark mark, uint64_t method)
{
    struct methods_thread *thread = probe_current;
    int slot = method && probe_has_ring(thread) && !thread->muted ? giveup_slot(&methods.tables->giveup, method) : -1;
    return slot >= 0 && probe_is_passed(thread, mark, slot, method);
}

void methods_mark(enum methods_mark mark, uint64_t method, uint64_t location)
{
    probe_pause();
    if (!probe_passes(mark, method))
        probe_mark(mark, method, location);
    probe_go_on();
}

void methods_mute(void)
{
    if (probe_current || probe_attach())
        probe_current->muted++;
}

void methods_unmute(void)
{
    if (probe_current)
        probe_current->muted--;
}

/* Deeper is lower, as on the stack. */
uint32_t methods_enter(uint64_t method)
{
    if (probe_passes(MARK_ENTER, method))
        return METHODS_PASSED;
    uint64_t location = UINT32_MAX - (probe_current ? probe_current->depth : 0);
    if (!methods_mark_plain(MARK_ENTER, method, location))
        probe_mark(MARK_ENTER, method, location);
    return probe_current ? probe_current->depth++ : 0;
}

void methods_leave(enum methods_mark mark, uint64_t method, uint32_t depth)
{
    if (depth == METHODS_PASSED)
        return;
    if (!methods_mark_plain(mark, method, UINT32_MAX - depth))
        probe_mark(mark, method, UINT32_MAX - depth);
    if (probe_current)
        probe_current->depth = depth;
}

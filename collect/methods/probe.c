/*
 * Records into the ring of a thread. Only what is in this file runs in the measured program's own time.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "collect/methods/thread.h"
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

static struct rseq *find_rseq(void)
{
    if (!&__rseq_size || __rseq_size == 0)
        return NULL;
    probe_untouched.start_ip = (uintptr_t)assay_rseq_begin;
    probe_untouched.post_commit_offset = 1;
    probe_untouched.abort_ip = (uintptr_t)assay_rseq_abort;
    return (struct rseq *)((char *)__builtin_thread_pointer() + __rseq_offset);
}

struct methods_thread *probe_thread_new(pid_t tid)
{
    size_t ring = RING_RECORDS * sizeof(struct record), own = (sizeof(struct methods_thread) + 4095) & ~(size_t)4095;
    int populate = methods.counts[COUNTER_FAULTS] ? MAP_POPULATE : 0; /* the ring's own faults are not the program's */
    char *memory = mmap(NULL, own + ring, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | populate, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    struct methods_thread *thread = (struct methods_thread *)(void *)memory;
    thread->ring = (struct record *)(void *)(memory + own);
    thread->tid = tid;
    /* glibc puts the thread pointer above the stack of any other thread. */
    thread->stack_high = (uint64_t)(uintptr_t)(tid == getpid() ? __libc_stack_end : __builtin_thread_pointer());
    prctl(PR_GET_NAME, thread->name);
    thread->limit = RING_RECORDS - RING_SLACK;
    thread->rseq = find_rseq();
    if (thread->rseq) /* of a ring before: this one begins with the CPU time */
        thread->rseq->rseq_cs = 0;
    probe_open_hardware(thread);
    return thread;
}

void probe_open_hardware(struct methods_thread *thread)
{
    if (hardware_count() > 0 && !hardware_open(&thread->hardware))
        atomic_fetch_add(&methods.blind, 1);
}

void probe_thread_free(struct methods_thread *thread)
{
    size_t own = (sizeof(struct methods_thread) + 4095) & ~(size_t)4095;
    open_free(&thread->open);
    hardware_close(&thread->hardware);
    munmap(thread, own + RING_RECORDS * sizeof(struct record));
}

struct methods_thread *probe_self(void)
{
    return probe_current;
}

void probe_set_self(struct methods_thread *thread)
{
    probe_current = thread;
}

/* How many records have room. */
static uint64_t room_of(struct methods_thread *thread)
{
    thread->limit = atomic_load_explicit(&thread->tail, memory_order_acquire) + RING_RECORDS - RING_SLACK;
    return thread->limit > thread->reserved ? thread->limit - thread->reserved : 0;
}

/* Waits until the writer has emptied half of the ring: a thread that went on as soon as there is any room would soon
 * wait again, and write into the lines that the writer is about to read. Whoever holds a lock that the writer needs
 * would wait for ever: when the writer has taken no record of any thread for a second, records are dropped, and
 * counted, until there is room. */
static __attribute__((noinline)) bool wait_for_room(struct methods_thread *thread)
{
    enum { PATIENCE_NS = 1000000000, PAUSE_NS = 50000, LONGEST_NS = 3200000, ENOUGH = RING_RECORDS / 2 };
    int saved = errno;
    long pause_ns = PAUSE_NS; /* longer and longer: many threads that look too often would keep the writer from work */
    uint64_t taken = atomic_load(&methods.taken);
    uint64_t until = thread->dropped ? 0 : clock_ns(CLOCK_MONOTONIC) + PATIENCE_NS;
    uint64_t room = room_of(thread);
    while (room < ENOUGH && atomic_load(&methods.active) && sampler_writer() && getpid() == methods.process) {
        atomic_store_explicit(&thread->head, thread->reserved, memory_order_release);
        trace_wake(sampler_writer());
        if (clock_ns(CLOCK_MONOTONIC) >= until)
            break;
        syscall(SYS_nanosleep, &(struct timespec){.tv_nsec = pause_ns}, NULL);
        pause_ns = pause_ns < LONGEST_NS ? 2 * pause_ns : pause_ns;
        if (atomic_load(&methods.taken) != taken && until > 0) {
            taken = atomic_load(&methods.taken);
            until = clock_ns(CLOCK_MONOTONIC) + PATIENCE_NS;
        }
        room = room_of(thread);
    }
    errno = saved;
    return room > 0;
}

static void put(struct methods_thread *thread, enum methods_mark mark, uint64_t method, uint64_t place)
{
    if (probe_put(thread, mark, method, place, time_ticks()) && sampler_writer())
        trace_wake(sampler_writer());
}

static void put_if_changed(struct methods_thread *thread, enum methods_counter which)
{
    uint64_t value;
    if (!counters_value(which, &value) || value == thread->counted[which])
        return;
    thread->counted[which] = value;
    put(thread, MARK_COUNTER, which, value);
}

static __attribute__((noinline)) void put_counters(struct methods_thread *thread)
{
    int saved = errno;
    if (methods.counts[COUNTER_ALLOCATED])
        put_if_changed(thread, COUNTER_ALLOCATED);
    if (methods.counts[COUNTER_FAULTS])
        put_if_changed(thread, COUNTER_FAULTS);
    for (enum methods_counter which = COUNTER_SIMULATED; methods.simulated && which < COUNTERS_NAMED; which++)
        if (methods.counts[which])
            put_if_changed(thread, which);
    uint64_t value;
    for (size_t i = 0; i < hardware_count(); i++)
        if (hardware_read(&thread->hardware, i, &value))
            put(thread, MARK_COUNTER, COUNTER_HARDWARE + i, value);
    errno = saved;
}

static __attribute__((noinline)) void put_cpu(struct methods_thread *thread)
{
    int saved = errno;
    if (thread->rseq)
        thread->rseq->rseq_cs = (uintptr_t)&probe_untouched;
    put(thread, MARK_CPU, 0, clock_ns(CLOCK_THREAD_CPUTIME_ID));
    if (methods.counts[COUNTER_SWITCHES]) /* it was not taken off its processor in between */
        put_if_changed(thread, COUNTER_SWITCHES);
    prctl(PR_GET_NAME, thread->name); /* it may have changed, and this is a system call already */
    errno = saved;
}

static __attribute__((noinline)) void put_gap(struct methods_thread *thread)
{
    put(thread, MARK_GAP, 0, thread->dropped);
    thread->dropped = 0;
}

static void record(struct methods_thread *thread, enum methods_mark mark, uint64_t method, uint64_t place)
{
    if (thread->reserved >= thread->limit && !wait_for_room(thread)) {
        thread->dropped++;
        return;
    }
    thread->inside++;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (thread->dropped)
        put_gap(thread);
    if (methods.reads)
        put_counters(thread);
    if (!thread->rseq || __atomic_load_n(&thread->rseq->rseq_cs, __ATOMIC_RELAXED) != (uintptr_t)&probe_untouched)
        put_cpu(thread);
    put(thread, mark, method, place);
    probe_publish(thread);
}

static __attribute__((noinline)) struct methods_thread *attach(void)
{
    int saved = errno;
    struct methods_thread *thread = probe_thread_new((pid_t)syscall(SYS_gettid));
    if (thread) {
        thread->next = atomic_load(&methods.threads);
        while (!atomic_compare_exchange_weak(&methods.threads, &thread->next, thread))
            ;
        probe_current = thread;
    }
    errno = saved;
    return thread;
}

/* Whether a record of a method that has been given up is passed over. */
static __attribute__((noinline)) bool is_passed(struct methods_thread *thread, enum methods_mark mark, int slot)
{
    bool drains = atomic_load_explicit(&giveup_table.states[slot], memory_order_relaxed) == GIVEUP_DRAINING;
    if (mark == MARK_ENTER) {
        atomic_store_explicit(&thread->passed, thread->passed + 1, memory_order_relaxed);
        thread->inner[slot] += drains;
        return true;
    }
    if (drains && thread->inner[slot] == 0)
        return false; /* it was entered before */
    thread->inner[slot] -= drains;
    return true;
}

static void mark_recorded(enum methods_mark mark, uint64_t method, uint64_t place)
{
    if (!atomic_load_explicit(&methods.active, memory_order_relaxed))
        return;
    struct methods_thread *thread = probe_current;
    if (!thread && mark != MARK_ENTER)
        return;
    if (!thread && !(thread = attach()))
        return;
    if (!thread->muted)
        record(thread, mark, method, place);
}

void methods_mark(enum methods_mark mark, uint64_t method, uint64_t place)
{
    probe_pause();
    int slot = method ? giveup_slot(method) : -1;
    if (slot < 0 || !probe_current || probe_current->muted || !is_passed(probe_current, mark, slot))
        mark_recorded(mark, method, place);
    probe_go_on();
}

void methods_mute(void)
{
    if (probe_current || attach())
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
    int slot = giveup_slot(method);
    if (slot >= 0 && probe_current && is_passed(probe_current, MARK_ENTER, slot))
        return METHODS_PASSED;
    uint64_t place = UINT32_MAX - (probe_current ? probe_current->depth : 0);
    if (!methods_mark_plain(MARK_ENTER, method, place))
        mark_recorded(MARK_ENTER, method, place);
    return probe_current ? probe_current->depth++ : 0;
}

void methods_leave(enum methods_mark mark, uint64_t method, uint32_t depth)
{
    if (depth == METHODS_PASSED)
        return;
    if (!methods_mark_plain(mark, method, UINT32_MAX - depth))
        mark_recorded(mark, method, UINT32_MAX - depth);
    if (probe_current)
        probe_current->depth = depth;
}

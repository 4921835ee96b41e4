#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/system_call.h"
#include "collect/keep/state.h"

static const uint64_t CYCLE_NS = UINT64_C(20000000), MILLISECOND = UINT64_C(1000000);

int loop_send(const struct process *process, pid_t tid, uint64_t value)
{
    siginfo_t info = {.si_signo = atomic_load(&process->board->signal), .si_code = SI_QUEUE};
    info.si_pid = process->board->pid;
    info.si_uid = getuid();
    info.si_value.sival_ptr = (void *)(uintptr_t)value; /* NOLINT: an address of the other process */
    return syscall(SYS_rt_tgsigqueueinfo, process->pid, tid, info.si_signo, &info) == 0 ? 0 : errno;
}

/* ---------------------------------------------------------------------------- extents -- */

static bool is_known(uint32_t number)
{
    return keeper.known[number / 32] >> number % 32 & 1;
}

void loop_forget(uint32_t number)
{
    keeper.known[number / 32] &= ~(UINT32_C(1) << number % 32);
    pool_free(&keeper.pool, number);
}

static struct process *process_of(uint32_t number)
{
    struct process *process = keeper.processes;
    while (process && process->number != number)
        process = process->next;
    return process;
}

/* Whether it could be taken into a list. */
static bool take(uint32_t number)
{
    void *extent = pool_extent(&keeper.pool, number);
    uint32_t kind = atomic_load((_Atomic uint32_t *)extent);
    if (kind == POOL_PROCESS)
        return process_begin(number, extent) != NULL;
    if (kind != POOL_THREAD)
        return false;
    struct pool_thread *shared = extent;
    struct process *process = process_of(shared->process);
    if (process)
        process_add_thread(process, number, shared);
    return process != NULL;
}

/* Threads may come before their process: they are taken the next time. Returns the number of extents in use that are in
 * no list. */
static size_t discover_once(void)
{
    size_t left = 0;
    const struct pool_header *header = keeper.pool.header;
    for (uint32_t word = 0; word < header->extents / 64; word++)
        for (uint64_t bits = atomic_load(&header->used[word]); bits; bits &= bits - 1) {
            uint32_t number = 64 * word + (uint32_t)__builtin_ctzll(bits);
            if (number == 0 || is_known(number))
                continue;
            if (take(number))
                keeper.known[number / 32] |= UINT32_C(1) << number % 32;
            else
                left++;
        }
    return left;
}

static size_t discover(void)
{
    return discover_once() > 0 ? discover_once() : 0;
}

/* ---------------------------------------------------------------------------- a cycle -- */

static void take_ends(void)
{
    enum { MOST = 64 };
    struct epoll_event ends[MOST];
    int count = MOST;
    while (count == MOST) {
        count = epoll_wait(keeper.ends, ends, MOST, 0);
        for (int i = 0; i < count; i++) {
            struct process *process = ends[i].data.ptr;
            process->died = true;
            epoll_ctl(keeper.ends, EPOLL_CTL_DEL, process->pidfd, NULL);
        }
    }
}

static struct process *first_ended(void)
{
    struct process *process = keeper.processes;
    while (process && !process->ended)
        process = process->next;
    return process;
}

/* What they did last is known after they have ended, and may show that others have. */
static void bury(void)
{
    bool any = false;
    take_ends();
    for (struct process *process = keeper.processes; process; process = process->next)
        any |= process->ended = process_has_ended(process);
    if (any)
        discover();
    for (struct process *process; any && (process = first_ended());)
        process_end(process);
}

static void cycle(bool all)
{
    discover();
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    for (struct process *process = keeper.processes; process; process = process->next) {
        tasks_look(process, now);
        process_step(process, now, all);
    }
    bury();
}

static uint32_t count_living(void)
{
    uint32_t count = 0;
    for (const struct process *process = keeper.processes; process; process = process->next)
        count++;
    return count;
}

/* A process that has just been forked may not have announced itself. */
static void answer(uint32_t asked)
{
    enum { TRIES = 20 };
    for (int i = 0; i < TRIES && discover() > 0; i++)
        pool_wait(&keeper.pool, MILLISECOND);
    cycle(false);
    atomic_store(&keeper.pool.header->living, count_living());
    atomic_store(&keeper.pool.header->answered, asked);
    system_call(SYS_futex, (long)&keeper.pool.header->answered, FUTEX_WAKE, INT_MAX, 0, 0, 0);
}

static bool is_over(void)
{
    return atomic_load(&keeper.pool.header->over) || getppid() != keeper.recorder;
}

void loop_run(void)
{
    do {
        pool_wait(&keeper.pool, CYCLE_NS);
        cycle(false);
        uint32_t asked = atomic_load(&keeper.pool.header->asked);
        if (asked != atomic_load(&keeper.pool.header->answered))
            answer(asked);
    } while (keeper.processes || !is_over());
}

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/system_call.h"
#include "collect/keep/state.h"
#include "collect/sample/carriers.h"

static const uint64_t CYCLE_NS = UINT64_C(20000000), MILLISECOND = UINT64_C(1000000);

int loop_send(const struct process *process, pid_t tid, uint64_t value)
{
    siginfo_t info = {.si_signo = atomic_load(&process->board->signal), .si_code = SI_QUEUE};
    if (tid <= 0 || process->finished || atomic_load(&process->board->state) != POOL_RUNNING)
        return ESRCH;
    if (info.si_signo >= SIGRTMIN && tasks_has_executed(process)) /* it would end a program that does not expect it */
        return ESRCH;
    info.si_pid = process->own_pid;
    info.si_uid = getuid();
    info.si_value.sival_ptr = (void *)(uintptr_t)value; /* NOLINT: an address of the other process */
    return syscall(SYS_rt_tgsigqueueinfo, process->pid, tid, info.si_signo, &info) == 0 ? 0 : errno;
}

/* ---------------------------------------------------------------------------- extents -- */

void loop_forget(uint32_t number)
{
    assert(number > 0 && number < POOL_EXTENTS_MAX);
    keeper.known[number / 32] &= ~(UINT32_C(1) << number % 32);
    pool_free(&keeper.pool, number);
}

/* What a process has claimed and not filled in before it ended. That takes no time, unless it has been stopped. */
static void loop_give_up_extent(uint32_t number, const struct pool_extent *extent)
{
    static const uint64_t LONG_NS = UINT64_C(5000000000);
    static struct {
        uint32_t number;
        uint64_t since_ns;
    } oldest;
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    pid_t claimer = atomic_load(&extent->claimer);
    if (oldest.number != number && now - oldest.since_ns > LONG_NS) {
        oldest.number = number;
        oldest.since_ns = now;
    } else if (oldest.number == number && now - oldest.since_ns > LONG_NS / 2 && claimer > 0 && kill(claimer, 0) != 0) {
        oldest.number = 0;
        pool_free(&keeper.pool, number);
    }
}

/* Whether it could be taken into a list. */
static bool loop_add_extent(uint32_t number)
{
    struct pool_extent *extent = pool_extent(&keeper.pool, number);
    switch (atomic_load(&extent->kind)) {
    case POOL_PROCESS:
        return process_begin(number, (struct pool_process *)extent) != NULL;
    case POOL_THREAD: {
        struct pool_thread *shared = (struct pool_thread *)extent;
        uint32_t owner = shared->process; /* once: its process can change it */
        struct process *process = keeper.processes;
        while (process && process->number != owner)
            process = process->next;
        if (!process || process->finished || process->start_ns != shared->start_ns)
            return false;
        process_add_thread(process, number, shared);
        return true;
    }
    default:
        return false;
    }
}

/* Threads may come before their process: they are taken the next time. Returns the number of extents in use that are in
 * no list. */
static size_t loop_discover_once(bool last)
{
    size_t left = 0;
    const struct pool_header *header = keeper.pool.header;
    for (uint32_t word = 0; word < header->extents / 64; word++)
        for (uint64_t bits = atomic_load(&header->used[word]); bits; bits &= bits - 1) {
            uint32_t number = 64 * word + (uint32_t)__builtin_ctzll(bits);
            if (number == 0 || keeper.known[number / 32] >> number % 32 & 1)
                continue;
            keeper.known[number / 32] |= UINT32_C(1) << number % 32;
            if (loop_add_extent(number))
                continue;
            keeper.known[number / 32] &= ~(UINT32_C(1) << number % 32);
            left++;
            if (last)
                loop_give_up_extent(number, pool_extent(&keeper.pool, number));
        }
    return left;
}

static size_t loop_discover(void)
{
    return loop_discover_once(false) > 0 ? loop_discover_once(true) : 0;
}

/* ---------------------------------------------------------------------------- a cycle -- */

static void loop_run_cycle(bool all)
{
    enum { MOST = 64 };
    struct epoll_event ends[MOST];
    bool any = false;
    loop_discover();
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    for (struct process *process = keeper.processes; process; process = process->next) {
        tasks_look(process, now);
        process_step(process, now, all);
    }
    for (int count = MOST; count == MOST;) {
        count = epoll_wait(keeper.ends, ends, MOST, 0);
        for (int i = 0; i < count; i++) {
            struct process *process = ends[i].data.ptr;
            assert(process && process->pidfd >= 0);
            process->died = true;
            epoll_ctl(keeper.ends, EPOLL_CTL_DEL, process->pidfd, NULL);
        }
    }
    for (struct process *process = keeper.processes; process; process = process->next) {
        process->over =
            !process->finished && (tasks_has_become_another(process) || (process->events && process_is_over(process)));
        process->ended = process_has_ended(process);
        any |= process->over || process->ended;
    }
    if (!any)
        return;
    /* What they did last is known after they have ended, also threads that have come and gone since the last look, and
     * may show that others have. */
    loop_discover();
    for (struct process *process = keeper.processes; process; process = process->next)
        if (process->over && !process->finished && (!process->events || events_can_finish(process)))
            process_finish(process);
    /* One that ends may end others: the search begins anew. */
    for (struct process *process = keeper.processes; process;) {
        bool ends_now = process->ended && (!process->events || process->finished || events_can_finish(process));
        if (ends_now)
            process_end(process);
        process = ends_now ? keeper.processes : process->next;
    }
}

/* Also those that may become another recorded program. */
static uint32_t loop_count_living(void)
{
    uint32_t count = 0;
    for (const struct process *process = keeper.processes; process; process = process->next)
        count += !process->finished || !process_is_over(process);
    return count;
}

static bool loop_is_other_process(void *user, pid_t pid)
{
    *(bool *)user |= pid != getpid();
    return !*(bool *)user;
}

/* Whether there are processes that may still announce themselves: forked, or begun as other programs, a moment ago. */
static bool loop_has_carriers(void)
{
    char key[64];
    const char *const keys[] = {key};
    bool found = false;
    struct carriers *carriers = carriers_new();
    snprintf(key, sizeof key, "\"/proc/%d/fd/%d\"", (int)getpid(), keeper.pool.fd);
    if (carriers)
        carriers_each(carriers, keys, 1, loop_is_other_process, &found);
    carriers_free(carriers);
    return found;
}

/* Whether the end of a process is still to be written. */
static bool loop_is_behind(void)
{
    for (const struct process *process = keeper.processes; process; process = process->next)
        if (process->ended || (!process->finished && process_is_over(process)))
            return true;
    return false;
}

/* A process that has just been forked may not have announced itself. */
static void loop_reply(uint32_t asked)
{
    enum { TRIES = 20, PATIENCE = 10000 };
    for (int i = 0; i < TRIES && loop_discover() > 0; i++)
        pool_wait(&keeper.pool, MILLISECOND);
    loop_run_cycle(false);
    for (int i = 0; i < PATIENCE && loop_is_behind(); i++) {
        pool_wait(&keeper.pool, MILLISECOND);
        loop_run_cycle(false);
    }
    uint32_t living = loop_count_living();
    atomic_store(&keeper.pool.header->living, living == 0 && loop_has_carriers() ? 1 : living);
    atomic_store(&keeper.pool.header->replied, asked);
    system_call(SYS_futex, (long)&keeper.pool.header->replied, FUTEX_WAKE, INT_MAX, 0, 0, 0);
}

/* Whether processes that have not announced themselves are given more time: at most ten seconds in a row. It looks for
 * them at intervals that double, up to a second. */
static bool loop_waits_for_carriers(void)
{
    static const uint64_t LEAST_NS = UINT64_C(20000000), MOST_NS = UINT64_C(1000000000);
    enum { LOOKS = 16 };
    static struct {
        uint64_t next_ns, interval_ns;
        int looks;
    } waiting;
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    if (loop_count_living() > 0) {
        waiting.looks = 0;
        return true;
    }
    if (waiting.looks > 0 && now < waiting.next_ns)
        return true;
    if (waiting.looks++ == 0)
        waiting.interval_ns = LEAST_NS;
    else if (waiting.interval_ns < MOST_NS)
        waiting.interval_ns *= 2;
    waiting.next_ns = now + waiting.interval_ns;
    return waiting.looks < LOOKS && loop_has_carriers();
}

static bool loop_is_asked(void)
{
    return atomic_load(&keeper.pool.header->asked) != atomic_load(&keeper.pool.header->replied);
}

/* The recorder asks before it says that the command has ended: who sees the latter sees the question, too. */
void loop_run(void)
{
    for (bool done = false; !done;) {
        pool_wait(&keeper.pool, CYCLE_NS);
        loop_run_cycle(false);
        if (loop_is_asked())
            loop_reply(atomic_load(&keeper.pool.header->asked));
        bool command_is_over = atomic_load(&keeper.pool.header->over) || getppid() != keeper.recorder;
        if (!command_is_over || loop_waits_for_carriers())
            continue;
        /* It is done when nothing is left to do, even from those that have just begun. */
        atomic_store(&keeper.pool.header->closed, 1);
        loop_discover();
        if (loop_count_living() > 0)
            atomic_store(&keeper.pool.header->closed, 0);
        done = loop_count_living() == 0 && !loop_is_asked();
    }
}

#include "collect/sample/outside.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/rng.h"
#include "base/hash.h"
#include "collect/sample/state.h"
#include "collect/sample/task.h"

static char exe[POOL_PATH_MAX];
static struct stat exe_file;
static const char *arguments;
static size_t arguments_bytes;

void sampler_set_arguments(int count, char **words)
{
    arguments = count > 0 ? words[0] : NULL;
    arguments_bytes = count > 0 ? (size_t)(words[count - 1] + strlen(words[count - 1]) + 1 - words[0]) : 0;
    ssize_t length = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[length > 0 ? length : 0] = '\0';
    if (stat("/proc/self/exe", &exe_file) != 0)
        exe_file = (struct stat){0};
}

int outside_begin(void)
{
    struct pool_process *board = pool_claim(&sampler.board_number);
    if (!board)
        return ENOSPC;
    /* A process other than the command itself must not repeat the command's draws, nor a program those of another that
     * the process was before. */
    bool command = sampler.config.recorder_pid && getppid() == sampler.config.recorder_pid;
    sampler.seed = rng_mix(rng_mix(sampler.config.seed, command ? 0 : (uint64_t)sampler.process), hash_text(exe, 0));
    board->pid = sampler.process;
    struct stat status;
    board->namespace = stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
    board->token = (uint64_t)(uintptr_t)&sampler;
    board->seed = sampler.seed;
    board->source = sampler.source;
    board->source_error = sampler.source_error;
    board->kernel_accesses = sampler.config.watch.wanted ? (uint32_t)watch_kernel() : 0;
    board->start_ns = clock_ns(CLOCK_MONOTONIC);
    clock_gettime(CLOCK_REALTIME, &board->start_realtime);
    strcpy(board->exe, exe);
    board->exe_device = exe_file.st_dev;
    board->exe_inode = exe_file.st_ino;
    board->arguments_bytes =
        (uint32_t)(arguments_bytes < sizeof board->arguments ? arguments_bytes : sizeof board->arguments);
    memcpy(board->arguments, arguments ? arguments : "", board->arguments_bytes);
    atomic_store(&board->state, POOL_RUNNING);
    sampler.board = board;
    return 0;
}

/* ---------------------------------------------------------------------------- threads -- */

static struct pool_thread *outside_claim_thread(pid_t tid)
{
    uint32_t number;
    struct pool_thread *shared = pool_claim(&number);
    if (!shared)
        return NULL;
    shared->process = sampler.board_number;
    shared->start_ns = sampler.board->start_ns;
    shared->tid = tid;
    return shared;
}

struct trace_stream *outside_open(struct slot *slot)
{
    struct pool_thread *shared = outside_claim_thread(atomic_load(&slot->tid));
    if (!shared)
        return NULL;
    shared->slot = (uint64_t)(uintptr_t)slot;
    shared->first_ns = slot->first_ns;
    shared->first_cpu_ns = slot->first_cpu_ns;
    slot->shared = shared;
    slot->ticks = &shared->ticks;
    return trace_stream_make(shared->stream, POOL_RING_BYTES, pool_ring_bell);
}

void outside_publish(struct slot *slot)
{
    outside_update(slot);
    atomic_store(&slot->shared->extent.kind, POOL_THREAD);
    outside_report_signal();
    atomic_store(&sampler.board->extent.kind, POOL_PROCESS);
    if (atomic_load(&slot->shared->wants_ticks)) /* from now on */
        pool_ring_bell();
}

static void pool_thread_set_name(struct pool_thread *shared, const char *name)
{
    uint64_t words[POOL_NAME_WORDS] = {0};
    memcpy(words, name, strnlen(name, sizeof words - 1));
    for (size_t i = 0; i < POOL_NAME_WORDS; i++)
        atomic_store_explicit(&shared->name[i], words[i], memory_order_relaxed);
}

void outside_update(struct slot *slot)
{
    struct pool_thread *shared = slot->shared;
    pool_thread_set_name(shared, slot->name);
    atomic_store(&shared->last_ns, slot->last_ns);
    if (slot->last_cpu_ns > atomic_load(&shared->last_cpu_ns))
        atomic_store(&shared->last_cpu_ns, slot->last_cpu_ns);
}

void outside_heard(struct slot *slot, uint64_t now_ns, uint64_t cpu_ns)
{
    enum { KERNEL_NAME_BYTES = 16 };
    struct pool_thread *shared = slot->shared;
    char name[KERNEL_NAME_BYTES];
    atomic_store_explicit(&shared->last_ns, now_ns, memory_order_relaxed);
    atomic_store_explicit(&shared->last_cpu_ns, cpu_ns, memory_order_relaxed);
    uint64_t heard = ++slot->heard;
    if ((heard & (heard - 1)) == 0 /* at powers of two */ && prctl(PR_GET_NAME, name) == 0)
        pool_thread_set_name(shared, name);
}

void outside_report_signal(void)
{
    if (sampler.board)
        atomic_store(&sampler.board->signal, atomic_load(&sampler.signal));
}

void outside_close(struct slot *slot)
{
    struct pool_thread *shared = slot->shared;
    if (!shared)
        return;
    slot->ticks = &slot->own_ticks;
    slot->shared = NULL;
    sampler_release_thread(shared);
}

static void outside_release_gone(struct slot *slot, void *user)
{
    (void)user;
    if (!slot->shared || !atomic_load(&slot->shared->gone))
        return;
    attach_end(slot);
    slots_release(slot);
}

void outside_bury(void)
{
    if (sampler.board && atomic_exchange(&sampler.board->gone, 0) > 0)
        slots_each(outside_release_gone, NULL);
}

/* ---------------------------------------------------------------------------- the process -- */

void outside_end(void)
{
    atomic_store(&sampler.board->ended_ns, clock_ns(CLOCK_MONOTONIC));
    atomic_store(&sampler.board->state, POOL_ENDED);
    sampler.board = NULL; /* it stays mapped, since another thread may be about to use it */
}

void outside_executes(bool executes)
{
    if (executes) {
        atomic_store(&sampler.board->executes_cpu_ns, clock_ns(CLOCK_THREAD_CPUTIME_ID));
        atomic_store(&sampler.board->ended_ns, clock_ns(CLOCK_MONOTONIC));
    }
    atomic_store(&sampler.board->state, executes ? POOL_EXECUTING : POOL_RUNNING);
}

/* ---------------------------------------------------------------------------- records of other kinds -- */

struct pool_process *sampler_board(void)
{
    return sampler.board;
}

void sampler_show_process(void)
{
    atomic_store(&sampler.board->extent.kind, POOL_PROCESS);
}

struct pool_thread *sampler_claim_thread(void)
{
    struct pool_thread *shared = sampler.board ? outside_claim_thread(task_self()) : NULL;
    if (shared)
        shared->first_ns = clock_ns(CLOCK_MONOTONIC);
    return shared;
}

void sampler_show_thread(struct pool_thread *shared)
{
    atomic_store(&shared->extent.kind, POOL_THREAD);
    pool_ring_bell();
}

void sampler_release_thread(struct pool_thread *shared)
{
    atomic_store(&shared->released, 1);
    pool_unmap(shared);
}

/* The child of a fork that nothing has seen has no such memory. */
static bool board_is_own(void)
{
    return sampler.board && task_process() == sampler.process;
}

bool sampler_log_module(const struct pool_module *module)
{
    return board_is_own() && pool_log_module(sampler.board, module);
}

void sampler_log_unloaded(void)
{
    if (board_is_own())
        pool_log_unloaded(sampler.board);
}

static void outside_forget_slot(struct slot *slot, void *user)
{
    (void)user;
    slot->shared = NULL; /* a fork does not hand it down */
    slot->ticks = &slot->own_ticks;
}

void outside_forget(void)
{
    slots_each(outside_forget_slot, NULL);
    sampler.board = NULL;
}

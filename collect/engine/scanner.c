#include "collect/engine/state.h"

#include "collect/engine/perf.h"
#include "collect/engine/task.h"

static const uint64_t SCAN_NS = UINT64_C(20000000), REFRESH_NS = UINT64_C(1000000000);
enum {
    NAME_EARLY_SCANS =
        5,           /* names are looked at in a thread's first scans, when they are given, and then once a second */
    CALM_SCANS = 10, /* after so many scans without a new thread the next come half as often, … */
    CALM_MOST = 2,   /* twice: a program that makes threads makes more of them */
    COST_SHARE = 50  /* a scan takes at most a fiftieth of one processor */
};

static uint64_t scan_number, last_new, refreshed_ns;
static bool refresh;

/* A program that closes descriptors it does not know of has stopped this thread's clock: open another. */
static bool lost_clock(const struct slot *slot)
{
    int fd = atomic_load(&slot->fd);
    return fd >= 0 && atomic_load(&slot->stream) && !perf_owned(fd, atomic_load(&slot->tid));
}

static void look_again(struct slot *slot)
{
    uint64_t age = scan_number - slot->named;
    if (age > NAME_EARLY_SCANS && !refresh)
        return;
    if (lost_clock(slot))
        attach_reopen(slot);
    attach_refresh(slot, true);
}

static void visit_thread(pid_t tid, void *user)
{
    (void)user;
    struct slot *slot = slots_of_tid(tid);
    if (!slot) {
        attach_thread(tid);
        if ((slot = slots_of_tid(tid)))
            slot->named = last_new = scan_number;
    } else {
        look_again(slot);
    }
    if (slot)
        slot->seen = scan_number;
}

/* The directory may skip a thread when another ends while it is read: ask the kernel before giving one up. */
static void bury(struct slot *slot, void *user)
{
    (void)user;
    uint64_t cpu;
    if (slot->seen == scan_number || task_cpu_ns(atomic_load(&slot->tid), &cpu))
        return;
    attach_end(slot);
    slots_release(slot);
}

static void scan(void)
{
    struct sampler_guard guard;
    sampler_lock(&guard);
    scan_number++;
    uint64_t now = task_now_ns();
    refresh = now - refreshed_ns >= REFRESH_NS;
    if (refresh)
        refreshed_ns = now;
    if (task_each(visit_thread, NULL))
        slots_each(bury, NULL);
    sampler_unlock(&guard);
}

static void answer_seals(void)
{
    uint64_t wanted = atomic_load(&sampler.seals_wanted);
    if (wanted == atomic_load(&sampler.seals_done))
        return;
    /* If the lock is taken, another thread is sealing or stopping right now: as good. */
    if (pthread_mutex_trylock(&sampler.life) == 0) {
        sampler_seal_locked();
        pthread_mutex_unlock(&sampler.life);
    }
    atomic_store(&sampler.seals_done, wanted);
}

static uint64_t interval_ns(void)
{
    uint64_t calm = (scan_number - last_new) / CALM_SCANS;
    return SCAN_NS << (calm < CALM_MOST ? calm : CALM_MOST);
}

static void *run(void *helper)
{
    sampler_thread_ignore();
    while (sem_wait(&sampler.writer_known) != 0)
        ;
    while (!atomic_load(&sampler.scanner.stop)) {
        uint64_t start = task_now_ns();
        scan();
        answer_seals();
        uint64_t end = task_now_ns(), pause = COST_SHARE * (end - start);
        helper_wait(helper, end + (pause > interval_ns() ? pause : interval_ns()));
    }
    return NULL;
}

int scanner_start(void)
{
    scan_number = last_new = refreshed_ns = 0;
    return helper_spawn(&sampler.scanner, run, "assay-scan");
}

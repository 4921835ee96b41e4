#include "collect/sample/state.h"

#include "base/clock.h"
#include "collect/sample/task.h"

static const uint64_t SCAN_NS = UINT64_C(20000000), REFRESH_NS = UINT64_C(1000000000);
enum {
    NAME_EARLY_SCANS = 5, /* names are read in a thread's first scans, then once a second */
    CALM_SCANS = 10,      /* after this many scans without a new thread the next ones come half as often, … */
    CALM_MOST = 2,        /* twice: a program that creates threads creates more of them */
    COST_SHARE = 50,      /* a scan takes at most a fiftieth of one processor */
    DESERTED_SCANS = 2    /* this many without a thread of the program: it has none */
};

static uint64_t scan_number, last_new, refreshed_ns;
static bool refresh;            /* this scan reads the names and times of all threads */
static size_t others;           /* threads of the program besides its main thread, in this scan */
static unsigned deserted_scans; /* consecutive scans without a thread of the program */
static uint64_t main_cpu_ns;    /* the main thread's CPU time at the last of these scans */

static void scanner_visit_thread(pid_t tid, void *user)
{
    (void)user;
    struct slot *slot = slots_of_tid(tid);
    others += tid != sampler.process && !(slot && slot->internal);
    if (!slot) {
        attach_thread(tid);
        if ((slot = slots_of_tid(tid)))
            slot->named = last_new = scan_number;
    } else if (slot->seen == 0) { /* it has attached itself since the last scan */
        slot->named = scan_number;
    } else {
        uint64_t age = scan_number - slot->named;
        if (age <= NAME_EARLY_SCANS || refresh) {
            attach_look(slot);
            attach_refresh(slot, true);
        }
    }
    if (slot)
        slot->seen = scan_number;
}

/* The directory may skip a thread when another ends while it is read: ask the kernel before giving one up. */
static void scanner_release_gone(struct slot *slot, void *user)
{
    (void)user;
    uint64_t cpu;
    if (slot->seen == scan_number || task_cpu_ns(atomic_load(&slot->tid), &cpu))
        return;
    attach_end(slot);
    slots_release(slot);
}

/* The directory may have skipped it. */
static void scanner_count_other(struct slot *slot, void *user)
{
    (void)user;
    uint64_t cpu;
    pid_t tid = atomic_load(&slot->tid);
    others += tid != sampler.process && !slot->internal && task_cpu_ns(tid, &cpu);
}

static void scanner_scan_threads(void)
{
    struct sampler_guard guard;
    sampler_lock(&guard);
    scan_number++;
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    refresh = now - refreshed_ns >= REFRESH_NS;
    if (refresh)
        refreshed_ns = now;
    others = 0;
    if (task_each(scanner_visit_thread, NULL)) {
        slots_each(scanner_release_gone, NULL);
        if (sampler.hooks.on_deserted && others == 0)
            slots_each(scanner_count_other, NULL);
        if (sampler.hooks.on_deserted) {
            /* A main thread that has left by pthread_exit() stays in the directory until the process ends. */
            bool has_left = false;
            uint64_t cpu = 0;
            if (others == 0) {
                has_left =
                    task_cpu_ns(sampler.process, &cpu) && cpu == main_cpu_ns && task_state_of(sampler.process) == 'Z';
                main_cpu_ns = cpu;
            }
            deserted_scans = has_left ? deserted_scans + 1 : 0;
        }
    }
    sampler_unlock(&guard);
    handler_look();
}

static uint64_t scanner_interval_ns(void)
{
    uint64_t calm = (scan_number - last_new) / CALM_SCANS;
    return SCAN_NS << (calm < CALM_MOST ? calm : CALM_MOST);
}

static void *scanner_run_thread(void *helper)
{
    sampler_thread_ignore();
    while (sem_wait(&sampler.writer_known) != 0)
        ;
    while (!atomic_load(&sampler.scanner.stop)) {
        uint64_t used = clock_ns(CLOCK_THREAD_CPUTIME_ID);
        scanner_scan_threads();
        uint64_t wanted = atomic_load(&sampler.seals_wanted);
        /* If another thread is sealing or stopping right now, this is tried again at the next scan, if there is one. */
        if (wanted != atomic_load(&sampler.seals_done) && pthread_mutex_trylock(&sampler.life) == 0) {
            sampler_seal_locked(true);
            pthread_mutex_unlock(&sampler.life);
            atomic_store(&sampler.seals_done, wanted);
        }
        if (deserted_scans >= DESERTED_SCANS) {
            /* This thread takes the place of the program's last one. */
            sigset_t none;
            sigemptyset(&none);
            helper_mark(false);
            pthread_sigmask(SIG_SETMASK, &none, NULL);
            sampler.hooks.on_deserted();
        }
        uint64_t pause = COST_SHARE * (clock_ns(CLOCK_THREAD_CPUTIME_ID) - used);
        helper_wait(helper,
                    clock_ns(CLOCK_MONOTONIC) + (pause > scanner_interval_ns() ? pause : scanner_interval_ns()));
    }
    return NULL;
}

int scanner_start(void)
{
    scan_number = last_new = refreshed_ns = 0;
    deserted_scans = 0;
    return helper_spawn(&sampler.scanner, scanner_run_thread, "assay-scan");
}

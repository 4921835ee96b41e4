#include "collect/record/start/engine.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "collect/sample/clock_event.h"
#include "collect/sample/task.h"

enum { OPENINGS = 3, SAMPLES = 15 };
static const uint64_t MILLISECOND = 1000000, PATIENCE_NS = UINT64_C(3000000000);

/* ------------------------------------------------------------------------------------------ in a child -- */

struct shared {
    int error;
    bool done;
    struct probe_clock probe;
};

static int try_clock_compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint64_t try_clock_median(uint64_t *values, size_t count)
{
    qsort(values, count, sizeof *values, try_clock_compare);
    return count > 0 ? values[count / 2] : 0;
}

/* ------------------------------------------------------------------------------------------ samples -- */

static struct {
    int fd;
    uint64_t period;
    volatile sig_atomic_t samples;
    volatile uint64_t inside_ns; /* of the handler, last time */
} sampling;

/* The same work as the sampler's own handler does with its clock. */
static void try_clock_on_sample(int signal)
{
    (void)signal;
    uint64_t begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    perf_count(sampling.fd);
    perf_rearm(sampling.fd, sampling.period);
    perf_count(sampling.fd);
    sampling.samples++;
    sampling.inside_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
}

static int try_clock_open(const struct sampler_config *config, struct probe_clock *probe)
{
    uint64_t costs[OPENINGS];
    int error = 0;
    for (size_t i = 0; !error && i < OPENINGS; i++) {
        if (i > 0)
            close(sampling.fd);
        uint64_t begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);
        error = perf_open(config, config->source, task_self(), sampling.period, SIGURG, &sampling.fd);
        if (!error)
            perf_enable(sampling.fd);
        costs[i] = clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
    }
    if (!error)
        probe->open_ns = try_clock_median(costs, OPENINGS);
    return error;
}

/*
 * CPU time is read repeatedly: only the reading itself passes between two readings, unless a sample came. A sample that
 * is delivered as a reading returns falls between that and the next one.
 */
static void try_clock_watch(struct probe_clock *probe)
{
    uint64_t costs[SAMPLES], inside[SAMPLES], reading_ns = UINT64_MAX;
    uint64_t begin = clock_ns(CLOCK_THREAD_CPUTIME_ID), before = begin, until = begin + 3 * SAMPLES * MILLISECOND;
    int seen = sampling.samples;
    unsigned samples = 0;
    while (samples < SAMPLES && before < until) {
        uint64_t now = clock_ns(CLOCK_THREAD_CPUTIME_ID);
        if (sampling.samples != seen) {
            now = clock_ns(CLOCK_THREAD_CPUTIME_ID);
            costs[samples] = now - before;
            inside[samples++] = sampling.inside_ns;
            seen = sampling.samples;
        } else if (now - before < reading_ns) {
            reading_ns = now - before;
        }
        before = now;
    }
    uint64_t cost = try_clock_median(costs, samples), spent = before - begin;
    reading_ns *= 2; /* in each of the costs */
    *probe = (struct probe_clock){.open_ns = probe->open_ns, .samples = samples};
    probe->sample_ns = cost > reading_ns ? cost - reading_ns : cost;
    uint64_t within = try_clock_median(inside, samples);
    probe->delivery_ns = probe->sample_ns > within ? probe->sample_ns - within : 0;
    if (probe->sample_ns < MILLISECOND / 10 && spent > 0)
        probe->asked = (double)samples * (double)MILLISECOND / (double)spent;
}

/* In a child: a counter that floods its process with signals ends with it. */
int probe_clock(const struct sampler_config *config, struct probe_clock *probe)
{
    struct shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return errno;
    pid_t child = fork();
    if (child == 0) {
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        struct sigaction action = {.sa_handler = try_clock_on_sample, .sa_flags = SA_RESTART};
        double units = config->source == SOURCE_PMU ? config->pmu_events_per_ns : 1;
        sampling.period = (uint64_t)((double)MILLISECOND * (units > 0 ? units : 1));
        sigaction(SIGURG, &action, NULL);
        shared->error = try_clock_open(config, &shared->probe);
        if (!shared->error)
            try_clock_watch(&shared->probe);
        shared->done = true;
        _exit(0);
    }
    int error = child < 0 ? errno : 0;
    uint64_t until = clock_ns(CLOCK_MONOTONIC) + PATIENCE_NS;
    while (!error && waitpid(child, NULL, WNOHANG) == 0) {
        if (clock_ns(CLOCK_MONOTONIC) < until) {
            nanosleep(&(struct timespec){.tv_nsec = (long)MILLISECOND / 2}, NULL);
        } else {
            kill(child, SIGKILL);
            waitpid(child, NULL, 0);
            error = ETIME;
        }
    }
    if (!error)
        error = shared->error ? shared->error : shared->done ? 0 : EIO;
    if (!error)
        *probe = shared->probe;
    munmap(shared, sizeof *shared);
    return error;
}

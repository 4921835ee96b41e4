#include "collect/record/start/pmu.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <perfmon/pfmlib_perf_event.h>

#include "base/clock.h"

const char *const *pmu_clock_events(void)
{
    static const char *const EVENTS[] = {
        "UNHALTED_REFERENCE_CYCLES",          /* Intel's fixed counter: ticks with the TSC */
        "perf::PERF_COUNT_HW_REF_CPU_CYCLES", /* the kernel's name for such a counter, if there is one */
        "perf::PERF_COUNT_HW_CPU_CYCLES",     /* available wherever there is any counter */
        NULL};
    return EVENTS;
}

const char *const *pmu_instruction_events(void)
{
    static const char *const EVENTS[] = {"INSTRUCTION_RETIRED",  /* Intel */
                                         "RETIRED_INSTRUCTIONS", /* AMD */
                                         "perf::PERF_COUNT_HW_INSTRUCTIONS", NULL};
    return EVENTS;
}

int pmu_encode(const char *name, struct pmu_event *event, struct error_text *message)
{
    int code = pfm_initialize();
    struct perf_event_attr attr = {.size = sizeof attr};
    pfm_perf_encode_arg_t argument = {.attr = &attr, .size = sizeof argument};
    if (code == PFM_SUCCESS)
        code = pfm_get_os_event_encoding(name, PFM_PLM3, PFM_OS_PERF_EVENT_EXT, &argument);
    if (code != PFM_SUCCESS)
        return error_set(message, STATUS_BAD, "%s", pfm_strerror(code));
    *event = (struct pmu_event){.name = name,
                                .type = attr.type,
                                .config = attr.config,
                                .config1 = attr.config1,
                                .config2 = attr.config2,
                                .precise = (unsigned)attr.precise_ip};
    return 0;
}

bool pmu_rate_is_possible(double events_per_ns)
{
    /* From 5 MHz to eight instructions per cycle at 6 GHz. */
    static const double LEAST = 0.005, MOST = 50;
    return events_per_ns >= LEAST && events_per_ns <= MOST;
}

struct reading {
    uint64_t count, enabled_ns, running_ns;
};

static int pmu_read_counts(int fd, struct reading *reading)
{
    errno = 0;
    return read(fd, reading, sizeof *reading) == sizeof *reading ? 0 : errno ? errno : EIO;
}

static int pmu_compare_rates(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int pmu_calibrate(const struct pmu_event *event, struct pmu_rate *rate)
{
    double rates[PMU_ROUNDS], possible[PMU_ROUNDS], enabled_ns = 0, running_ns = 0;
    unsigned count = 0;
    /* As in the sampler: the kernel's part of a thread's time also counts. */
    struct perf_event_attr attr = {.size = sizeof attr,
                                   .type = event->type,
                                   .config = event->config,
                                   .config1 = event->config1,
                                   .config2 = event->config2,
                                   .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
                                   .disabled = 1};
    int fd = perf_event_open(&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC), error = fd < 0 ? errno : 0;
    if (error)
        return error;
    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    enum { ROUND_NS = 3000000 };
    struct reading before, after;
    error = pmu_read_counts(fd, &before);
    for (size_t i = 0; !error && i < PMU_ROUNDS; i++, before = after) {
        uint64_t begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);
        while (clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin < ROUND_NS)
            ;
        error = pmu_read_counts(fd, &after);
        double running = (double)(after.running_ns - before.running_ns);
        rates[i] = running > 0 ? (double)(int64_t)(after.count - before.count) / running : 0;
        enabled_ns += (double)(after.enabled_ns - before.enabled_ns);
        running_ns += running;
    }
    close(fd);
    if (error)
        return error;
    qsort(rates, PMU_ROUNDS, sizeof *rates, pmu_compare_rates);
    for (size_t i = 0; i < PMU_ROUNDS; i++)
        if (pmu_rate_is_possible(rates[i]))
            possible[count++] = rates[i];
    bool good = count > PMU_ROUNDS / 2;
    assert(rates[0] <= rates[PMU_ROUNDS - 1]);
    if (rates[0] == 0 && rates[PMU_ROUNDS - 1] == 0)
        return ENODATA;
    *rate = (struct pmu_rate){.events_per_ns = good ? possible[count / 2] : rates[PMU_ROUNDS / 2],
                              .counted = enabled_ns > 0 ? running_ns / enabled_ns : 0};
    return good ? 0 : ERANGE;
}

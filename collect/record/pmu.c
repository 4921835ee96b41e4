#include "collect/record/pmu.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <perfmon/pfmlib_perf_event.h>

enum { MEASURE_NS = 20000000 };

const char *const *pmu_clock_events(void)
{
    static const char *const EVENTS[] = {
        "UNHALTED_REFERENCE_CYCLES",          /* Intel's fixed counter: ticks with the TSC */
        "perf::PERF_COUNT_HW_REF_CPU_CYCLES", /* the kernel's name for such a counter, where there is one */
        "perf::PERF_COUNT_HW_CPU_CYCLES",     /* everywhere that has any counter */
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

int pmu_encode(const char *name, struct pmu_event *event, const char **why)
{
    int code = pfm_initialize();
    struct perf_event_attr attr = {.size = sizeof attr};
    pfm_perf_encode_arg_t argument = {.attr = &attr, .size = sizeof argument};
    if (code == PFM_SUCCESS)
        code = pfm_get_os_event_encoding(name, PFM_PLM3, PFM_OS_PERF_EVENT_EXT, &argument);
    if (code != PFM_SUCCESS) {
        *why = pfm_strerror(code);
        return -1;
    }
    *event = (struct pmu_event){.name = name,
                                .type = attr.type,
                                .config = attr.config,
                                .config1 = attr.config1,
                                .config2 = attr.config2,
                                .precise = (unsigned)attr.precise_ip};
    return 0;
}

static uint64_t thread_cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* As the sampler opens it: the kernel's share of a thread's time counts too. */
static int pmu_open(const struct pmu_event *event)
{
    struct perf_event_attr attr = {.size = sizeof attr,
                                   .type = event->type,
                                   .config = event->config,
                                   .config1 = event->config1,
                                   .config2 = event->config2,
                                   .disabled = 1};
    return perf_event_open(&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

int pmu_measure(const struct pmu_event *event, double *events_per_ns)
{
    int fd = pmu_open(event);
    if (fd < 0)
        return errno;
    uint64_t count = 0, begin = thread_cpu_ns(), end = begin;
    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    while (end - begin < MEASURE_NS)
        end = thread_cpu_ns();
    ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
    errno = 0;
    ssize_t got = read(fd, &count, sizeof count);
    int error = got == sizeof count ? 0 : errno ? errno : EIO;
    close(fd);
    if (error == 0 && count == 0)
        error = ENODATA;
    if (error == 0)
        *events_per_ns = (double)count / (double)(end - begin);
    return error;
}

#include "collect/sample/clock_event.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collect/perf/reserved_fd.h"

static struct perf_event_attr clock_event_attributes(const struct sampler_config *config, enum sampler_source source,
                                                     uint64_t first)
{
    struct perf_event_attr attr = {
        .size = sizeof attr,
        .type = PERF_TYPE_SOFTWARE,
        .config = PERF_COUNT_SW_CPU_CLOCK,
        .sample_period = first,
        .wakeup_events = 1,
        .disabled = 1,
    };
    if (source == SOURCE_PMU) {
        attr.type = config->pmu_type;
        attr.config = config->pmu_config;
        attr.config1 = config->pmu_config1;
        attr.config2 = config->pmu_config2;
        attr.precise_ip = config->pmu_precise & 3;
    }
    /* While the kernel works for the program there is no access to sample, and the following code would be sampled
     * instead. */
    attr.exclude_kernel = config->watch.wanted;
    return attr;
}

int sampler_probe(const struct sampler_config *config)
{
    if (config->source != SOURCE_CPU_CLOCK && config->source != SOURCE_PMU)
        return 0;
    struct perf_event_attr attr = clock_event_attributes(config, config->source, UINT64_C(1) << 40);
    int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0)
        return errno;
    close(fd);
    return 0;
}

int perf_open(const struct sampler_config *config, enum sampler_source source, pid_t tid, uint64_t first, int signal,
              int *out)
{
    struct perf_event_attr attr = clock_event_attributes(config, source, first);
    const struct f_owner_ex owner = {F_OWNER_TID, tid};
    int fd = perf_keep(&attr, tid);
    if (fd < 0)
        return errno;
    if (fcntl(fd, F_SETOWN_EX, &owner) || fcntl(fd, F_SETSIG, signal) || fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK)) {
        int error = errno;
        close(fd);
        reserved_fd_release();
        return error;
    }
    *out = fd;
    return 0;
}

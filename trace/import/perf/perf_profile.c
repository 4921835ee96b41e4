#include "trace/import/perf/perf_profile.h"

#include <string.h>

bool perf_wants_periods(const struct reading *reading, const char *event)
{
    const char *wanted = reading->profile;
    const size_t length = strlen(event);
    return wanted && strncmp(wanted, event, length) == 0 && strcmp(wanted + length, "/period") == 0;
}

unsigned perf_open_profile(const struct reading *reading, const char *event, bool stated, unsigned unknown)
{
    const bool periods = perf_wants_periods(reading, event);
    const bool clock = strncmp(event, "cpu-clock", 9) == 0 || strncmp(event, "task-clock", 10) == 0;
    const struct sink_weight samples = {"samples", "samples"}, period = {"period", clock ? "ns" : event};
    const struct sink_weight first = periods ? period : samples, second = periods ? samples : period;
    struct sink_profile profile = {
        .name = periods ? reading->profile : event, .unit = first.unit, .unknown = unknown | UNKNOWN_PERIOD};
    if (stated) {
        profile.weight = first.name;
        profile.more[0] = second;
    }
    return sink_open_profile(reading->sink, &profile);
}

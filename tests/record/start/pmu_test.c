/*
 * pmu_test.c - hardware events by name, for PMUs that this machine need not have (LIBPFM_FORCE_PMU), and the measured
 * rate of an event whose rate is known.
 */
#include "collect/record/start/pmu.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <perfmon/pfmlib_perf_event.h>

#include "tests/tap.h"

enum { NOT_ENCODED = 100, NO_SUCH_PMU };

/* libpfm4 reads LIBPFM_FORCE_PMU once, when it is initialized: one process per PMU. */
static int encode_in_child(const char *pmu, const char *name, struct pmu_event *event)
{
    int ends[2];
    if (pipe(ends) != 0)
        return -1;
    pid_t child = fork();
    if (child == 0) {
        struct error_text message;
        struct pmu_event found;
        setenv("LIBPFM_FORCE_PMU", pmu, 1);
        if (pfm_initialize() != PFM_SUCCESS)
            _exit(NO_SUCH_PMU);
        if (pmu_encode(name, &found, &message) != 0)
            _exit(NOT_ENCODED);
        _exit(write(ends[1], &found, sizeof found) == sizeof found ? 0 : 1);
    }
    int status = -1;
    close(ends[1]);
    ssize_t got = read(ends[0], event, sizeof *event);
    close(ends[0]);
    waitpid(child, &status, 0);
    return WIFEXITED(status) && (WEXITSTATUS(status) || got == sizeof *event) ? WEXITSTATUS(status) : -1;
}

/*
 * Raw events are event | umask << 8. Intel SDM vol. 3B, architectural events: UnHalted Core Cycles 3C/00,
 * LLC Misses 2E/41; the kernel's pseudo code for fixed counter 2, reference cycles: 00/03
 * (arch/x86/events/intel/core.c). AMD PPR for family 17h, PMCx076: cycles not in halt.
 */
static const struct {
    const char *pmu, *name;
    int status;
    uint64_t config;
} CASES[] = {
    {"skl", "UNHALTED_REFERENCE_CYCLES", 0, 0x0300},
    {"skl", "UNHALTED_CORE_CYCLES", 0, 0x003c},
    {"icl", "UNHALTED_REFERENCE_CYCLES", 0, 0x0300},
    {"hsw", "LONGEST_LAT_CACHE:MISS", 0, 0x412e},
    {"amd64_fam17h_zen2", "CYCLES_NOT_IN_HALT", 0, 0x76},
    {"amd64_fam17h_zen2", "UNHALTED_REFERENCE_CYCLES", NOT_ENCODED, 0},
    /* Instructions retired: C0/00 in both manuals. */
    {"snb", "INSTRUCTION_RETIRED", 0, 0xc0},
    {"ivb", "INSTRUCTION_RETIRED", 0, 0xc0},
    {"hsw", "INSTRUCTION_RETIRED", 0, 0xc0},
    {"bdw", "INSTRUCTION_RETIRED", 0, 0xc0},
    {"skl", "INSTRUCTION_RETIRED", 0, 0xc0},
    {"icl", "INSTRUCTION_RETIRED", 0, 0xc0},
    {"spr", "INSTRUCTION_RETIRED", 0, 0xc0},
    {"amd64_fam17h_zen1", "RETIRED_INSTRUCTIONS", 0, 0xc0},
    {"amd64_fam17h_zen2", "RETIRED_INSTRUCTIONS", 0, 0xc0},
    {"amd64_fam19h_zen3", "RETIRED_INSTRUCTIONS", 0, 0xc0},
    {"amd64_fam19h_zen4", "RETIRED_INSTRUCTIONS", 0, 0xc0},
    {"amd64_fam19h_zen4", "INSTRUCTION_RETIRED", NOT_ENCODED, 0},
    {"skl", "NO_SUCH_EVENT", NOT_ENCODED, 0},
    {"skl", "", NOT_ENCODED, 0},
};

static void encodings(void)
{
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct pmu_event event = {0};
        int status = encode_in_child(CASES[i].pmu, CASES[i].name, &event);
        if (status == NO_SUCH_PMU) {
            skip("this libpfm4 has no %s", CASES[i].pmu);
            continue;
        }
        ok(status == CASES[i].status, "%s on %s: %s", CASES[i].name, CASES[i].pmu,
           CASES[i].status ? "refused" : "encoded");
        if (CASES[i].status)
            continue;
        is_u64(event.config & 0xffff, CASES[i].config, "  its event and umask are the manual's");
        is_u64(event.type, PERF_TYPE_RAW, "  it is a raw event");
    }
}

static double now_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* How long this thread was ready but another one ran; 0 where the kernel does not report it. */
static double waited_ns(void)
{
    double waited = 0;
    FILE *file = fopen("/proc/thread-self/schedstat", "re");
    if (!file || fscanf(file, "%*s %lf", &waited) != 1)
        waited = 0;
    if (file)
        fclose(file);
    return waited;
}

/*
 * PERF_COUNT_SW_CPU_CLOCK counts nanoseconds. It also counts in the kernel, whose share of a spin is small, and while
 * the host runs something else, which CPU time may leave out; but never more than wall time.
 */
static void rate(void)
{
    struct pmu_event clock = {.name = "cpu-clock", .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK};
    struct pmu_rate rate = {.events_per_ns = -1};
    double waited = waited_ns(), wall = now_ns(CLOCK_MONOTONIC), cpu = now_ns(CLOCK_THREAD_CPUTIME_ID);
    int error = pmu_calibrate(&clock, &rate);
    double ran = now_ns(CLOCK_MONOTONIC) - wall, most = ran / (now_ns(CLOCK_THREAD_CPUTIME_ID) - cpu);
    most *= 1 - fmin(1, (waited_ns() - waited) / ran);
    if (error)
        skip("no software events here: %s", strerrorname_np(error));
    else
        ok(rate.events_per_ns > 0.8 && rate.events_per_ns < 1.2 * fmax(most, 1),
           "the rate of a clock that counts nanoseconds is about 1: %.3f, at most %.3f", rate.events_per_ns, most);
    struct pmu_event nonsense = {.type = 9999};
    rate.events_per_ns = -1;
    ok(pmu_calibrate(&nonsense, &rate) != 0, "an event that does not exist is an error");
    ok(rate.events_per_ns < 0, "  and leaves the result untouched");
    ok(pmu_rate_is_possible(2.6) && !pmu_rate_is_possible(0.003) && !pmu_rate_is_possible(1000) &&
           !pmu_rate_is_possible(-1),
       "a rate is possible if some processor can have it");
}

static void names(void)
{
    size_t count = 0;
    while (pmu_clock_events()[count])
        count++;
    ok(count >= 2, "there is a second choice of clock event");
    ok(strcmp(pmu_instruction_events()[0], "INSTRUCTION_RETIRED") == 0 && pmu_instruction_events()[1] != NULL,
       "there are two events or more for instructions");
    ok(strstr(pmu_clock_events()[0], "REF") != NULL, "reference cycles come first");
}

int main(void)
{
    encodings();
    rate();
    names();
    return done_testing();
}

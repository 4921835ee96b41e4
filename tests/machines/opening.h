/*
 * opening.h - what perf_event_open() does on imitated machines; imitate.c and machine.c share it. The machines:
 *
 *   none        no hardware counters (ENOENT)
 *   counters    counters that work: hardware events are CPU-clock events, so that they count nanoseconds
 *   busy        a watchdog holds the counter (EBUSY)
 *   paranoid-3  perf events are not permitted (EACCES), as on Debian
 *   paranoid-4  like paranoid-3, with EPERM
 *   no-traps    debug registers can be set, but nothing traps, as on some virtual machines; hardware counters are the
 *               real ones
 *   near-calls  as counters; and calls of the function at the address CALLED (in the environment of machine.c, which
 * alone imitates this one) are counted precisely: as executions of its first instruction, by a debug register
 *   shadow-stacks  the processor checks return addresses, as arch_prctl() says (machine.c alone imitates this one)
 */
#pragma once

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <string.h>

/* Whether a machine of this name is listed above. */
static inline bool opening_is_known(const char *machine)
{
    static const char *const names[] = {"none",       "counters", "busy",       "paranoid-3",
                                        "paranoid-4", "no-traps", "near-calls", "shadow-stacks"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(machine, names[i]) == 0)
            return true;
    return false;
}

/* Whether the event needs a hardware counter of the processor. Debug registers are none, and neither are units that
 * this machine may not have. */
static inline bool opening_is_hard(const struct perf_event_attr *attr)
{
    return attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE || attr->type == PERF_TYPE_RAW;
}

/*
 * Imitates the opening of an event on the machine of this name: returns the errno value that the machine gives, or 0
 * and in *attr the event to open instead. Except on no-traps, a hardware event becomes one of the CPU clock, also on a
 * machine that is not listed. On no-traps a debug register watches `unused`, an address divisible by 8 that no
 * program accesses.
 */
static inline int opening_imitate(const char *machine, struct perf_event_attr *attr, unsigned long unused)
{
    bool hard = opening_is_hard(attr);
    if (strcmp(machine, "paranoid-3") == 0)
        return EACCES;
    if (strcmp(machine, "paranoid-4") == 0)
        return EPERM;
    if (hard && strcmp(machine, "none") == 0)
        return ENOENT;
    if (hard && strcmp(machine, "busy") == 0)
        return EBUSY;
    if (strcmp(machine, "no-traps") == 0) {
        if (attr->type == PERF_TYPE_BREAKPOINT) {
            attr->bp_addr = unused;
            attr->bp_len = sizeof(unsigned long);
        }
    } else if (hard) {
        attr->type = PERF_TYPE_SOFTWARE;
        attr->config = PERF_COUNT_SW_CPU_CLOCK;
        attr->config1 = attr->config2 = 0;
        attr->precise_ip = 0;
    }
    return 0;
}

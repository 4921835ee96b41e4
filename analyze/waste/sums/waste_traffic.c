#include "analyze/waste/sums/waste_traffic.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static uint64_t waste_larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

uint64_t waste_sum_of_kinds(const uint64_t counts[WASTE_COUNT])
{
    uint64_t loads = waste_larger(counts[WASTE_SILENT_LOAD], counts[WASTE_SPATIAL_LOAD]);
    return waste_larger(counts[WASTE_DEAD_STORE], counts[WASTE_SILENT_STORE]) +
           waste_larger(loads, counts[WASTE_ADJACENT_LOAD]);
}

uint64_t waste_sum_wasted(const uint64_t counts[WASTE_COUNT])
{
    uint64_t loads = counts[WASTE_SILENT_LOAD] + counts[WASTE_ADJACENT_LOAD];
    return waste_larger(counts[WASTE_DEAD_STORE], counts[WASTE_SILENT_STORE]) +
           waste_larger(loads, counts[WASTE_SPATIAL_LOAD]);
}

/* The kinds of waste of this access, as bits. */
static uint32_t waste_kinds_of_access(unsigned access)
{
    uint32_t kinds = 0;
    for (unsigned kind = 0; kind < WASTE_COUNT; kind++)
        kinds |= waste_access(kind) == access ? UINT32_C(1) << kind : 0;
    return kinds;
}

/* The bytes of a process. */
struct waste_process {
    uint64_t totals[ACCESS_COUNT], pairs[WASTE_COUNT];
};

/* Adds the processes to their runs: bytes[run][access]. */
static int waste_traffic_add_processes(const struct waste *waste, const struct waste_group *group,
                                       uint64_t (*bytes)[ACCESS_COUNT])
{
    size_t count = waste_count(waste, WASTE_SOURCE_ROWS);
    struct waste_process *processes = calloc(count + 1, sizeof *processes);
    if (!processes)
        return ENOMEM;
    for (size_t i = 0; i < waste_count(waste, WASTE_TOTAL_ROWS); i++) {
        const struct waste_total *total = waste_row(waste, WASTE_TOTAL_ROWS, i);
        for (size_t access = 0; access < ACCESS_COUNT; access++)
            for (size_t values = 0; values < VALUES_COUNT; values++)
                processes[total->source].totals[access] += total->bytes[access][values];
    }
    for (size_t i = 0; i < waste_count(waste, WASTE_PAIR_ROWS); i++) {
        const struct waste_pair *pair = waste_row(waste, WASTE_PAIR_ROWS, i);
        processes[pair->source].pairs[pair->waste] += pair->bytes;
    }
    for (size_t source = 0; source < count; source++) {
        const struct waste_process *process = &processes[source];
        size_t run = group->run_of[source];
        bool has_totals = process->totals[ACCESS_LOAD] + process->totals[ACCESS_STORE] > 0;
        for (unsigned access = 0; run != SIZE_MAX && access < ACCESS_COUNT; access++) {
            uint64_t paired[WASTE_COUNT] = {0};
            for (unsigned kind = 0; kind < WASTE_COUNT; kind++)
                paired[kind] = waste_access(kind) == access ? process->pairs[kind] : 0;
            bytes[run][access] += has_totals ? process->totals[access] : waste_sum_of_kinds(paired);
        }
    }
    free(processes);
    return 0;
}

int waste_traffic(const struct waste *waste, const struct waste_group *group, struct waste_traffic *traffic)
{
    *traffic = (struct waste_traffic){.kinds = group->kinds, .run_count = group->run_count};
    uint64_t(*bytes)[ACCESS_COUNT] = calloc(group->run_count + 1, sizeof *bytes);
    traffic->bytes = calloc(group->run_count + 1, sizeof *traffic->bytes);
    int error = bytes && traffic->bytes ? waste_traffic_add_processes(waste, group, bytes) : ENOMEM;
    for (unsigned access = 0; !error && access < ACCESS_COUNT; access++) {
        uint32_t of_access = waste_kinds_of_access(access);
        long double sum = 0;
        size_t recorded = 0;
        for (size_t run = 0; run < group->run_count; run++) {
            if (bytes[run][access] == 0 && !(group->kinds[run] & of_access))
                continue;
            sum += (long double)bytes[run][access];
            recorded++;
        }
        traffic->missing[access] = group->run_count - recorded;
        traffic->unknown[access] = recorded == 0;
        for (size_t run = 0; run < group->run_count; run++) {
            bool has_it = bytes[run][access] > 0 || (group->kinds[run] & of_access);
            long double other = recorded > 0 ? sum / (long double)recorded : 0;
            traffic->bytes[run] += has_it ? (long double)bytes[run][access] : other;
        }
    }
    free(bytes);
    return error;
}

void waste_traffic_free(struct waste_traffic *traffic)
{
    free(traffic->bytes);
}

double waste_traffic_share(const struct waste_traffic *traffic, uint32_t kinds, const uint64_t *wasted, size_t stride)
{
    long double sum = 0;
    size_t runs = 0;
    for (size_t run = 0; run < traffic->run_count; run++) {
        if (!(traffic->kinds[run] & kinds) || traffic->bytes[run] == 0)
            continue;
        sum += (long double)wasted[run * stride] / traffic->bytes[run];
        runs++;
    }
    return runs > 0 ? (double)(sum / (long double)runs) : NAN;
}

void waste_traffic_note(const struct waste_traffic *traffic, const char *label, struct report *report)
{
    static const char *const names[ACCESS_COUNT] = {[ACCESS_LOAD] = "loaded", [ACCESS_STORE] = "stored"};
    const char *after = *label ? ": " : "";
    for (unsigned access = 0; access < ACCESS_COUNT; access++) {
        unsigned other = access == ACCESS_LOAD ? ACCESS_STORE : ACCESS_LOAD;
        if (traffic->unknown[access] && !traffic->unknown[other])
            report_note(report, "%s%straffic_share is of the bytes %s alone: no run recorded those %s", label, after,
                        names[other], names[access]);
        else if (!traffic->unknown[access] && traffic->missing[access] > 0)
            report_note(report,
                        "%s%s%zu of %zu runs did not record the bytes %s: traffic_share takes the mean of the others "
                        "for them",
                        label, after, traffic->missing[access], traffic->run_count, names[access]);
    }
}

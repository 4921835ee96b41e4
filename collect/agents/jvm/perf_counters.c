#include "collect/agents/jvm/perf_counters.h"

#include <endian.h>
#include <stdio.h>
#include <string.h>

enum { MAGIC = 0xcafec0c0u, LINE_MAX_BYTES = 512 };

/* The file's beginning, and an entry's; offsets are from the start of the entry. */
struct prologue {
    uint32_t magic; /* big-endian */
    uint8_t byte_order, major, minor, accessible;
    int32_t used, overflow;
    int64_t modified;
    int32_t first, count;
};
struct entry {
    int32_t length, name, vector;
    uint8_t type, flags, units, variability;
    int32_t data;
};

/* Address of the mapped file; 0: not mapped. */
static uintptr_t perf_counters_find_mapping(size_t *size)
{
    char line[LINE_MAX_BYTES];
    unsigned long low = 0, high = 0;
    FILE *maps = fopen("/proc/self/maps", "re");
    bool found = false;
    while (maps && !found && fgets(line, sizeof line, maps))
        found = strstr(line, "/hsperfdata_") && sscanf(line, "%lx-%lx", &low, &high) == 2;
    if (maps)
        fclose(maps);
    *size = found ? high - low : 0;
    return found ? low : 0;
}

int64_t perf_counters_value(const char *value)
{
    int64_t number;
    memcpy(&number, value, sizeof number);
    return number;
}

/* What is asked for. */
struct sought {
    const char *const *names;
    size_t count;
    const char **values;
    double ns_per_tick;
};

/* An entry with one 64-bit number, if it is a wanted one, or the frequency of the clock. */
static void perf_counters_match_entry(const char *at, const struct entry *entry, struct sought *sought)
{
    const char *name = at + entry->name, *value = at + entry->data;
    if (entry->type != 'J' || entry->vector != 0)
        return;
    if (strcmp(name, "sun.os.hrt.frequency") == 0 && perf_counters_value(value) > 0)
        sought->ns_per_tick = 1e9 / (double)perf_counters_value(value);
    for (size_t i = 0; i < sought->count; i++)
        if (sought->names[i] && strcmp(name, sought->names[i]) == 0)
            sought->values[i] = value;
}

double perf_counters_find(const char *const *names, size_t count, const char **values)
{
    size_t size, at;
    const char *base = (const char *)perf_counters_find_mapping(&size); /* NOLINT */
    struct sought sought = {names, count, values, 0};
    struct prologue prologue;
    struct entry entry;
    memset(values, 0, count * sizeof *values);
    if (!base || size < sizeof prologue)
        return 0;
    memcpy(&prologue, base, sizeof prologue);
    if (be32toh(prologue.magic) != MAGIC || prologue.major != 2 || prologue.byte_order != 1 || prologue.first <= 0)
        return 0;
    at = (size_t)prologue.first;
    for (int32_t i = 0; i < prologue.count && at + sizeof entry <= size; i++, at += (size_t)entry.length) {
        memcpy(&entry, base + at, sizeof entry);
        if (entry.length <= (int32_t)sizeof entry || at + (size_t)entry.length > size)
            break;
        perf_counters_match_entry(base + at, &entry, &sought);
    }
    return sought.ns_per_tick;
}

bool perf_counters_ns(const char *name, uint64_t *ns)
{
    const char *value;
    double ns_per_tick = perf_counters_find(&name, 1, &value);
    if (!value || ns_per_tick <= 0)
        return false;
    *ns = (uint64_t)((double)perf_counters_value(value) * ns_per_tick);
    return true;
}

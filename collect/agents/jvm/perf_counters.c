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

int64_t perf_counters_value(const char *value)
{
    int64_t number;
    memcpy(&number, value, sizeof number);
    return number;
}

double perf_counters_find(const char *const *names, size_t count, const char **values)
{
    char line[LINE_MAX_BYTES];
    unsigned long low = 0, high = 0;
    bool mapped = false;
    double ns_per_tick = 0;
    struct prologue prologue;
    struct entry entry;
    memset(values, 0, count * sizeof *values);
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps && !mapped && fgets(line, sizeof line, maps))
        mapped = strstr(line, "/hsperfdata_") && sscanf(line, "%lx-%lx", &low, &high) == 2;
    if (maps)
        fclose(maps);
    const char *base = mapped ? (const char *)low : NULL; /* NOLINT */
    size_t size = high - low, at;
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
        const char *name = base + at + entry.name, *value = base + at + entry.data;
        if (entry.type != 'J' || entry.vector != 0) /* not one 64-bit number */
            continue;
        if (strcmp(name, "sun.os.hrt.frequency") == 0 && perf_counters_value(value) > 0)
            ns_per_tick = 1e9 / (double)perf_counters_value(value);
        for (size_t k = 0; k < count; k++)
            if (names[k] && strcmp(name, names[k]) == 0)
                values[k] = value;
    }
    return ns_per_tick;
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

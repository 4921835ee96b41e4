#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/cache/machine_parts.h"
#include "base/quantity.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

enum { INDEXES_MAX = 16, TEXT_BYTES = 64 };

/* A cache as the system describes it. */
struct described {
    char type[TEXT_BYTES]; /* "Data", "Instruction", "Unified" */
    uint64_t depth;        /* from 1 */
    struct cache_level level;
};

/* ---------------------------------------------------------------------------- caches -- */

/* 0, or an errno value: ENOENT if the system has no such text. */
static int machine_this_read_text(const char *directory, unsigned index, const char *name, char text[TEXT_BYTES])
{
    char path[4096];
    snprintf(path, sizeof path, "%s/index%u/%s", directory, index, name);
    FILE *file = fopen(path, "re");
    if (!file)
        return errno;
    errno = 0;
    bool good = fgets(text, TEXT_BYTES, file) != NULL;
    int error = good ? 0 : errno ? errno : ENOENT;
    fclose(file);
    if (good)
        text[strcspn(text, "\n")] = '\0';
    return error;
}

/* "48K" counts bytes in 1024s. 0 or an errno value. */
static int machine_this_read_number(const char *directory, unsigned index, const char *name, uint64_t *number)
{
    char text[TEXT_BYTES];
    int error = machine_this_read_text(directory, index, name, text);
    if (error)
        return error;
    char *k = strchr(text, 'K');
    if (k)
        *k = '\0';
    if (!quantity_count(text, number) || *number > UINT64_C(1) << 32)
        return EINVAL;
    *number <<= k ? 10 : 0;
    return 0;
}

static void machine_this_set_cache(const struct described *cache, struct cache_machine *machine)
{
    static const unsigned LATENCIES[CACHE_LEVELS_MAX] = {4, 14, 50};
    if (cache->depth < 1 || cache->depth > CACHE_LEVELS_MAX)
        return;
    bool instructions = strcmp(cache->type, "Instruction") == 0;
    if (instructions && cache->depth > 1)
        return;
    struct cache_level *level = instructions ? &machine->instructions : &machine->levels[cache->depth - 1];
    *level = cache->level;
    level->latency = LATENCIES[cache->depth - 1];
}

/* ---------------------------------------------------------------------------- TLB -- */

/* A usual size, unless the processor says what it has. */
static void machine_this_set_default_tlb(struct cache_machine *machine)
{
    machine->tlb_entries = 64;
    machine->tlb_ways = 4;
}

#if defined(__x86_64__)
static void machine_this_set_tlb(struct cache_machine *machine, unsigned entries, unsigned ways, bool full)
{
    ways = full ? entries : ways;
    if (entries == 0 || ways == 0 || ways > 1024 || entries % ways || (entries / ways & (entries / ways - 1)))
        return;
    machine->tlb_entries = entries;
    machine->tlb_ways = ways;
}

static void machine_this_read_tlb(struct cache_machine *machine)
{
    unsigned a, b, c, d, most = 0;
    machine_this_set_default_tlb(machine);
    if (!__get_cpuid(0, &a, &b, &c, &d))
        return;

    /* Intel, "Software Developer's Manual", CPUID leaf 18H: the first-level TLB of loads with pages of 4 KB. */
    enum { LEAF = 0x18, DATA = 1, UNIFIED = 3, LOADS = 4 };
    if (b == signature_INTEL_ebx && __get_cpuid_count(LEAF, 0, &most, &b, &c, &d)) {
        for (unsigned i = 0; i <= most && i < INDEXES_MAX; i++) {
            __cpuid_count(LEAF, i, a, b, c, d);
            unsigned type = d & 31, depth = d >> 5 & 7, ways = b >> 16;
            if ((type == DATA || type == UNIFIED || type == LOADS) && depth == 1 && (b & 1))
                machine_this_set_tlb(machine, ways * c, ways, d >> 8 & 1);
        }
        return;
    }

    /* AMD, "Architecture Programmer's Manual", volume 3, Fn8000_0005: the same. */
    if (b == signature_AMD_ebx && __get_cpuid(0x80000005, &a, &b, &c, &d))
        machine_this_set_tlb(machine, b >> 16 & 0xff, b >> 24, b >> 24 == 0xff);
}
#else
static void machine_this_read_tlb(struct cache_machine *machine)
{
    machine_this_set_default_tlb(machine);
}
#endif

int machine_this_read(const char *directory, struct cache_machine *machine, struct error_text *message)
{
    for (unsigned i = 0; i < INDEXES_MAX; i++) {
        struct described cache;
        uint64_t bytes, line, ways;
        int error = machine_this_read_text(directory, i, "type", cache.type);
        error = error ? error : machine_this_read_number(directory, i, "level", &cache.depth);
        error = error ? error : machine_this_read_number(directory, i, "size", &bytes);
        error = error ? error : machine_this_read_number(directory, i, "coherency_line_size", &line);
        error = error ? error : machine_this_read_number(directory, i, "ways_of_associativity", &ways);
        if (error == ENOMEM || error == EMFILE || error == ENFILE || error == EIO)
            return error_set(message, MACHINE_UNREAD, "%s: %s", directory, strerror(error));
        if (error || line == 0)
            break;
        if (ways == 0) /* a cache without sets is one set */
            ways = bytes / line;
        cache.level = (struct cache_level){.bytes = bytes, .line = (unsigned)line, .ways = (unsigned)ways};
        machine_this_set_cache(&cache, machine);
    }
    while (machine->level_count < CACHE_LEVELS_MAX && machine->levels[machine->level_count].bytes)
        machine->level_count++;
    if (machine->level_count == 0)
        return error_set(message, STATUS_BAD, "%s does not describe them; name another machine", directory);
    machine_this_read_tlb(machine);
    return STATUS_GOOD;
}

/* What is unknown is 0, or -1. */
static unsigned machine_this_sysconf(int name)
{
    long number = sysconf(name);
    return number > 0 && number <= INT_MAX ? (unsigned)number : 0;
}

/* A level without ways, as virtual machines report for a cache that others share, ends those that are known. */
int machine_this_query(struct cache_machine *machine, struct error_text *message)
{
    static const int NAMES[CACHE_LEVELS_MAX + 1][3] = {
        {_SC_LEVEL1_ICACHE_SIZE, _SC_LEVEL1_ICACHE_LINESIZE, _SC_LEVEL1_ICACHE_ASSOC},
        {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL1_DCACHE_LINESIZE, _SC_LEVEL1_DCACHE_ASSOC},
        {_SC_LEVEL2_CACHE_SIZE, _SC_LEVEL2_CACHE_LINESIZE, _SC_LEVEL2_CACHE_ASSOC},
        {_SC_LEVEL3_CACHE_SIZE, _SC_LEVEL3_CACHE_LINESIZE, _SC_LEVEL3_CACHE_ASSOC}};
    for (unsigned i = 0; i <= CACHE_LEVELS_MAX && machine->level_count + 1 >= i; i++) {
        struct described cache = {.depth = i == 0 ? 1 : i,
                                  .level = {.bytes = machine_this_sysconf(NAMES[i][0]),
                                            .line = machine_this_sysconf(NAMES[i][1]),
                                            .ways = machine_this_sysconf(NAMES[i][2])}};
        if (cache.level.bytes == 0 || cache.level.line == 0 || cache.level.ways == 0)
            continue;
        strcpy(cache.type, i == 0 ? "Instruction" : "Data");
        machine_this_set_cache(&cache, machine);
        machine->level_count += i > 0;
    }
    if (machine->level_count == 0)
        return error_set(message, STATUS_BAD,
                         "neither the system nor the processor describes them; name another machine");
    machine_this_read_tlb(machine);
    return STATUS_GOOD;
}

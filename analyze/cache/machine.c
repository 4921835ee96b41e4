#include "analyze/cache/machine.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "analyze/cache/machine_parts.h"

enum { KB = 1024 };

/*
 * The Pentium 4 of the paper, 2 GHz, is one of family 15, model 0 or 1. Sources: Inagaki, Onodera, Komatsu, Nakatani,
 * "Stride Prefetching by Dynamically Inspecting Objects", PLDI 2003, Table 2: sizes, lines, entries. Intel, "IA-32
 * Intel Architecture Optimization Reference Manual" (248966): 4 and 8 ways, 2 and 7 cycles, pseudo-LRU in all caches
 * (Table 1-1); 12 cycles to the bus and back, and 6 to 12 cycles of a bus of 100 MHz, of which this is the middle (page
 * 1-20); a prefetch instruction that misses the DTLB does nothing (page 6-9); the hardware prefetches into the second
 * level, within pages of 4 KB (page 6-5). Intel, "A Detailed Look Inside the Intel NetBurst Micro-Architecture": four
 * misses of loads at a time (page 17). The DTLB is fully associative in Intel's table of CPUID descriptors (5BH). A
 * walk of two loads from the second level is an assumption. Its first level writes through, which this one does not.
 */
static const struct cache_machine pentium4 = {
    .name = "pentium4",
    .level_count = 2,
    .levels = {{8 * KB, 64, 4, 2, CACHE_TREE_PLRU}, {256 * KB, 128, 8, 7, CACHE_TREE_PLRU}},
    .tlb_entries = 64,
    .tlb_ways = 64,
    .page = 4 * KB,
    .walk = 14,
    .memory = 192,
    .mshrs = 4,
    .write_allocate = true,
    .prefetcher = CACHE_PREFETCHER_STREAM,
    .prefetch_level = 1,
    .prefetch_needs_tlb = true,
};

/*
 * The Athlon MP of the paper, 1.2 GHz, is model 6. Sources: the paper, as above. AMD, "AMD Athlon Processor x86 Code
 * Optimization Guide" (22007): a first level with two ways and 3 cycles, and a second level of the DTLB with 256
 * entries and four ways; its first level of 32 entries is not simulated. AMD, "Software Optimization Guide for AMD64
 * Processors" (25112), about the successor with the same caches: eight concurrent requests, and prefetch instructions
 * fill the first level. AMD's data sheet of model 6: 16 ways of the second level. LRU, 11 cycles of the second level,
 * 180 of memory (150 ns) and the walk are assumptions. Its second level has no line of the first one; this one may.
 */
static const struct cache_machine athlon_mp = {
    .name = "athlon-mp",
    .level_count = 2,
    .levels = {{64 * KB, 64, 2, 3, CACHE_LRU}, {256 * KB, 64, 16, 11, CACHE_LRU}},
    .tlb_entries = 256,
    .tlb_ways = 4,
    .page = 4 * KB,
    .walk = 22,
    .memory = 180,
    .mshrs = 8,
    .write_allocate = true,
    .prefetcher = CACHE_PREFETCHER_STREAM,
    .prefetch_level = 0,
};

/* Valgrind 3.19, cachegrind/cg_arch.c: what it simulates on x86 if it can't ask the processor. It has no latencies. */
static const struct cache_machine cachegrind = {
    .name = "cachegrind",
    .level_count = 2,
    .levels = {{64 * KB, 64, 2, 4, CACHE_LRU}, {256 * KB, 64, 8, 14, CACHE_LRU}},
    .instructions = {64 * KB, 64, 2, 4, CACHE_LRU},
    .page = 4 * KB,
    .memory = 200,
    .mshrs = 10,
    .write_allocate = true,
    .cachegrind = true,
};

/* What the text of levels, or /sys, does not say: round numbers of the processors of the 2010s and 2020s. */
static const struct cache_machine custom = {
    .name = "custom", .page = 4 * KB, .walk = 30, .memory = 200, .mshrs = 10, .write_allocate = true};

static const struct cache_machine *const KNOWN[] = {&pentium4, &athlon_mp, &cachegrind};
static const char NAMES[] = "pentium4, athlon-mp, cachegrind, this, or levels as in D1=32K,8,64:L2=256K,4,64";
static const char CACHES[] = "/sys/devices/system/cpu/cpu0/cache", RULES[] = "cachegrind:";

/* ---------------------------------------------------------------------------- checks -- */

static bool machine_is_power_of_two(uint64_t number)
{
    return number > 0 && (number & (number - 1)) == 0;
}

static int machine_check_level(const struct cache_level *level, const char *name, bool any_sets,
                               struct error_text *message)
{
    uint64_t way = (uint64_t)level->ways * level->line;
    if (!machine_is_power_of_two(level->line) || level->line < 16 || level->line > 4096)
        return error_set(message, STATUS_BAD, "%s: a line has %u bytes, and not a power of two from 16 to 4096", name,
                         level->line);
    if (level->ways == 0 || level->ways > 1024)
        return error_set(message, STATUS_BAD, "%s: it has %u ways, and not 1 to 1024", name, level->ways);
    if (level->replacement == CACHE_TREE_PLRU && (!machine_is_power_of_two(level->ways) || level->ways > 64))
        return error_set(message, STATUS_BAD, "%s: a tree of bits needs 1, 2, 4 … 64 ways, not %u", name, level->ways);
    if (level->bytes == 0 || level->bytes % way != 0)
        return error_set(message, STATUS_BAD, "%s: its size, %llu bytes, is no multiple of %u ways of %u bytes", name,
                         (unsigned long long)level->bytes, level->ways, level->line);
    if (!any_sets && !machine_is_power_of_two(level->bytes / way))
        return error_set(message, STATUS_BAD, "%s: it has %llu sets, which is not a power of two", name,
                         (unsigned long long)(level->bytes / way));
    if (level->bytes > UINT64_C(1) << 32)
        return error_set(message, STATUS_BAD, "%s: it has more than 4 GB", name);
    return STATUS_GOOD;
}

int machine_check(const struct cache_machine *machine, bool any_sets, struct error_text *message)
{
    unsigned entries = machine->tlb_entries, ways = machine->tlb_ways;
    int status = machine->level_count ? STATUS_GOOD : error_set(message, STATUS_BAD, "there is no D1");
    for (unsigned i = 0; i < machine->level_count && status == STATUS_GOOD; i++)
        status = machine_check_level(&machine->levels[i], cache_machine_level_name(machine, i), any_sets, message);
    if (status == STATUS_GOOD && machine->instructions.bytes)
        status = machine_check_level(&machine->instructions, "I1", any_sets, message);
    if (status != STATUS_GOOD)
        return status;
    if (!machine_is_power_of_two(machine->page) || machine->page < 1024 || machine->page > 1 << 30)
        return error_set(message, STATUS_BAD, "TLB: a page has %u bytes, and not a power of two from 1K to 1G",
                         machine->page);
    if (entries > 0 && (entries > 1 << 20 || ways == 0 || ways > 1024 || entries % ways != 0))
        return error_set(message, STATUS_BAD, "TLB: %u entries can't have %u ways", entries, ways);
    if (entries > 0 && !machine_is_power_of_two(entries / ways))
        return error_set(message, STATUS_BAD, "TLB: it has %u sets, which is not a power of two", entries / ways);
    if (machine->mshrs == 0 || machine->prefetch_level >= machine->level_count)
        return error_set(message, STATUS_BAD, "there is no register for misses, or no level for prefetches");

    /* With cachegrind's rules an instruction of 15 bytes, or an access of 32, must not cross two borders of lines. */
    if (machine->cachegrind && machine->level_count != 2)
        return error_set(message, STATUS_BAD, "cachegrind has two levels, D1 and LL, and an I1");
    if (machine->cachegrind && (machine->levels[0].line < 32 || machine->levels[1].line < 32 ||
                                (machine->instructions.bytes && machine->instructions.line < 32)))
        return error_set(message, STATUS_BAD, "cachegrind needs lines of at least 32 bytes");
    return STATUS_GOOD;
}

/* ---------------------------------------------------------------------------- by name -- */

int cache_machine_find(const char *text, struct cache_machine *machine, struct error_text *message)
{
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++)
        if (strcmp(text, KNOWN[i]->name) == 0) {
            *machine = *KNOWN[i];
            return STATUS_GOOD;
        }
    struct cache_machine found = custom;
    int status;
    if (strcmp(text, "this") == 0) {
        strcpy(found.name, "this");
        found.prefetcher = CACHE_PREFETCHER_STREAM;
        status = machine_this_read(CACHES, &found, message);
        if (status == STATUS_BAD)
            status = machine_this_query(&found, message);
        if (status == STATUS_GOOD)
            status = machine_check(&found, true, message);
        if (status != STATUS_GOOD)
            error_prefix(message, "this machine's caches");
    } else if (strchr(text, '=')) {
        found.cachegrind = strncmp(text, RULES, sizeof RULES - 1) == 0;
        status = machine_text_parse(found.cachegrind ? text + sizeof RULES - 1 : text, &found, message);
        if (status == STATUS_GOOD)
            status = machine_check(&found, false, message);
        if (status != STATUS_GOOD)
            error_append(message, "there are %s", NAMES);
    } else
        return error_set(message, STATUS_BAD, "'%.100s' is not a machine; there are %s", text, NAMES);
    if (status == STATUS_GOOD)
        *machine = found;
    return status == MACHINE_UNREAD ? STATUS_BAD : status;
}

const char *cache_machine_level_name(const struct cache_machine *machine, unsigned level)
{
    static const char *const LEVELS[CACHE_LEVELS_MAX] = {"D1", "L2", "L3"};
    assert(level < CACHE_LEVELS_MAX);
    return machine->cachegrind && level == 1 ? "LL" : LEVELS[level];
}

bool cache_machine_prefetcher(struct cache_machine *machine, const char *name)
{
    static const char *const PREFETCHERS[] = {[CACHE_PREFETCHER_NONE] = "none",
                                              [CACHE_PREFETCHER_NEXT_LINE] = "next-line",
                                              [CACHE_PREFETCHER_STREAM] = "stream"};
    for (unsigned i = 0; i < sizeof PREFETCHERS / sizeof *PREFETCHERS; i++)
        if (strcmp(name, PREFETCHERS[i]) == 0) {
            machine->prefetcher = (enum cache_prefetcher)i;
            return true;
        }
    return false;
}

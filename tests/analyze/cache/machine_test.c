/* Machines by name and by text. */
#include "analyze/cache/machine.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/cache/machine_parts.h"
#include "tests/tap.h"

static void is_level(const struct cache_level *level, uint64_t bytes, unsigned ways, unsigned line, const char *what)
{
    if (!ok(level->bytes == bytes && level->ways == ways && level->line == line, "%s", what))
        printf("# %llu bytes, %u ways, lines of %u\n", (unsigned long long)level->bytes, level->ways, level->line);
}

/* Sizes, lines, entries, and which level prefetches fill: Inagaki et al., 2003, Table 2 and section 4. */
static void test_paper(void)
{
    struct cache_machine machine;
    struct error_text message = {""};
    ok(cache_machine_find("pentium4", &machine, &message) == STATUS_GOOD, "pentium4 is known");
    is_u64(machine.level_count, 2, "pentium4 has two levels");
    is_level(&machine.levels[0], 8 << 10, 4, 64, "pentium4: D1");
    is_level(&machine.levels[1], 256 << 10, 8, 128, "pentium4: L2");
    ok(machine.tlb_entries == 64 && machine.tlb_ways == 64, "pentium4: DTLB");
    ok(machine.prefetch_level == 1 && machine.prefetch_needs_tlb,
       "pentium4: prefetches fill L2, if the DTLB has the page");
    ok(cache_machine_find("athlon-mp", &machine, &message) == STATUS_GOOD, "athlon-mp is known");
    is_level(&machine.levels[0], 64 << 10, 2, 64, "athlon-mp: D1");
    is_level(&machine.levels[1], 256 << 10, 16, 64, "athlon-mp: L2");
    ok(machine.tlb_entries == 256 && machine.prefetch_level == 0, "athlon-mp: DTLB; prefetches fill D1");
}

/* valgrind --tool=cachegrind on a processor that it can't ask: 64 KB, 2-way, 64 B and 256 KB, 8-way, 64 B. */
static void test_cachegrind(void)
{
    struct cache_machine machine;
    struct error_text message = {""};
    ok(cache_machine_find("cachegrind", &machine, &message) == STATUS_GOOD && machine.cachegrind,
       "cachegrind is known");
    is_level(&machine.levels[0], 64 << 10, 2, 64, "cachegrind: D1");
    is_level(&machine.instructions, 64 << 10, 2, 64, "cachegrind: I1");
    is_level(&machine.levels[1], 256 << 10, 8, 64, "cachegrind: LL");
    is_text(cache_machine_level_name(&machine, 1), "LL", "cachegrind: the last level's name");
}

static void test_text(void)
{
    struct cache_machine machine;
    struct error_text message = {""};
    int status =
        cache_machine_find("D1=32K,8,64:L2=256K,4,64,12:LL=8M,16,64:I1=16K,2,32:TLB=64,4,4K,25", &machine, &message);
    ok(status == STATUS_GOOD, "levels as text: %s", message.text);
    is_u64(machine.level_count, 3, "three of data");
    is_level(&machine.levels[0], 32768, 8, 64, "D1");
    is_level(&machine.levels[1], 262144, 4, 64, "L2");
    is_u64(machine.levels[1].latency, 12, "with a latency");
    is_level(&machine.levels[2], 8388608, 16, 64, "LL");
    is_level(&machine.instructions, 16384, 2, 32, "I1");
    ok(machine.tlb_entries == 64 && machine.tlb_ways == 4 && machine.page == 4096 && machine.walk == 25, "TLB");
    ok(!machine.cachegrind, "no rules of cachegrind");
    is_text(cache_machine_level_name(&machine, 2), "L3", "the third level's name");
    ok(cache_machine_find("cachegrind:D1=1024,1,32:LL=4K,2,64", &machine, &message) == STATUS_GOOD &&
           machine.cachegrind,
       "cachegrind's rules");
    ok(cache_machine_find("D1=4G,1024,4K", &machine, &message) == STATUS_GOOD, "the largest one");
    ok(cache_machine_prefetcher(&machine, "next-line") && machine.prefetcher == CACHE_PREFETCHER_NEXT_LINE,
       "a prefetcher by name");
    ok(!cache_machine_prefetcher(&machine, "oracle") && machine.prefetcher == CACHE_PREFETCHER_NEXT_LINE,
       "an unknown prefetcher");
}

static void test_bad(void)
{
    static const struct {
        const char *text, *says;
    } BAD[] = {
        {"", "not a machine"},
        {"pentium5", "not a machine"},
        {"pentium4 ", "not a machine"},
        {"D1=", "not a number"},
        {"D1=32K", "needs three numbers"},
        {"D1=32K,8", "needs three numbers"},
        {"D1=32K,8,64,4,5", "more than 4 numbers"},
        {"D1=32K,8,sixty", "not a number"},
        {"D1=-1,8,64", "not a number"},
        {"D1=32K,8,64:", "not a level"},
        {"D1=32K,8,64::L2=1M,8,64", "not a level"},
        {"D1=0,8,64", "size 0"},
        {"D1=32K,0,64", "0 ways"},
        {"D1=32K,8,0", "power of two"},
        {"D1=32K,8,48", "power of two"},
        {"D1=32K,8,8", "power of two"},
        {"D1=1M,8,8K", "power of two"},
        {"D1=1M,2048,64", "2048 ways"},
        {"D1=1000,2,64", "no multiple"},
        {"D1=48K,8,64", "96 sets"},
        {"D1=8G,1024,4K", "4 GB"},
        {"D1=99999999999999999999,8,64", "not a number"},
        {"D1=32K,99999999999,64", "too large"},
        {"L2=32K,8,64", "can't come here"},
        {"LL=32K,8,64", "can't come here"},
        {"TLB=64,4,4K", "no D1"},
        {"D1=32K,8,64:D1=32K,8,64", "can't come here"},
        {"D1=32K,8,64:L3=1M,8,64", "can't come here"},
        {"D1=32K,8,64:LL=1M,8,64:L3=1M,8,64", "can't come here"},
        {"D1=32K,8,64:TLB=64,4,4K:TLB=64,4,4K", "can't come here"},
        {"D1=32K,8,64:TLB=64,3,4K", "can't have 3 ways"},
        {"D1=32K,8,64:TLB=96,4,4K", "24 sets"},
        {"D1=32K,8,64:TLB=64,4,5000", "5000 bytes"},
        {"D1=32K,8,64:X9=1,2,3", "can't come here"},
        {"cachegrind:D1=32K,8,64", "two levels"},
        {"cachegrind:D1=1K,2,16:LL=2K,2,64", "at least 32 bytes"},
        {"cachegrind:D1=32K,8,64:L2=1M,8,64:LL=2M,8,64", "two levels"},
        {"D1=32K,8,64xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "too long"},
    };
    struct cache_machine machine, before;
    memset(&machine, 0x5a, sizeof machine);
    before = machine;
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        struct error_text message = {""};
        int status = cache_machine_find(BAD[i].text, &machine, &message);
        if (!ok(status == STATUS_BAD && strstr(message.text, BAD[i].says) && strstr(message.text, "athlon-mp") &&
                    !strchr(message.text, '\n') && memcmp(&machine, &before, sizeof machine) == 0,
                "'%s' is refused", BAD[i].text))
            printf("# %d: %s\n", status, message.text);
    }
}

/* ---------------------------------------------------------------------------- this -- */

static void write_file(const char *directory, unsigned index, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/index%u", directory, index);
    mkdir(path, 0755);
    snprintf(path, sizeof path, "%s/index%u/%s", directory, index, name);
    FILE *file = fopen(path, "w");
    if (file) {
        fprintf(file, "%s\n", text);
        fclose(file);
    }
}

static void write_cache(const char *directory, unsigned index, const char *const values[5])
{
    static const char *const NAMES[] = {"type", "level", "size", "ways_of_associativity", "coherency_line_size"};
    for (unsigned i = 0; i < 5; i++)
        write_file(directory, index, NAMES[i], values[i]);
}

/* A directory as Linux has it: documentation of /sys/devices/system/cpu/cpu*\/cache in its ABI. */
static void test_this(void)
{
    char directory[] = "/tmp/cache_machine_XXXXXX", command[64];
    struct cache_machine machine = {.page = 4096, .mshrs = 1};
    struct error_text message = {""};
    if (!mkdtemp(directory)) {
        skip("no directory for temporary files");
        return;
    }
    ok(machine_this_read(directory, &machine, &message) == STATUS_BAD && strstr(message.text, "does not describe"),
       "a system that does not describe its caches");
    write_cache(directory, 0, (const char *const[]){"Data", "1", "48K", "12", "64"});
    write_cache(directory, 1, (const char *const[]){"Instruction", "1", "32K", "8", "64"});
    write_cache(directory, 2, (const char *const[]){"Unified", "2", "2048K", "16", "64"});
    write_cache(directory, 3, (const char *const[]){"Unified", "3", "266240K", "20", "64"});
    ok(machine_this_read(directory, &machine, &message) == STATUS_GOOD, "a system that does");
    is_u64(machine.level_count, 3, "has three levels");
    is_level(&machine.levels[0], 48 << 10, 12, 64, "the first of data");
    is_level(&machine.instructions, 32 << 10, 8, 64, "the first of instructions");
    is_level(&machine.levels[1], 2 << 20, 16, 64, "the second");
    is_level(&machine.levels[2], 260 << 20, 20, 64, "the third, with 212992 sets");
    ok(machine.tlb_entries > 0, "and a TLB");
    ok(machine_check(&machine, true, &message) == STATUS_GOOD, "which can be simulated");
    ok(machine_check(&machine, false, &message) == STATUS_BAD && strstr(message.text, "212992"),
       "though not all numbers of sets are powers of two");
    snprintf(command, sizeof command, "rm -r %s", directory);
    if (system(command) != 0)
        printf("# %s remains\n", directory);
    if (access("/sys/devices/system/cpu/cpu0/cache/index0/size", R_OK) == 0 ||
        (sysconf(_SC_LEVEL1_DCACHE_SIZE) > 0 && sysconf(_SC_LEVEL1_DCACHE_ASSOC) > 0))
        ok(cache_machine_find("this", &machine, &message) == STATUS_GOOD, "this processor: %s", message.text);
    else
        ok(cache_machine_find("this", &machine, &message) == STATUS_BAD && strstr(message.text, "another machine"),
           "this processor's caches are not described");
}

int main(void)
{
    test_paper();
    test_cachegrind();
    test_text();
    test_bad();
    test_this();
    return done_testing();
}

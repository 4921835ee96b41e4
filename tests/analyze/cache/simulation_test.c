/* The cache simulator on sequences that were worked out with paper and pencil. */
#include "analyze/cache/simulation.h"

#include <stdlib.h>

#include "tests/tap.h"

static struct cache_machine machine_of(const char *text)
{
    struct cache_machine machine = {0};
    struct error_text message = {""};
    if (cache_machine_find(text, &machine, &message) != STATUS_GOOD)
        ok(false, "%s is a machine: %s", text, message.text);
    return machine;
}

static struct cache_simulation *simulate(const char *text)
{
    struct cache_machine machine = machine_of(text);
    return cache_simulation_new(&machine, 1);
}

/* Loads a byte of each of these lines, and writes for each '.' (hit) or the number of levels that missed. */
static void load_lines(struct cache_simulation *cache, const char *lines, unsigned bytes, char *depths)
{
    for (; *lines; lines++, depths++) {
        unsigned depth = cache_load(cache, (uint64_t)(*lines - 'A') * bytes, 1, 0).depth;
        *depths = depth ? (char)('0' + depth) : '.';
    }
    *depths = '\0';
}

/* ---------------------------------------------------------------------------- replacement -- */

static void test_lru(void)
{
    /* Two sets of two ways; A, C, E, … are in the first set, B, D, F, … in the second. */
    struct cache_simulation *cache = simulate("D1=64,2,16");
    char depths[32];
    load_lines(cache, "ACAECA", 16, depths);
    is_text(depths, "11.111", "LRU: E replaces C, C replaces A");
    load_lines(cache, "BDBDA", 16, depths);
    is_text(depths, "11...", "LRU: the other set is its own");
    is_u64(cache_counts(cache)->load_misses[0], 7, "LRU: misses are counted");
    is_u64(cache_counts(cache)->loads, 11, "LRU: loads are counted");
    cache_simulation_free(cache);
}

/*
 * One set of four ways. After A, B, C, D in the ways 0 to 3 the root and both nodes below point to the left; A makes
 * the root point to the right, whose node points to the left: E replaces C, where LRU would replace B. B makes the root
 * point to the right again, whose node points to the right since E: C replaces D. A, then D: the root points to the
 * right, whose node points to the left since C: D replaces E.
 */
static void test_plru(void)
{
    struct cache_machine machine = machine_of("D1=64,4,16");
    machine.levels[0].replacement = CACHE_TREE_PLRU;
    struct cache_simulation *cache = cache_simulation_new(&machine, 0);
    char depths[32];
    load_lines(cache, "ABCDAEBCADE", 16, depths);
    is_text(depths, "1111.1.1.11", "tree PLRU replaces what its bits point at");
    cache_simulation_free(cache);
    machine.levels[0].replacement = CACHE_LRU;
    cache = cache_simulation_new(&machine, 0);
    load_lines(cache, "ABCDAEBCADE", 16, depths);
    is_text(depths, "1111.111.11", "LRU does otherwise on the same accesses");
    cache_simulation_free(cache);
}

/* Three sets of one way: lines 0 and 3 share a set, 0 and 2 do not. */
static void test_modulo(void)
{
    struct cache_machine machine = machine_of("D1=128,1,64");
    machine.levels[0].bytes = 192;
    struct cache_simulation *cache = cache_simulation_new(&machine, 0);
    char depths[32];
    load_lines(cache, "ACADA", 64, depths);
    is_text(depths, "11.11", "three sets: blocks modulo three");
    cache_simulation_free(cache);
}

/* ---------------------------------------------------------------------------- levels -- */

static void test_levels(void)
{
    struct cache_simulation *cache = simulate("D1=64,1,64:L2=128,2,64:L3=1K,1,64");
    char depths[32];
    load_lines(cache, "ABACDA", 64, depths);
    is_text(depths, "331332", "what the first level replaced is in the second one, or in the third");
    is_u64(cache_counts(cache)->load_misses[0], 6, "six misses of D1");
    is_u64(cache_counts(cache)->load_misses[1], 5, "five misses of L2");
    is_u64(cache_counts(cache)->load_misses[2], 4, "four misses of L3");
    cache_simulation_free(cache);
}

/* Lines of 64 and 128 bytes: a miss of A brings B into the second level. */
static void test_line_sizes(void)
{
    struct cache_simulation *cache = simulate("D1=128,2,64:L2=1K,2,128");
    char depths[32];
    load_lines(cache, "ABCAD", 64, depths);
    is_text(depths, "21211", "the second level has the neighbour");
    cache_simulation_free(cache);
    cache = simulate("D1=256,2,128:L2=1K,2,64");
    load_lines(cache, "AB", 64, depths);
    is_text(depths, "2.", "a line of the first level is two of the second");
    cache_simulation_free(cache);
}

static void test_crossing(void)
{
    struct cache_simulation *cache = simulate("D1=256,2,64");
    cache_load(cache, 60, 8, 0);
    is_u64(cache_counts(cache)->load_misses[0], 1, "an access to two lines misses once");
    is_u64(cache_load(cache, 0, 1, 0).depth + cache_load(cache, 64, 1, 0).depth, 0, "and has loaded both");
    is_u64(cache_load(cache, 124, 8, 0).depth, 1, "it misses if one of them does");
    is_u64(cache_load(cache, 124, 8, 0).depth, 0, "and hits if both are there");
    is_u64(cache_load(cache, 1024, 512, 0).depth, 1, "a large access");
    is_u64(cache_counts(cache)->load_misses[0], 3, "misses once");
    cache_simulation_free(cache);
}

static void test_stores(void)
{
    struct cache_simulation *cache = simulate("D1=64,1,64:L2=64,1,64");
    cache_store(cache, 0, 4, 0);
    is_u64(cache_counts(cache)->store_misses[1], 1, "a store that misses both levels");
    is_u64(cache_load(cache, 0, 4, 0).depth, 0, "it allocates");
    cache_load(cache, 64, 4, 0);
    is_u64(cache_counts(cache)->write_backs[0], 1, "what was stored to is written to the next level");
    is_u64(cache_counts(cache)->write_backs[1], 1, "which replaces the line as well, and writes it to memory");
    cache_load(cache, 128, 4, 0);
    is_u64(cache_counts(cache)->write_backs[0], 1, "what was only loaded is not written");
    cache_simulation_free(cache);

    cache = simulate("D1=64,1,64:L2=128,1,64");
    cache_store(cache, 0, 4, 0);
    cache_load(cache, 64, 4, 0);
    cache_load(cache, 128, 4, 0); /* in the second level it replaces the line that the first one wrote there */
    is_u64(cache_counts(cache)->write_backs[0], 1, "the first level writes to the second");
    is_u64(cache_counts(cache)->write_backs[1], 1, "and the second one to memory");
    cache_simulation_free(cache);

    cache = simulate("D1=128,2,64:L2=64,1,64");
    cache_store(cache, 0, 4, 0);
    cache_load(cache, 64, 4, 0); /* the second level no longer has line 0, the first one does */
    cache_load(cache, 128, 4, 0);
    is_u64(cache_counts(cache)->write_backs[0], 1, "a line that only the first level has");
    is_u64(cache_counts(cache)->write_backs[1], 0, "is written past the second one");
    cache_simulation_free(cache);

    struct cache_machine machine = machine_of("D1=64,1,64:L2=64,1,64");
    machine.write_allocate = false;
    cache = cache_simulation_new(&machine, 0);
    is_u64(cache_store(cache, 0, 4, 0).depth, 2, "without allocation a store misses");
    is_u64(cache_load(cache, 0, 4, 0).depth, 2, "and leaves nothing");
    is_u64(cache_store(cache, 0, 4, 0).depth, 0, "it hits what a load has left");
    cache_load(cache, 64, 4, 0);
    is_u64(cache_counts(cache)->write_backs[0], 1, "which is written back");
    cache_simulation_free(cache);
}

/* ---------------------------------------------------------------------------- cachegrind -- */

static void test_cachegrind(void)
{
    struct cache_simulation *cache = simulate("cachegrind:D1=64,1,32:LL=128,2,32:I1=64,1,32");
    cache_load(cache, 30, 4, 0);
    is_u64(cache_counts(cache)->load_misses[0], 1, "cachegrind: an access to two lines misses D1 once");
    is_u64(cache_counts(cache)->load_misses[1], 1, "cachegrind: and LL once");
    is_u64(cache_load(cache, 30, 4, 0).depth, 0, "cachegrind: then it hits");
    is_u64(cache_load(cache, 0, 512, 0).depth, 0, "cachegrind: at most one line is accessed");
    is_u64(cache_fetch_instruction(cache, 0, 4, 0).depth, 1, "cachegrind: LL has for a fetch what a load has left");
    is_u64(cache_fetch_instruction(cache, 0, 4, 0).depth, 0, "cachegrind: I1 has it then");
    is_u64(cache_fetch_instruction(cache, 62, 4, 0).depth, 2, "cachegrind: a fetch of two lines");
    is_u64(cache_counts(cache)->fetch_misses[0], 2, "cachegrind: misses of I1");
    is_u64(cache_counts(cache)->fetch_misses[1], 1, "cachegrind: misses of LL by fetches");
    cache_simulation_free(cache);
}

/*
 * D1 has two sets of one line, LL one set of two. Line 0 is loaded, then line 2, which replaces it in D1. An access to
 * lines 2 and 3 misses D1 because of 3. With cachegrind's rules LL is referenced with both, so that 2 is used, and then
 * 3 replaces 0. Otherwise only 3 goes there, and replaces 0 as well: but after line 0 again, from LL, the second one is
 * the older, and the two differ in what 3 replaces.
 */
static void test_cachegrind_differs(void)
{
    for (unsigned rules = 0; rules < 2; rules++) {
        struct cache_machine machine = machine_of("cachegrind:D1=64,1,32:LL=64,2,32");
        machine.cachegrind = rules;
        struct cache_simulation *cache = cache_simulation_new(&machine, 0);
        cache_load(cache, 64, 4, 0); /* line 2: D1 set 0, LL {2} */
        cache_load(cache, 32, 4, 0); /* line 1: D1 set 1, LL {1, 2} */
        cache_load(cache, 94, 4, 0); /* lines 2, in D1, and 3: LL {3, 2} with the rules, else {3, 1} */
        is_u64(cache_load(cache, 32, 4, 0).depth, rules ? 2 : 1,
               rules ? "cachegrind: LL uses both lines of an access" : "else only the missing line goes on");
        cache_simulation_free(cache);
    }
}

/* ---------------------------------------------------------------------------- TLB -- */

static void test_tlb(void)
{
    struct cache_simulation *cache = simulate("D1=32K,8,64:TLB=2,2,4K");
    static const uint64_t PAGES[] = {0, 1, 0, 2, 1, 1};
    static const bool MISSES[] = {true, true, false, true, true, false};
    for (unsigned i = 0; i < 6; i++)
        ok(cache_load(cache, PAGES[i] << 12, 8, 0).tlb_miss == MISSES[i], "TLB: access %u to page %u", i,
           (unsigned)PAGES[i]);
    is_u64(cache_counts(cache)->load_tlb_misses, 4, "TLB: misses of loads");
    ok(cache_store(cache, (4 << 12) - 2, 4, 0).tlb_miss, "TLB: a store to two pages misses");
    is_u64(cache_counts(cache)->store_tlb_misses, 1, "TLB: once");
    ok(!cache_load(cache, 3 << 12, 1, 0).tlb_miss && !cache_load(cache, 4 << 12, 1, 0).tlb_miss,
       "TLB: and has both pages then");
    cache_simulation_free(cache);
}

/* ---------------------------------------------------------------------------- prefetches -- */

static void is_prefetches(struct cache_simulation *cache, struct cache_prefetches expected, const char *what)
{
    const struct cache_prefetches *got = cache_prefetches(cache, 0);
    if (!ok(memcmp(got, &expected, sizeof expected) == 0, "%s", what))
        printf("# issued %u, useful %u, late %u, useless %u, resident %u, dropped %u\n", (unsigned)got->issued,
               (unsigned)got->useful, (unsigned)got->late, (unsigned)got->useless, (unsigned)got->resident,
               (unsigned)got->dropped);
}

/* Memory takes 100 cycles; there are two registers for misses. Two sets of one line: lines A and C share one. */
static struct cache_simulation *simulate_prefetches(void)
{
    struct cache_machine machine = machine_of("D1=128,1,64");
    machine.memory = 100;
    machine.mshrs = 2;
    return cache_simulation_new(&machine, 1);
}

enum { A = 0, B = 64, C = 128, D = 192 };

static void test_outcomes(void)
{
    struct cache_simulation *cache = simulate_prefetches();
    cache_prefetch(cache, A, CACHE_PREFETCH_INSTRUCTION, 0, 0);
    ok(!cache_has(cache, A, 99) && cache_has(cache, A, 100), "a line arrives after the latency of memory");
    struct cache_outcome outcome = cache_load(cache, A + 8, 8, 100);
    ok(outcome.depth == 0 && !outcome.late, "it is there for an access after that");
    is_prefetches(cache, (struct cache_prefetches){.issued = 1, .useful = 1}, "which makes the prefetch useful");

    cache_prefetch(cache, B, CACHE_PREFETCH_INSTRUCTION, 0, 200);
    outcome = cache_store(cache, B, 8, 299);
    ok(outcome.depth == 0 && outcome.late, "an access before that is late");
    ok(!cache_load(cache, B, 8, 299).late, "the next one is not: the line has arrived");
    is_prefetches(cache, (struct cache_prefetches){.issued = 2, .useful = 1, .late = 1}, "the prefetch is late");

    cache_prefetch(cache, A, CACHE_PREFETCH_INSTRUCTION, 0, 400);
    cache_prefetch(cache, C, CACHE_PREFETCH_INSTRUCTION, 0, 400);
    cache_prefetch(cache, C, CACHE_PREFETCH_INSTRUCTION, 0, 401);
    is_prefetches(cache, (struct cache_prefetches){.issued = 5, .useful = 1, .late = 1, .resident = 2},
                  "a line that is there, or asked for, is resident");

    cache_load(cache, A, 8, 600);
    is_prefetches(cache, (struct cache_prefetches){.issued = 5, .useful = 1, .late = 1, .resident = 2, .useless = 1},
                  "what is replaced before an access is useless");
    cache_prefetch(cache, D, CACHE_PREFETCH_INSTRUCTION, 0, 700);
    cache_finish(cache);
    is_prefetches(cache, (struct cache_prefetches){.issued = 6, .useful = 1, .late = 1, .resident = 2, .useless = 2},
                  "and so is what is never accessed");
    cache_simulation_free(cache);
}

static void test_registers(void)
{
    struct cache_simulation *cache = simulate_prefetches();
    cache_prefetch(cache, A, CACHE_PREFETCH_INSTRUCTION, 0, 0);
    cache_prefetch(cache, B, CACHE_PREFETCH_INSTRUCTION, 0, 10);
    cache_prefetch(cache, C, CACHE_PREFETCH_INSTRUCTION, 0, 99);
    is_prefetches(cache, (struct cache_prefetches){.issued = 3, .dropped = 1}, "no register for misses is free");
    cache_prefetch(cache, C, CACHE_PREFETCH_INSTRUCTION, 0, 100);
    is_prefetches(cache, (struct cache_prefetches){.issued = 4, .dropped = 1, .useless = 1}, "one is free again");
    cache_prefetch(cache, D, CACHE_PREFETCH_LOAD, 0, 105); /* the second register is free at 110 */
    ok(!cache_has(cache, D, 209) && cache_has(cache, D, 210), "a prefetching load waits for one");
    is_u64(cache_counts(cache)->loads, 0, "a prefetching load is not a load");
    cache_simulation_free(cache);
}

static void test_prefetch_tlb(void)
{
    struct cache_machine machine = machine_of("D1=32K,8,64:TLB=4,4,4K,20");
    machine.memory = 100;
    machine.prefetch_needs_tlb = true;
    struct cache_simulation *cache = cache_simulation_new(&machine, 1);
    cache_prefetch(cache, 0, CACHE_PREFETCH_INSTRUCTION, 0, 0);
    is_prefetches(cache, (struct cache_prefetches){.issued = 1, .dropped = 1},
                  "a prefetch of an unknown page is dropped");
    cache_prefetch(cache, 0, CACHE_PREFETCH_LOAD, 0, 0);
    ok(!cache_has(cache, 0, 119) && cache_has(cache, 0, 120), "a prefetching load walks");
    ok(!cache_load(cache, 64, 8, 120).tlb_miss, "and fills the TLB");
    is_u64(cache_counts(cache)->load_tlb_misses, 0, "its own miss is not counted");
    cache_prefetch(cache, 128, CACHE_PREFETCH_INSTRUCTION, 0, 200);
    is_prefetches(cache, (struct cache_prefetches){.issued = 3, .dropped = 1}, "now the page is known");
    cache_simulation_free(cache);
}

/* The Pentium 4's prefetch instruction fills only the second level, 128 bytes at a time. */
static void test_prefetch_level(void)
{
    struct cache_machine machine = machine_of("pentium4");
    machine.prefetcher = CACHE_PREFETCHER_NONE;
    struct cache_simulation *cache = cache_simulation_new(&machine, 1);
    cache_load(cache, 0, 1, 0); /* for the TLB */
    cache_prefetch(cache, 1024, CACHE_PREFETCH_INSTRUCTION, 0, 0);
    ok(!cache_has(cache, 1024, 1000), "pentium4: a prefetch does not fill D1");
    is_u64(cache_load(cache, 1024 + 64, 1, 1000).depth, 1, "pentium4: it fills a line of L2");
    is_prefetches(cache, (struct cache_prefetches){.issued = 1, .useful = 1}, "pentium4: and was useful");
    cache_prefetch(cache, 0, CACHE_PREFETCH_INSTRUCTION, 0, 1000);
    is_prefetches(cache, (struct cache_prefetches){.issued = 2, .useful = 1, .resident = 1},
                  "pentium4: a line of D1 is resident");
    cache_prefetch(cache, 2048, CACHE_PREFETCH_LOAD, 0, 1000);
    ok(cache_has(cache, 2048, 1192), "pentium4: a prefetching load fills D1 from memory");
    cache_simulation_free(cache);
}

static void test_forget(void)
{
    struct cache_simulation *cache = simulate("D1=128,1,64:TLB=2,2,4K");
    bool all_miss = true, all_hit = true;
    for (unsigned i = 0; i < 10000; i++) {
        struct cache_outcome outcome = cache_load(cache, 64, 8, i);
        all_miss &= outcome.depth == 1 && outcome.tlb_miss;
        outcome = cache_load(cache, 64, 8, i);
        all_hit &= outcome.depth == 0 && !outcome.tlb_miss;
        cache_clear(cache);
    }
    ok(all_miss, "after each of 10000 gaps everything is forgotten");
    ok(all_hit, "and remembered until the next");
    cache_prefetch(cache, 0, CACHE_PREFETCH_INSTRUCTION, 0, 20000);
    cache_clear(cache);
    is_prefetches(cache, (struct cache_prefetches){.issued = 1, .useless = 1}, "a gap makes a prefetch useless");
    cache_load(cache, 0, 1, 20000);
    cache_finish(cache);
    is_prefetches(cache, (struct cache_prefetches){.issued = 1, .useless = 1}, "once");
    cache_simulation_free(cache);
}

/* ---------------------------------------------------------------------------- hardware -- */

static void test_next_line(void)
{
    struct cache_machine machine = machine_of("D1=1K,2,64:L2=8K,2,64");
    machine.prefetcher = CACHE_PREFETCHER_NEXT_LINE;
    struct cache_simulation *cache = cache_simulation_new(&machine, 0);
    is_u64(cache_load(cache, 0, 8, 0).depth, 2, "next line: the first access misses both levels");
    is_u64(cache_load(cache, 64, 8, 1000).depth, 1, "next line: the second level has the next one");
    is_u64(cache_load(cache, 4032, 8, 2000).depth, 2, "next line: the last line of a page");
    is_u64(cache_counts(cache)->hardware_prefetches, 2, "next line: not beyond the page");
    is_u64(cache_counts(cache)->hardware_useful, 1, "next line: one was used");
    ok(cache_load(cache, 128, 8, 1001).late, "next line: it may be late");
    cache_simulation_free(cache);
}

/* Lines of 64 bytes: the stream stays 4 lines ahead. */
static void test_stream(void)
{
    struct cache_machine machine = machine_of("D1=1K,2,64:L2=8K,2,64");
    machine.prefetcher = CACHE_PREFETCHER_STREAM;
    struct cache_simulation *cache = cache_simulation_new(&machine, 0);
    char depths[32];
    load_lines(cache, "ABCDEF", 64, depths);
    is_text(depths, "221111", "stream: two misses begin it");
    is_u64(cache_counts(cache)->hardware_prefetches, 8, "stream: up to 4 lines ahead of the sixth");
    is_u64(cache_counts(cache)->hardware_useful, 4, "stream: four were used");
    cache_load(cache, 63 * 64, 8, 0);
    cache_load(cache, 62 * 64, 8, 0);
    is_u64(cache_load(cache, 61 * 64, 8, 0).depth, 1, "stream: downwards as well");
    is_u64(cache_load(cache, 40 * 64, 8, 0).depth, 2, "stream: a distant miss");
    is_u64(cache_load(cache, 41 * 64, 8, 0).depth, 2, "stream: is not part of one");
    is_u64(cache_load(cache, 42 * 64, 8, 0).depth, 1, "stream: but may begin one");
    cache_simulation_free(cache);
}

int main(void)
{
    test_lru();
    test_plru();
    test_modulo();
    test_levels();
    test_line_sizes();
    test_crossing();
    test_stores();
    test_cachegrind();
    test_cachegrind_differs();
    test_tlb();
    test_outcomes();
    test_registers();
    test_prefetch_tlb();
    test_prefetch_level();
    test_forget();
    test_next_line();
    test_stream();
    return done_testing();
}

/* Rules for kinds of inefficiency: facts made by hand, with and without what each rule needs, at its bounds. */
#include "analyze/waste/inefficiency/waste_inefficiency.h"

#include "tests/tap.h"

/* A count of one fact among so many loads and stores; all that is wasted is this, unless `wasted` says otherwise. */
struct example {
    enum waste_fact fact;
    uint64_t loads, stores, count;
};

static struct waste_facts facts_of(struct example example)
{
    struct waste_facts facts = {.loads = example.loads,
                                .stores = example.stores,
                                .dead_stores = example.stores,
                                .silent_stores = example.stores,
                                .wasted = example.count};
    facts.counts[example.fact] = example.count;
    return facts;
}

static void is_kind(const struct waste_facts *facts, enum waste_inefficiency kind, const char *what)
{
    is_text(waste_inefficiency_name(waste_inefficiency_of(facts)), waste_inefficiency_name(kind), what);
}

/* Each fact of 100 loads or stores: 50 make the kind, 49 do not. */
static void test_half(void)
{
    static const struct {
        enum waste_fact fact;
        bool loads;
        enum waste_inefficiency kind;
        const char *what;
    } rows[] = {{WASTE_FACT_FILL_DEAD, false, WASTE_ZEROING, "dead stores in memset"},
                {WASTE_FACT_FILL_SILENT, false, WASTE_ZEROING, "silent stores in memset"},
                {WASTE_FACT_COPY_DEAD, false, WASTE_COPY, "dead stores in memcpy"},
                {WASTE_FACT_COPY_SILENT, false, WASTE_COPY, "silent stores in memcpy"},
                {WASTE_FACT_SCAN, true, WASTE_SEARCH, "silent loads in strlen"},
                {WASTE_FACT_LOOKUP, true, WASTE_LOOKUP, "silent loads in a map"},
                {WASTE_FACT_DEAD_SAME, false, WASTE_OVERWRITTEN, "dead stores without a loop between"},
                {WASTE_FACT_DEAD_AGAIN, false, WASTE_REWRITTEN, "dead stores of a buffer"},
                {WASTE_FACT_SILENT_EXACT, false, WASTE_RECOMPUTED, "silent stores of equal values"},
                {WASTE_FACT_SILENT_CLOSE, false, WASTE_TOLERANCE, "silent stores of similar values"},
                {WASTE_FACT_LOAD_SAME, true, WASTE_REGISTER, "loads repeated in an iteration"},
                {WASTE_FACT_LOAD_PASS, true, WASTE_SEARCH, "loads repeated by another loop"},
                {WASTE_FACT_LOAD_AGAIN, true, WASTE_SEARCH, "loads repeated by a traversal"},
                {WASTE_FACT_LOAD_LOOP, true, WASTE_RELOAD, "loads repeated, unknown how"},
                {WASTE_FACT_LOAD_RESULT, true, WASTE_CALL, "loads of a call whose result is stored again"},
                {WASTE_FACT_NEIGHBOUR, true, WASTE_NEIGHBOURS, "loads of equal neighbours"},
                {WASTE_FACT_STACK, true, WASTE_INLINING, "loads of the stack"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct waste_facts half = facts_of(
                               (struct example){rows[i].fact, rows[i].loads ? 100 : 0, rows[i].loads ? 0 : 100, 50}),
                           less = facts_of(
                               (struct example){rows[i].fact, rows[i].loads ? 100 : 0, rows[i].loads ? 0 : 100, 49});
        is_kind(&half, rows[i].kind, rows[i].what);
        is_kind(&less, WASTE_INEFFICIENCIES, "  but not if it is less than half");
    }
}

/* The second of two equal calls repeats half of all loads at most, if each call has a second: a quarter suffices. */
static void test_calls(void)
{
    struct waste_facts facts = facts_of((struct example){WASTE_FACT_LOAD_CALL, 100, 0, 25});
    facts.wasted = 100;
    facts.counts[WASTE_FACT_LOAD_AGAIN] = 75;
    is_kind(&facts, WASTE_CALL, "a quarter of the loads in a second call");
    facts.counts[WASTE_FACT_LOAD_CALL] = 24;
    facts.counts[WASTE_FACT_LOAD_AGAIN] = 76;
    is_kind(&facts, WASTE_SEARCH, "  less than that: what explains most");
    facts = facts_of((struct example){WASTE_FACT_LOAD_CALL, 0, 10, 0});
    is_kind(&facts, WASTE_INEFFICIENCIES, "  no loads: no call");
}

static void test_search(void)
{
    struct waste_facts facts = facts_of((struct example){WASTE_FACT_LOAD_AGAIN, 100, 50, 100});
    is_kind(&facts, WASTE_SEARCH, "a traversal that stores for every second load");
    facts.stores = facts.silent_stores = 51;
    is_kind(&facts, WASTE_RELOAD, "  more often: it changes data in their places");
    facts.stores = facts.silent_stores = 100;
    facts.counts[WASTE_FACT_SILENT_EXACT] = 100;
    facts.wasted = 200;
    is_kind(&facts, WASTE_RECOMPUTED, "  to what they were");
    is_u64(waste_inefficiency_explains(WASTE_RECOMPUTED, &facts), 200, "    which explains loads, too");
    facts = facts_of((struct example){WASTE_FACT_LOAD_AGAIN, 100, 0, 30});
    facts.counts[WASTE_FACT_SCAN] = 20;
    facts.wasted = 50;
    is_kind(&facts, WASTE_SEARCH, "strlen and an own loop together");
    facts = facts_of((struct example){WASTE_FACT_LOAD_AGAIN, 100, 0, 25});
    facts.counts[WASTE_FACT_LOAD_LOOP] = 25;
    facts.wasted = 50;
    is_kind(&facts, WASTE_SEARCH, "a loop that is known in one of two contexts");
    facts.counts[WASTE_FACT_LOAD_AGAIN] = 24;
    facts.counts[WASTE_FACT_LOAD_LOOP] = 26;
    is_kind(&facts, WASTE_RELOAD, "  that of less than a quarter of the loads");
}

static void test_copy(void)
{
    struct waste_facts facts = facts_of((struct example){WASTE_FACT_COPY_LOAD, 100, 100, 100});
    is_kind(&facts, WASTE_INEFFICIENCIES, "a copy of what has been loaded before");
    facts.counts[WASTE_FACT_COPY_DEAD] = 50;
    is_kind(&facts, WASTE_COPY, "  that is overwritten unread");
    is_u64(waste_inefficiency_explains(WASTE_COPY, &facts), 150, "  which explains loads, too");
}

/* A kind that explains less than half of what is wasted is not claimed, and of two the one that explains more. */
static void test_choice(void)
{
    struct waste_facts facts = facts_of((struct example){WASTE_FACT_LOAD_SAME, 10, 100, 10});
    facts.wasted = 20;
    is_kind(&facts, WASTE_REGISTER, "half of the wasted accesses");
    facts.wasted = 21;
    is_kind(&facts, WASTE_INEFFICIENCIES, "  less than half");
    facts.counts[WASTE_FACT_DEAD_AGAIN] = 90;
    facts.wasted = 100;
    is_kind(&facts, WASTE_REWRITTEN, "the kind that explains most");
    facts = facts_of((struct example){WASTE_FACT_DEAD_AGAIN, 0, 100, 100});
    facts.counts[WASTE_FACT_SILENT_EXACT] = 100;
    is_kind(&facts, WASTE_RECOMPUTED, "of equal ones the first");
    facts.counts[WASTE_FACT_FILL_DEAD] = 50;
    is_kind(&facts, WASTE_ZEROING, "what a name shows comes before what explains more");
    facts = facts_of((struct example){WASTE_FACT_FILL_DEAD, 0, 100, 60});
    facts.counts[WASTE_FACT_FILL_SILENT] = 70;
    is_u64(waste_inefficiency_explains(WASTE_ZEROING, &facts), 70, "stores both dead and silent count once");
    facts = facts_of((struct example){WASTE_FACT_FILL_DEAD, 0, 0, 0});
    is_kind(&facts, WASTE_INEFFICIENCIES, "no facts: no known kind");
    is_text(waste_inefficiency_remedy(WASTE_INEFFICIENCIES), "", "  and no remedy");
}

/* Bytes that are cleared one by one, and overwritten by four: dead stores are counted by those that overwrite. */
static void test_sizes(void)
{
    struct waste_facts facts = {.stores = 400, .dead_stores = 100, .silent_stores = 400, .wasted = 100};
    facts.counts[WASTE_FACT_FILL_DEAD] = 50;
    is_kind(&facts, WASTE_ZEROING, "half of the dead stores, though there are more silent ones");
    facts.counts[WASTE_FACT_FILL_DEAD] = 49;
    facts.counts[WASTE_FACT_FILL_SILENT] = 199;
    is_kind(&facts, WASTE_INEFFICIENCIES, "  less of both");
    facts.counts[WASTE_FACT_FILL_SILENT] = 200;
    is_kind(&facts, WASTE_ZEROING, "  or half of the silent ones");
}

static void test_names(void)
{
    ok(waste_role_of("memset") == WASTE_ROLE_FILL, "memset fills");
    ok(waste_role_of("__memset_avx2_unaligned_erms:336") == WASTE_ROLE_FILL, "  in its variants");
    ok(waste_role_of("__GI_memset@0x100") == WASTE_ROLE_FILL, "  under glibc's names");
    ok(waste_role_of("memsettle") == WASTE_ROLE_NONE, "  a longer word is another function");
    ok(waste_role_of("my_memset") == WASTE_ROLE_NONE, "  so is one of the program");
    ok(waste_role_of("__memmove_avx_unaligned_erms") == WASTE_ROLE_COPY, "memmove copies");
    ok(waste_role_of("strchrnul") == WASTE_ROLE_SCAN && waste_role_of("strchr") == WASTE_ROLE_SCAN, "strchr scans");
    ok(waste_role_of("strcmp") == WASTE_ROLE_NONE, "strcmp compares, which is no scan by itself");
    ok(waste_role_of("java.util.Arrays.fill(int[],int):12") == WASTE_ROLE_FILL, "Arrays.fill fills");
    ok(waste_role_of("java.util.ArrayList.contains(Object):300") == WASTE_ROLE_SCAN, "ArrayList.contains scans");
    ok(waste_role_of("java.util.HashSet.contains(Object):3") == WASTE_ROLE_LOOKUP, "HashSet.contains looks up");
    ok(waste_role_of("MyArrayList.contains(Object):3") == WASTE_ROLE_NONE, "a class with a longer name is another one");
    ok(waste_is_lookup_name("hashtable_search:12"), "a hash table by its name");
    ok(waste_is_lookup_name("KmerHashTable.find(long)"), "  in any case of letters");
    ok(!waste_is_lookup_name("sha1_hash:9"), "a hash alone does not make a table");
    ok(!waste_is_lookup_name("find(HashTable)"), "  nor are parameters");
}

int main(void)
{
    test_half();
    test_calls();
    test_search();
    test_copy();
    test_choice();
    test_sizes();
    test_names();
    return done_testing();
}

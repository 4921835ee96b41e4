#include "analyze/driver/relations.h"

#include <errno.h>
#include <stdlib.h>

#include "base/rng.h"
#include "tests/tap.h"

/* A state with every type of field: nodes, which form a tree, and what was seen at them. */
struct node {
    uint32_t parent, name; /* the key */
    uint32_t colour;       /* may be missing */
    bool open;
};
struct note { /* without a key; at most NOTES_MAX of a node */
    uint32_t node, text;
    unsigned before; /* notes of the node before it: no field */
};
struct sight {
    uint32_t node, kind; /* the key */
    uint64_t count, earliest, latest;
    unsigned __int128 squares;
    double weights[2];
    double limit; /* may be missing */
    struct field_counts ages;
    uint64_t product; /* joined by the relation's own function */
};
enum { NODES, SIGHTS, NOTES, RELATIONS, KINDS = 3, NOTES_MAX = 2 };

static const struct field node_fields[] = {
    FIELD_ROW_OF(node, parent, JOIN_KEY, NODES, .optional = true), FIELD(node, name, FIELD_TEXT, JOIN_KEY),
    FIELD(node, colour, FIELD_TEXT, JOIN_FIRST, .optional = true), FIELD(node, open, FIELD_FLAG, JOIN_SUM)};
static const struct field sight_fields[] = {
    FIELD_ROW_OF(sight, node, JOIN_KEY, NODES),           FIELD(sight, kind, FIELD_NUMBER, JOIN_KEY, .limit = KINDS),
    FIELD(sight, count, FIELD_COUNT, JOIN_SUM),           FIELD(sight, earliest, FIELD_COUNT, JOIN_SMALLEST),
    FIELD(sight, latest, FIELD_COUNT, JOIN_LARGEST),      FIELD(sight, squares, FIELD_WIDE, JOIN_SUM),
    FIELD_ARRAY(sight, weights, FIELD_REAL, JOIN_SUM, 2), FIELD(sight, limit, FIELD_REAL, JOIN_FIRST, .optional = true),
    FIELD_OBJECT_OF(sight, ages, &field_counts_class),    FIELD(sight, product, FIELD_COUNT, JOIN_OWN)};

static int sight_join(struct relations *relations, void *row, const void *other)
{
    (void)relations;
    struct sight *sight = row;
    sight->product *= ((const struct sight *)other)->product;
    return 0;
}

static bool sight_is_valid(const void *row)
{
    return ((const struct sight *)row)->count > 0;
}

static const struct field note_fields[] = {FIELD_ROW_OF(note, node, JOIN_FIRST, NODES),
                                           FIELD(note, text, FIELD_TEXT, JOIN_FIRST)};

static bool note_admit(struct relations *relations, void *row)
{
    struct note *note = row;
    note->before = 0;
    for (size_t i = 0; i < relations_count(relations, NOTES); i++)
        note->before += ((const struct note *)relations_at(relations, NOTES, i))->node == note->node;
    return note->before < NOTES_MAX;
}

static const struct relation described[RELATIONS] = {
    [NODES] = {"nodes", sizeof(struct node), 2 * sizeof(uint32_t), RELATION_FIELDS(node_fields)},
    [SIGHTS] = {"sights", sizeof(struct sight), 2 * sizeof(uint32_t), RELATION_FIELDS(sight_fields), sight_join,
                sight_is_valid},
    [NOTES] = {"notes", sizeof(struct note), 0, RELATION_FIELDS(note_fields), .admit = note_admit}};

static uint32_t add_node(struct relations *state, uint32_t parent, const char *name, const char *colour)
{
    const struct node node = {parent, relations_text(state, name), colour ? relations_text(state, colour) : FIELD_NONE,
                              colour != NULL};
    return relations_add(state, NODES, &node);
}

static void add_sight(struct relations *state, uint32_t node, uint32_t kind, uint64_t count, double limit)
{
    uint64_t ages[] = {count, 0, 1};
    const struct sight sight = {.node = node,
                                .kind = kind,
                                .count = count,
                                .earliest = 100 - count,
                                .latest = count,
                                .squares = (unsigned __int128)1 << 100 | count,
                                .weights = {0.5, -1e300},
                                .limit = limit,
                                .ages = {ages, count % 2 ? 3 : 1},
                                .product = count};
    relations_add(state, SIGHTS, &sight);
}

static void add_note(struct relations *state, uint32_t node, const char *text)
{
    relations_add(state, NOTES, &(struct note){.node = node, .text = relations_text(state, text)});
}

static char *dump(const struct relations *state)
{
    json_t *saved = relations_save(state);
    char *text = json_dumps(saved, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(saved);
    return text;
}

static void test_joining(void)
{
    struct relations a, b;
    relations_init(&a, described, RELATIONS);
    relations_init(&b, described, RELATIONS);
    uint32_t root = add_node(&a, FIELD_NONE, "root", NULL), leaf = add_node(&a, root, "leaf", "blue");
    add_sight(&a, leaf, 1, 3, NAN);
    add_node(&b, FIELD_NONE, "other", NULL);
    uint32_t other_root = add_node(&b, FIELD_NONE, "root", "red"), other_leaf = add_node(&b, other_root, "leaf", NULL);
    add_sight(&b, other_leaf, 1, 4, 2.5);
    add_sight(&b, other_root, 2, 5, 7);
    ok(relations_merge(&a, &b) == 0, "two states are merged");
    is_u64(relations_count(&a, NODES), 3, "  with three nodes");
    const struct node *joined = relations_at(&a, NODES, root);
    ok(joined->colour == FIELD_NONE, "  a field of the first row stays");
    ok(joined->open, "  a flag is that of either");
    is_u64(relations_count(&a, SIGHTS), 2, "  and two sights");
    const struct sight *sight = relations_at(&a, SIGHTS, 0);
    is_u64(sight->node, leaf, "  of which one is in the leaf of both");
    is_u64(sight->count, 7, "  its counts are added");
    is_u64(sight->earliest, 96, "  the smallest stays");
    is_u64(sight->latest, 4, "  and the largest");
    ok(sight->squares == (((unsigned __int128)1 << 101) | 7), "  and wide sums carry");
    is_real(sight->weights[0], 1, 0, "  reals are added, one by one");
    is_real(sight->weights[1], -2e300, 1e-15, "  to the end of the array");
    ok(isnan(sight->limit), "  a missing real is the first's");
    is_u64(sight->product, 12, "  the relation joins what is its own");
    ok(sight->ages.length == 3 && sight->ages.values[0] == 7 && sight->ages.values[2] == 1, "  objects are joined");
    const struct sight again = {.node = leaf, .kind = 1, .count = 1};
    is_u64(relations_row(&a, SIGHTS, &again), 0, "the number of the row with a key");
    is_u64(((const struct sight *)relations_at(&a, SIGHTS, 0))->count, 7, "  which stays what it is");
    const struct sight fresh = {.node = leaf, .kind = 2, .count = 1};
    is_u64(relations_row(&a, SIGHTS, &fresh), 2, "  a new key is added");
    relations_free(&a);
    relations_free(&b);
}

static void test_notes(void)
{
    struct relations a, b;
    relations_init(&a, described, RELATIONS);
    relations_init(&b, described, RELATIONS);
    uint32_t leaf = add_node(&a, FIELD_NONE, "leaf", NULL), other = add_node(&b, FIELD_NONE, "other", NULL),
             same = add_node(&b, FIELD_NONE, "leaf", NULL);
    ok(relations_find(&a, NODES, relations_at(&a, NODES, leaf)) == leaf, "a row is found by its key");
    ok(relations_find(&a, NODES, (uint32_t[]){leaf, 0}) == FIELD_NONE, "  but not by another one");
    add_note(&a, leaf, "good");
    for (unsigned i = 0; i < 2; i++)
        add_note(&b, same, "good");
    add_note(&b, other, "bad");
    ok(relations_merge(&a, &b) == 0, "two states whose rows have no key are merged");
    is_u64(relations_count(&a, NOTES), 3, "  equal rows stay apart, and what is not admitted is left out");
    const struct note *second = relations_at(&a, NOTES, 1), *last = relations_at(&a, NOTES, 2);
    ok(second->node == leaf && second->before == 1, "  what is no field is set anew");
    is_text(relations_text_at(&a, last->text), "bad", "  rows behind it follow");
    relations_free(&a);
    relations_free(&b);
}

/* What refers to the texts and rows of the other state finds them again. */
static void test_numbers(void)
{
    struct relations a, b;
    struct relations_numbers numbers;
    relations_init(&a, described, RELATIONS);
    relations_init(&b, described, RELATIONS);
    uint32_t other = add_node(&b, FIELD_NONE, "root", "blue"), red = relations_text(&b, "red");
    ok(relations_merge_numbered(&a, &b, &numbers) == 0 && numbers.rows[NODES][other] == 0, "numbers in an empty state");
    relations_numbers_free(&numbers);
    add_node(&a, add_node(&a, FIELD_NONE, "leaf", NULL), "root", NULL);
    add_sight(&b, other, 1, 3, NAN);
    ok(relations_merge_numbered(&a, &b, &numbers) == 0, "a state is merged, with the numbers of its rows");
    is_text(relations_text_at(&a, numbers.texts[red]), "red", "  of texts");
    is_u64(numbers.rows[NODES][other], 0, "  of rows that were there");
    is_u64(((const struct sight *)relations_at(&a, SIGHTS, numbers.rows[SIGHTS][0]))->node, 0, "  and of new ones");
    relations_numbers_free(&numbers);
    relations_free(&a);
    relations_free(&b);
}

/* A flag that only one of two rows may have. */
static int join_once(void *into, const void *from)
{
    bool both = *(bool *)into && *(const bool *)from;
    *(bool *)into |= *(const bool *)from;
    return both ? EOVERFLOW : 0;
}

static void test_errors(void)
{
    struct flagged {
        uint32_t key;
        bool once;
    };
    static const struct field_class once = {.bytes = sizeof(bool), .join = join_once};
    static const struct field fields[] = {FIELD(flagged, key, FIELD_NUMBER, JOIN_KEY),
                                          FIELD_OBJECTS_OF(flagged, once, &once, 1)};
    static const struct relation relation = {"flagged", sizeof(struct flagged), sizeof(uint32_t),
                                             RELATION_FIELDS(fields)};
    struct relations a, b;
    relations_init(&a, &relation, 1);
    relations_init(&b, &relation, 1);
    const struct flagged row = {1, true};
    ok(relations_add(&a, 0, &row) == 0 && relations_add(&b, 0, &row) == 0, "a row of each state");
    ok(relations_merge(&a, &b) == EOVERFLOW, "  the error of their class ends the merge");
    ok(relations_add(&a, 0, &row) == FIELD_NONE, "  and an addition");
    relations_free(&a);
    relations_free(&b);
}

static void test_saving(void)
{
    struct relations a, b, c;
    relations_init(&a, described, RELATIONS);
    relations_init(&b, described, RELATIONS);
    relations_init(&c, described, RELATIONS);
    uint32_t bytes = add_node(&a, FIELD_NONE, "\xe9t\xe9", NULL);
    add_node(&a, bytes, "\1mark", "é");
    add_sight(&a, bytes, 2, UINT64_MAX - 100, 0.1);
    add_sight(&a, bytes, 0, 3, NAN);
    for (unsigned i = 0; i < NOTES_MAX; i++)
        add_note(&a, bytes, "twice");
    char *before = dump(&a);
    json_t *saved = json_loads(before, 0, NULL);
    ok(relations_load(&b, saved) == 0, "a saved state is loaded");
    char *after = dump(&b);
    is_text(after, before, "  and is the same");
    is_text(relations_text_at(&b, 0), "\xe9t\xe9", "  with texts that are no UTF-8");
    is_text(relations_text_at(&b, 1), "\1mark", "  or begin with the mark of those");
    ok(relations_merge(&c, &b) == 0 && relations_count(&c, SIGHTS) == 2, "an empty state takes another over");
    free(before);
    free(after);
    json_decref(saved);
    relations_free(&a);
    relations_free(&b);
    relations_free(&c);
}

static void test_damage(void)
{
    static const struct {
        const char *json, *what;
    } cases[] = {
        {"{}", "no relations"},
        {"{'texts':['a','a'],'nodes':[],'sights':[],'notes':[]}", "a text twice"},
        {"{'texts':[1],'nodes':[],'sights':[],'notes':[]}", "a text that is a number"},
        {"{'texts':['a'],'nodes':[[-1,1,-1,0]],'sights':[],'notes':[]}", "a text that is not there"},
        {"{'texts':['a'],'nodes':[[0,0,-1,0]],'sights':[],'notes':[]}", "a row that refers to itself"},
        {"{'texts':['a'],'nodes':[[-1,-1,-1,0]],'sights':[],'notes':[]}", "a missing text that must be there"},
        {"{'texts':['a'],'nodes':[[-1,0,-1,2]],'sights':[],'notes':[]}", "a flag that is none"},
        {"{'texts':['a'],'nodes':[[-1,0,-1]],'sights':[],'notes':[]}", "a row that is too short"},
        {"{'texts':['a'],'nodes':[[-1,0,-1,0,0]],'sights':[],'notes':[]}", "a row that is too long"},
        {"{'texts':['a'],'nodes':[[-1,0,-1,0],[-1,0,-1,1]],'sights':[],'notes':[]}", "a key twice"},
        {"{'texts':['a'],'nodes':[[-1,0,-1,0]],'sights':[[0,3,1,1,1,1,1,1,1,1,[],1]],'notes':[]}",
         "a number beyond its limit"},
        {"{'texts':['a'],'nodes':[[-1,0,-1,0]],'sights':[[1,0,1,1,1,1,1,1,1,1,[],1]],'notes':[]}",
         "a row beyond the last"},
        {"{'texts':['a'],'nodes':[[-1,0,-1,0]],'sights':[[0,0,0,1,1,1,1,1,1,1,[],1]],'notes':[]}",
         "a row that is not valid"},
        {"{'texts':['a'],'nodes':[[-1,0,-1,0]],'sights':[[0,0,1,1,1,1,1,null,1,1,[],1]],'notes':[]}",
         "a real that is missing"},
        {"{'texts':['a'],'nodes':[[-1,0,-1,0]],'sights':[[0,0,1,1,1,1,1,1,1,1,5,1]],'notes':[]}",
         "a number as an object"},
        {"{'texts':['a'],'nodes':[[-1,0,-1,0]],'sights':[[0,0,1,1,1,1,1,1,1,1,['x'],1]],'notes':[]}",
         "a text in an object"},
        {"{'texts':['a'],'nodes':[[-1,0,-1,0]],'sights':[],'notes':[[0,0],[0,0],[0,0]]}", "a row that is not admitted"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200];
        snprintf(text, sizeof text, "%s", cases[i].json);
        for (char *at = text; *at; at++)
            *at = *at == '\'' ? '"' : *at;
        struct relations state;
        relations_init(&state, described, RELATIONS);
        json_t *saved = json_loads(text, 0, NULL);
        ok(saved && relations_load(&state, saved) == EINVAL, "damage is found: %s", cases[i].what);
        json_decref(saved);
        relations_free(&state);
    }
}

/* Whatever the parts, and whether they were saved between, the sum is the same. */
static void test_parts(void)
{
    struct rng rng;
    rng_init(&rng, 1, 0);
    bool good = true;
    for (unsigned round = 0; round < 200; round++) {
        struct relations whole, parts, next;
        relations_init(&whole, described, RELATIONS);
        relations_init(&parts, described, RELATIONS);
        relations_init(&next, described, RELATIONS);
        for (unsigned i = 0; i < 40; i++) {
            static const char *const names[] = {"a", "b", "c", "d"};
            const char *name = names[rng_below(&rng, 4)], *inner = names[rng_below(&rng, 4)];
            uint32_t kind = (uint32_t)rng_below(&rng, KINDS);
            uint64_t count = 1 + rng_below(&rng, 9);
            struct relations *both[] = {&whole, &next};
            for (size_t s = 0; s < 2; s++)
                add_sight(both[s], add_node(both[s], add_node(both[s], FIELD_NONE, name, NULL), inner, NULL), kind,
                          count, 1);
            if (rng_below(&rng, 5) > 0 && i < 39)
                continue;
            json_t *saved = relations_save(&next);
            relations_free(&next);
            relations_init(&next, described, RELATIONS);
            good &= relations_load(&next, saved) == 0 && relations_merge(&parts, &next) == 0;
            json_decref(saved);
            relations_free(&next);
            relations_init(&next, described, RELATIONS);
        }
        char *a = dump(&whole), *b = dump(&parts);
        good &= strcmp(a, b) == 0;
        free(a);
        free(b);
        relations_free(&whole);
        relations_free(&parts);
        relations_free(&next);
    }
    ok(good, "200 random states are the same in parts");
}

/* Sites, of which those below the first are one, and visits, which have no key. */
struct site {
    uint32_t above, name; /* the key */
    uint32_t depth;       /* is not saved */
};
struct visit {
    uint32_t site;
    long double cost;
};
enum { SITES, VISITS };

static bool site_admit(struct relations *relations, void *row)
{
    struct site *site = row;
    bool deep = site->above != FIELD_NONE &&
                ((const struct site *)relations_at(relations, SITES, site->above))->above != FIELD_NONE;
    site->above = deep ? 0 : site->above;
    site->depth = site->above == FIELD_NONE ? 1 : 2;
    return true;
}

static void test_without_key(void)
{
    static const struct field site_fields[] = {FIELD_ROW_OF(site, above, JOIN_KEY, SITES, .optional = true),
                                               FIELD(site, name, FIELD_TEXT, JOIN_KEY)};
    static const struct field visit_fields[] = {FIELD_ROW_OF(visit, site, JOIN_FIRST, SITES),
                                                FIELD(visit, cost, FIELD_LONG, JOIN_FIRST)};
    static const struct relation relations[] = {
        [SITES] = {"sites", sizeof(struct site), 2 * sizeof(uint32_t), RELATION_FIELDS(site_fields),
                   .admit = site_admit},
        [VISITS] = {"visits", sizeof(struct visit), 0, RELATION_FIELDS(visit_fields)}};
    struct relations a, b;
    relations_init(&a, relations, 2);
    relations_init(&b, relations, 2);
    json_t *saved = json_loads("{\"texts\":[\"x\",\"y\"],\"sites\":[[-1,1],[-1,0],[1,0],[2,1]],\"visits\":[[3,1,0],"
                               "[3,1,0]]}",
                               0, NULL);
    ok(relations_load(&b, saved) == 0, "a state with rows without a key is loaded");
    const struct site *site = relations_at(&b, SITES, 3);
    ok(site->above == 0 && site->depth == 2, "  a row is what the relation makes of it");
    is_u64(relations_find(&b, SITES, &(struct site){.above = 0, .name = 1}), 3, "  and found by that");
    is_u64(relations_find(&b, SITES, &(struct site){.above = 2, .name = 1}), FIELD_NONE, "  and not by what it was");
    ((struct visit *)relations_at(&b, VISITS, 1))->cost = 1 + 1e-18L;
    relations_add(&a, SITES, &(struct site){.above = FIELD_NONE, .name = relations_text(&a, "y")});
    ok(relations_merge(&a, &b) == 0, "it is joined with another");
    is_u64(relations_count(&a, VISITS), 2, "  and equal rows without a key stay apart");
    json_decref(saved);
    saved = relations_save(&a);
    relations_free(&b);
    relations_init(&b, relations, 2);
    ok(relations_load(&b, saved) == 0 && ((struct visit *)relations_at(&b, VISITS, 1))->cost == 1 + 1e-18L,
       "a long real keeps its digits in a saved state");
    json_decref(saved);
    relations_free(&a);
    relations_free(&b);
}

static size_t failing; /* so many allocations of Jansson succeed, then one fails */

static void *allocate_but_one(size_t bytes)
{
    return failing-- > 0 ? malloc(bytes) : NULL;
}

/* Without memory, a state is not saved at all, rather than without some of its rows or numbers. */
static void test_no_memory(void)
{
    struct relations state;
    relations_init(&state, described, RELATIONS);
    for (unsigned i = 0; i < 20; i++) {
        char name[] = {(char)('a' + i), '\0'};
        uint32_t node = add_node(&state, FIELD_NONE, name, "\xe9t\xe9");
        add_sight(&state, node, i % KINDS, i + 1, i % 2 ? NAN : 1);
        add_note(&state, node, "\1mark");
    }
    json_t *whole = relations_save(&state);
    json_set_alloc_funcs(allocate_but_one, free);
    size_t failed = 0, partial = 0, saved = 0;
    for (size_t nth = 0; saved == 0 && nth < 100000; nth++) {
        failing = nth;
        json_t *copy = relations_save(&state);
        saved += copy && json_equal(copy, whole);
        partial += copy && !json_equal(copy, whole);
        failed += !copy;
        json_decref(copy);
    }
    json_set_alloc_funcs(malloc, free);
    is_u64(saved, 1, "if no allocation fails, a state is saved as a whole");
    ok(failed > 500 && partial == 0, "if one fails, it is not saved: %zu of %zu times", failed, failed + partial);
    json_decref(whole);
    relations_free(&state);
}

int main(void)
{
    test_joining();
    test_notes();
    test_numbers();
    test_errors();
    test_saving();
    test_no_memory();
    test_damage();
    test_parts();
    test_without_key();
    return done_testing();
}

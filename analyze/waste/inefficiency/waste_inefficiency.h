/*
 * waste_inefficiency.h - the kind of inefficiency that the wasted accesses of a line look like, and what mends it.
 *
 * Quantity: accesses. The facts about a line count its wasted accesses by what their pairs show. Each kind has one
 * rule: the number of wasted accesses that it explains, or 0 if the facts do not meet its conditions, which are at
 * least half of the line's loads or stores. The kinds that names or calling contexts show come first, and the first of
 * these is claimed. Otherwise it is the kind that explains most, if that is at least half of the wasted accesses, and
 * of equal ones the first.
 *
 * Source: Su, dissertation 2020, Tables 3.2 and 4.3, §3.7, §4.6; JXPerf, ESEC/FSE 2019, §7. docs/waste.md lists for
 * each kind which row it generalizes.
 */
#ifndef ASSAY_WASTE_WASTE_INEFFICIENCY_H
#define ASSAY_WASTE_WASTE_INEFFICIENCY_H

#include <stdbool.h>
#include <stdint.h>

/* More accesses in an iteration than the few instructions of a line explain: a loop within the iteration repeats it. */
enum { WASTE_MANY = 8 };

/* Wasted accesses of a line by what their pairs show. "Next": a loop of the line's own function iterated between the
 * two accesses, and no loop within that one is known to repeat the line. "Traversed": a loop iterated, and a loop
 * within the iteration is known to repeat the line. "Same": no loop iterated between them. */
enum waste_fact {
    WASTE_FACT_FILL_DEAD,    /* dead stores in a function that fills memory (memset) */
    WASTE_FACT_FILL_SILENT,  /* silent ones */
    WASTE_FACT_COPY_DEAD,    /* dead stores in a function that copies (memcpy) */
    WASTE_FACT_COPY_SILENT,  /* silent ones */
    WASTE_FACT_COPY_LOAD,    /* silent loads in it */
    WASTE_FACT_SCAN,         /* silent loads in a function that scans (strlen, contains) */
    WASTE_FACT_LOOKUP,       /* silent loads in a map, or a traversal in a function named after one */
    WASTE_FACT_DEAD_SAME,    /* dead stores: overwritten at another line */
    WASTE_FACT_DEAD_AGAIN,   /* overwritten in a later iteration */
    WASTE_FACT_SILENT_EXACT, /* silent stores of identical values */
    WASTE_FACT_SILENT_CLOSE, /* of floating-point values within the tolerance */
    WASTE_FACT_LOAD_SAME,    /* silent loads: loaded before, in the same iteration or a straight run of code */
    WASTE_FACT_LOAD_PASS,    /* by another loop of the same call */
    WASTE_FACT_LOAD_AGAIN,   /* in an earlier iteration, by the loop within it that repeats the line */
    WASTE_FACT_LOAD_LOOP,    /* in an earlier iteration or another call, of one location or several */
    WASTE_FACT_LOAD_CALL,   /* in a call with a loop, that loads hardly anything but what another one has just loaded */
    WASTE_FACT_LOAD_RESULT, /* in a call, by the previous one, whose caller stores what it stored then */
    WASTE_FACT_NEIGHBOUR,   /* loads of the value that was loaded last from the data object */
    WASTE_FACT_STACK,       /* sampled: an instruction addresses the location by the stack pointer */
    WASTE_FACTS
};

struct waste_facts {
    uint64_t loads, stores; /* in pairs, wasted or not */
    /* Stores in pairs of these kinds, of which `stores` is the larger number. A dead store counts once for each store
     * that overwrites some of it, which may be of another size. */
    uint64_t dead_stores, silent_stores;
    uint64_t wasted; /* loads and stores; a store that is both dead and silent counts once */
    uint64_t counts[WASTE_FACTS];
};

enum waste_inefficiency {
    WASTE_ZEROING,
    WASTE_COPY,
    WASTE_INLINING,
    WASTE_CALL,
    WASTE_LOOKUP,
    WASTE_BY_NAME, /* those before show by names or calling contexts */
    WASTE_SEARCH = WASTE_BY_NAME,
    WASTE_REGISTER,
    WASTE_RELOAD,
    WASTE_RECOMPUTED,
    WASTE_TOLERANCE,
    WASTE_REWRITTEN,
    WASTE_OVERWRITTEN,
    WASTE_NEIGHBOURS,
    WASTE_INEFFICIENCIES /* also: no known kind */
};

/* The number of wasted accesses that a kind explains; 0: it is not claimed. O(1). */
uint64_t waste_inefficiency_explains(enum waste_inefficiency kind, const struct waste_facts *facts);
/* The kind that is claimed, WASTE_INEFFICIENCIES if there is none. O(kinds). */
enum waste_inefficiency waste_inefficiency_of(const struct waste_facts *facts);
/* "linear search or traversal"; "" for WASTE_INEFFICIENCIES. */
const char *waste_inefficiency_name(enum waste_inefficiency kind);
/* What usually mends it, a sentence; "" likewise. */
const char *waste_inefficiency_remedy(enum waste_inefficiency kind);

/* What a library function does with memory, by its name: "memset", "__memset_avx2_unaligned_erms",
 * "java.util.ArrayList.contains", with or without a line. O(length). */
enum waste_role { WASTE_ROLE_NONE, WASTE_ROLE_FILL, WASTE_ROLE_COPY, WASTE_ROLE_SCAN, WASTE_ROLE_LOOKUP };
enum waste_role waste_role_of(const char *function);
/* Whether a function of the program is named after a table with chains or a tree: "hashtable_search". O(length). */
bool waste_is_lookup_name(const char *function);

#endif

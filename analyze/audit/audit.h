/*
 * audit.h - sampled waste against the exact one.
 *
 * Quantity: for each program and kind that both engine exact (of a JVM: rewrite) and a sampled run recorded, the
 * fraction of previously accessed bytes that were wasted (JXPerf eq. 1, pair_fraction), and how its worst pairs
 * compare. The exact value is the mean over the exact runs; the sampled one pools the traps of all sampled runs, each
 * weighted by the bytes that it represents. Its interval is Wilson's, for the effective number of traps (proportion.h):
 * the sampling error alone, without the bias of the clock.
 *
 * That bias differs from program to program, in either direction: its variance is the excess of the mean squared error
 * over the mean sampling variance (moments, as DerSimonian and Laird 1986, unweighted; 0 if less). The wide interval of
 * a program includes the bias of all others, so the number of them that cover shows how good such an interval is for a
 * new program.
 *
 * For bursts windows.h gives the value and its interval, over the bursts of all runs: the share of all bytes loaded or
 * stored that were wasted. The exact value beside it is the same share. Each way has its own bias.
 *
 * Pairs are the same if their calling contexts match (audit_match.h).
 *
 * For a JVM engine rewrite gives the exact runs: it records every access of Java code. A sampled run sees those of the
 * machine instead: without what the JIT compilers remove, but with native code, the JVM, and the stack, where compiled
 * code and the interpreter keep what they can't keep in registers. So there is a second comparison, of what both have:
 * pairs by their two lines, without the traps whose place an instruction addresses by the stack pointer.
 *
 * Missed: the bytes of exact pairs of lines that no trap has, as a share of the bytes of all exact pairs. If each of n
 * traps hits a pair with its share p of the bytes, (1 - p)^n is the chance that all miss it. Pairs for which it is
 * above AUDIT_CHANCE are too rare to say anything; the others the sampled runs would have seen, had they executed these
 * accesses. So what the sampled runs can't see lies between the missed bytes of the latter and all missed bytes. n is
 * the effective number of the traps at pairs that the exact runs have, too: the square of the sum of their bytes over
 * the sum of their squares (Kish 1965). The sum of p (1 - p)^n over all pairs is what n traps miss on average if
 * nothing is hidden from them.
 */
#ifndef ASSAY_AUDIT_AUDIT_H
#define ASSAY_AUDIT_AUDIT_H

#include "analyze/audit/audit_match.h"
#include "analyze/waste/sums/waste_rows.h"

enum { AUDIT_TOP = 10 };
#define AUDIT_CHANCE 0.05

/* What is compared with the full runs of engine exact or rewrite. Bursts are of these engines, too. */
enum audit_way {
    AUDIT_SAMPLES,
    AUDIT_COMMON, /* of JVMs: what samples and full runs have */
    AUDIT_BURSTS,
    AUDIT_WAYS
};
extern const char *const audit_way_names[AUDIT_WAYS];

/* One kind of one program, in one way. */
struct audit_row {
    enum audit_way way;
    const char *program; /* borrowed from the state */
    uint32_t waste;
    double exact, sampled;      /* NaN: no bytes */
    double low, high;           /* NaN: no interval */
    bool covered;               /* low ≤ exact ≤ high */
    double variance;            /* of sampled, by the effective number of traps: the sampling error alone */
    double wide_low, wide_high; /* with the bias that the other programs show; NaN: there are no others */
    bool wide_covered;
    uint64_t traps, bursts;
    double unseen;        /* of bursts: the share of their bytes that they can't judge; else NaN */
    size_t found;         /* how many of the exact runs' AUDIT_TOP worst pairs the sampled runs have */
    size_t edit_distance; /* between the two lists of worst pairs: insertions, deletions, replacements */
    double tau;           /* Kendall's, of the bytes of the exact runs' worst pairs; NaN: not defined */
    struct audit_missed {
        double low, high;             /* share of the exact pairs' bytes; NaN: no bytes or no traps, as of bursts */
        double waste_low, waste_high; /* of their wasted bytes */
        double chance;                /* the share that as many traps miss on average if nothing is hidden from them */
        double extra; /* the share of the sampled bytes at pairs of lines that the exact runs don't have */
    } missed;
};

/* What to list of the pairs that only one kind of runs has. */
struct audit_wish {
    bool singles, by_line;
    uint64_t top; /* of each program, kind and kind of runs; 0: all */
};

/* Why a pair is in one kind of runs only, as far as counts show it. */
enum audit_reason {
    AUDIT_RARE,      /* exact: the chance that the samples miss it is above AUDIT_CHANCE */
    AUDIT_ABSENT,    /* exact: they would have seen it */
    AUDIT_APART,     /* exact: they have both lines, but not as this pair */
    AUDIT_CODE,      /* sampled: code in which the exact runs have no access */
    AUDIT_NO_ACCESS, /* sampled: a line where they have none */
    AUDIT_BETWEEN,   /* sampled: they have both lines, but not as this pair */
    AUDIT_ELSEWHERE, /* the others have the same lines in other contexts */
    AUDIT_REASONS
};

struct audit_single {
    const char *program;
    uint32_t waste;
    bool exact, java;
    double share, waste_share; /* of the bytes, and of the wasted ones, of the runs that have it */
    double chance;             /* that all samples miss it; NaN: sampled */
    uint64_t traps;
    enum audit_reason reason;
    uint32_t nodes[WASTE_SIDES];
};

struct audit {
    struct audit_row *rows; /* by program and kind */
    size_t count;
    struct audit_single *singles; /* by program, kind and runs, most wasted bytes first */
    size_t single_count;
    size_t unmatched; /* programs that were only recorded in full, or never */
    double
        bias; /* the part of the errors that sampling does not explain: standard deviation, as a share; NaN: no rows */
};

/* 0 or ENOMEM; to be freed in either case. */
int audit_rows(const struct waste *waste, const struct analysis_options *options, const struct audit_wish *wish,
               struct audit *audit);
void audit_free(struct audit *audit);

/* --- audit_pairs.c --- */

/* The pairs of one kind of one program, those with the same contexts or lines in one. The key comes first. */
struct audit_pair {
    uint32_t sides[WASTE_SIDES]; /* places (audit_match.h), or lines: texts */
    uint32_t nodes[WASTE_SIDES]; /* of one of them, an exact one if there is any */
    double bytes[AUDIT_ROLES], wasted[AUDIT_ROLES];
    double squares, wasted_squares; /* of sampled ones */
    uint64_t traps;
};

/* A comparison: of a program, with roles[source], one kind and way. */
struct audit_comparison {
    const struct waste *waste;
    const struct audit_match *match;
    const uint8_t *roles;
    uint32_t kind;
    enum audit_way way;
    bool java;
};

/* Into *pairs, struct audit_pair, to be freed in either case. By context, or by line; of JVMs without samples on the
 * stack. 0 or ENOMEM. */
int audit_pairs(const struct audit_comparison *comparison, bool by_line, struct keyed *pairs);

/* Compares the worst pairs, by context, in way common by line: fills top, found, edit_distance and tau. 0 or ENOMEM. */
int audit_compare_pairs(const struct audit_comparison *comparison, struct audit_row *row);

/* --- audit_missed.c: pairs that only one kind of runs has --- */

/* By line; all NaN for ways other than samples. 0 or ENOMEM. */
int audit_miss(const struct audit_comparison *comparison, struct audit_missed *missed);

/* Adds to audit->singles what the wish says. 0 or ENOMEM. */
int audit_list_singles(const struct audit_comparison *comparison, const char *program, const struct audit_wish *wish,
                       struct audit *audit);

/* --- audit_tables.c --- */

enum { AUDIT_FRACTIONS, AUDIT_SINGLES, AUDIT_TABLES };
extern const struct columns audit_tables[AUDIT_TABLES];

/* Make a table and its notes. 0 or ENOMEM. */
int audit_report_fractions(const struct audit *audit, struct report *report);
int audit_report_singles(const struct waste *waste, const struct audit *audit, bool by_line, struct report *report);

#endif

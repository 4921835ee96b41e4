/*
 * waste_evidence.h - what the wasted accesses of a line or function look like, in words.
 */
#ifndef ASSAY_WASTE_WASTE_EVIDENCE_H
#define ASSAY_WASTE_WASTE_EVIDENCE_H

#include "analyze/waste/inefficiency/waste_facts.h"

enum { WASTE_EVIDENCE_MAX = 2048 };

struct waste_finding {
    enum waste_inefficiency kind; /* WASTE_INEFFICIENCIES: no known kind; the texts are empty */
    char evidence[WASTE_EVIDENCE_MAX];
    char second[WASTE_EVIDENCE_MAX]; /* of a function: another kind with its evidence and remedy, or "" */
};

/* Finds the kind of a line, and what shows it. O(kinds). */
void waste_find_in_line(const struct waste *waste, const struct waste_site *line, const struct waste_line_facts *facts,
                        struct waste_finding *finding);
/* Finds the kind of a function, whose lines have the largest share of its gain, or without a gain of its wasted bytes,
 * which must be a tenth; the evidence names these lines, and is that of the first. `lines`: [line], of
 * waste_gather_facts(). O(lines × kinds).
 */
void waste_find_in_function(const struct waste *waste, const struct waste_ranking *ranking,
                            const struct waste_site *function, const struct waste_line_facts *lines,
                            struct waste_finding *finding);

#endif

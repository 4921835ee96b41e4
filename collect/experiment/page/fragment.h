/*
 * fragment.h - what assay's own page of a result (--format html) has, part by part.
 *
 * All texts are HTML, as the program has escaped them. A figure of assay plot has its SVG and warnings. Pages are
 * stored in DATA/pages until their result changes.
 */
#ifndef ASSAY_EXPERIMENT_FRAGMENT_H
#define ASSAY_EXPERIMENT_FRAGMENT_H

#include "collect/experiment/results/report.h"

enum fragment_part {
    FRAGMENT_WARNINGS, /* a list */
    FRAGMENT_RESULT,
    FRAGMENT_FIGURE,
    FRAGMENT_NOTES,
    FRAGMENT_COLUMNS, /* what they are */
    FRAGMENT_SUMMARY,
    FRAGMENT_VALUES, /* all columns, if the result is an extract */
    FRAGMENT_INPUT,
    FRAGMENT_PARTS
};

struct fragment {
    const char *question, *about;      /* the program's; "" if there is none */
    const char *alignment;             /* CSS rules, one a line, of the result's and values' columns */
    const char *parts[FRAGMENT_PARTS]; /* without headings; "" if there is none */
    struct words warnings;             /* the items of that part */
    const char *printed;               /* not HTML: what the program printed, if it has no such page; else NULL */
};

/* Makes the page of a step, or takes the stored one. False with a message: its program could not be run, so that the
 * fragment lacks what it has of the result. */
bool fragment_read(struct experiment *experiment, const struct step *step, const struct report_outcome *outcome,
                   struct fragment *fragment, struct error_text *message);

#endif

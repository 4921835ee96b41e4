/*
 * waste_notes.h - notes and warnings on figures of waste: how they were recorded, and what is missing.
 */
#ifndef ASSAY_WASTE_WASTE_NOTES_H
#define ASSAY_WASTE_WASTE_NOTES_H

#include "analyze/waste/sums/waste_rows.h"

/* Notes on all recordings. `by`: the label that distinguishes the tables, or NULL. */
void waste_notes(const struct waste *waste, const char *by, struct report *report);
/* For the kinds of one group: runs that are left out. */
void waste_kind_notes(const struct waste_group *group, const struct waste_kinds *kinds, struct report *report);

#endif

/*
 * waste_figure.h - the figure of objects: a bar for each, of the bytes that its pairs wasted.
 */
#ifndef ASSAY_WASTE_WASTE_FIGURE_H
#define ASSAY_WASTE_WASTE_FIGURE_H

#include "analyze/waste/waste_tables.h"

/* Adds the bar of an object, number `rank`: its first pairs, `top` at most (0: as many as the figure has capacity for),
 * and the others together. `pairs` are in WASTE_OBJECT_PAIRS. 0 or ENOMEM. */
int waste_plot_object(const struct waste *waste, const char *label, const struct waste_location *object, size_t rank,
                      const struct waste_locations *pairs, uint64_t top, const struct analysis_options *options,
                      struct table *figure);

#endif

/*
 * publish.h - `-o FILE.trace`: the run goes into FILE.trace.d, and its one trace becomes FILE.trace.
 */
#ifndef ASSAY_RECORD_SERIES_PUBLISH_H
#define ASSAY_RECORD_SERIES_PUBLISH_H

#include "collect/record/series_file.h"

/* The directory to record into. Returns 0, or STATUS_BAD with a message: FILE exists already, or its name is too
 * long. */
int publish_location(const struct record_options *options, char location[RECORD_PATH_MAX], struct error_text *message);

/*
 * Moves the series' one trace to FILE and removes the directory. Returns 0, or STATUS_BAD with a message: where the
 * traces are if there are several.
 */
int publish_file(struct series_file *series, const struct record_options *options, struct error_text *message);

#endif

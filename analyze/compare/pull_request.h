/*
 * pull_request.h - a comparison as Markdown for a comment on a pull request: what changed first, the rest folded.
 *
 * The first line counts verdicts; if p are adjusted, the next one says that intervals are not. Then there are tables of
 * five columns: benchmark, old, new, change with its interval, and verdict. The first table has differences that are
 * shown, those that fail the gate first, then the largest; after them what vanished or is new, and geometric means.
 * What is undecided and what is equal is folded, and so are notes. Rows of a benchmark stand together, and only the
 * first one has its name. A comment of GitHub holds 65,536 characters: rows beyond that are left out, and counted.
 */
#ifndef ASSAY_COMPARE_PULL_REQUEST_H
#define ASSAY_COMPARE_PULL_REQUEST_H

#include <jansson.h>

#include "analyze/compare/compare_rows.h"
#include "analyze/compare/gate.h"

struct pull_request {
    const struct compare_rows *rows; /* decided */
    const struct gate *gate;         /* its margin names what is equal */
    const char *old, *new;           /* names of both sides; NULL: "old", "new" */
    const json_t *warnings, *notes;
    size_t tests; /* whose p are adjusted for their number; 0: p are not */
};

/* Writes the comment into a file. 0 or an errno value. O(rows log rows), with several metrics O(rows²). */
int pull_request_write(const struct pull_request *request, const char *path);

#endif

/*
 * known_changes.h - the acknowledged changes of --known FILE, which a history does not report again.
 */
#ifndef ASSAY_HISTORY_KNOWN_CHANGES_H
#define ASSAY_HISTORY_KNOWN_CHANGES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error_text.h"

struct known_change {
    char *commit, *benchmark; /* parts of line */
    char *line;
    bool used; /* it explains a change */
};

struct known_changes {
    struct known_change *items; /* [count] */
    size_t count, capacity;
};

/*
 * Reads a file whose lines are "COMMIT [BENCHMARK]": a commit, and after blanks the benchmark to which it is limited
 * (several texts joined by ", "). A line is at most `#` and a comment, or ends with one after a blank. A commit with
 * blanks stands in double quotes. Start with {0}. 0, or STATUS_BAD with a message that names the file.
 */
int known_changes_read(struct known_changes *known, const char *path, struct error_text *message);
void known_changes_free(struct known_changes *known);

/* Whether a line names this commit, in this benchmark or in all; then it is used. A commit may be abbreviated to seven
 * characters or more, in the line or in the table. */
bool known_changes_match(struct known_changes *known, const char *commit, const char *benchmark);

/* The number of lines that explain no change. */
size_t known_changes_unused(const struct known_changes *known);

#endif

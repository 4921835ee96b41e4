/*
 * hottest.h - the hottest methods of traces, as assay hot finds them, by names that assay inject accepts.
 */
#ifndef ASSAY_INJECT_HOTTEST_H
#define ASSAY_INJECT_HOTTEST_H

#include "collect/inject/inject.h"

struct hottest {
    char **names; /* [count], the hottest first; each once: overloads of a method of Java are one */
    size_t count;
};

/* Only Java methods, if there are any in the traces; no functions of assay's own agents. Runs assay-hot from the
 * directory of this program. Free in either case. */
int hottest_read(const char *const *traces, size_t count, struct hottest *found, struct complaint *complaint);
void hottest_free(struct hottest *found);

#endif

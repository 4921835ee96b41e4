/*
 * json_memory.h - whether memory lacked for JSON.
 *
 * Jansson's functions return NULL without memory, and take NULL for "nothing": a failure becomes a member that is
 * absent, and some versions then free what is not theirs. A program that watches asks once, before its output takes
 * its place, instead of after each call. Until then a reserve of 256 KB is there for what Jansson still needs.
 */
#ifndef ASSAY_BASE_JSON_MEMORY_H
#define ASSAY_BASE_JSON_MEMORY_H

#include <stdbool.h>

/* From now on each failure is remembered. For programs, before their first JSON value. */
void json_memory_watch(void);

/* Whether an allocation of JSON has failed since json_memory_watch(), in any thread: any JSON may be incomplete. */
bool json_memory_has_failed(void);

#endif

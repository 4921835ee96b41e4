/* caches.h - the caches of simulated counters, in the form of the exact tool: "BYTES/WAYS/LINE" of L1I, L1D and L2,
 * separated by commas. */
#ifndef ASSAY_RECORD_START_CACHES_H
#define ASSAY_RECORD_START_CACHES_H

/* Parses the user's request: bytes with K or M (binary) or without. Static storage; NULL: such caches can't exist. */
const char *caches_parse(const char *text);

/* This machine's, as far as it reports them; else 32 KB with 8 ways, the same, and 1 MB of 16, with lines of 64 bytes.
 * Static storage. */
const char *caches_here(void);

#endif

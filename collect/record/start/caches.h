/* caches.h - the caches of simulated counters, as the exact tool takes them: "BYTES/WAYS/LINE" of L1I, L1D and L2, with
 * commas in between. */
#ifndef ASSAY_RECORD_START_CACHES_H
#define ASSAY_RECORD_START_CACHES_H

/* What the user asks for: bytes with K or M (binary) or without. Static storage; NULL: there can be no such caches. */
const char *caches_parse(const char *text);

/* This machine's, as far as it tells; else 32 KB of 8 ways, the same, and 1 MB of 16, with lines of 64 bytes. Static
 * storage. */
const char *caches_here(void);

#endif

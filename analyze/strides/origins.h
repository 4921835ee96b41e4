/*
 * origins.h - which load brought the address through which another load accesses memory.
 *
 * A load whose value looks like an address is remembered by that address. An access at most ORIGIN_REACH bytes after
 * it depends on it: of several such loads on the one with the nearest address, and of those with the same the latest.
 * That is a guess where a program computes the same address twice; a dependence counts only if it recurs with the same
 * offset (pattern.h).
 */
#ifndef ASSAY_STRIDES_ORIGINS_H
#define ASSAY_STRIDES_ORIGINS_H

#include <stdint.h>

enum { ORIGIN_REACH = 4096 };

struct origin {
    uint64_t value;   /* the address that was loaded */
    uint64_t address; /* from where */
    uint64_t access;  /* the number of the load in the trace, from 1; 0: none */
    uint32_t site;
};

struct origins; /* 32,768 of the latest */

struct origins *origins_new(void); /* NULL without memory */
void origins_free(struct origins *origins);

/* Remembers a load, unless its value can't be an address of user space. O(1). */
void origins_add(struct origins *origins, const struct origin *load);
/* The load through whose value this address may have been formed, or NULL. O(1). */
const struct origin *origins_find(const struct origins *origins, uint64_t address);

#endif

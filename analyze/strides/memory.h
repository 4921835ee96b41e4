/*
 * memory.h - what words of a program's memory hold, as far as the loads of its trace show.
 */
#ifndef ASSAY_STRIDES_MEMORY_H
#define ASSAY_STRIDES_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

struct memory; /* a million words, of which newer ones replace others */

struct memory *memory_new(void); /* NULL without memory */
void memory_free(struct memory *memory);

/* A value that was loaded from an address. O(1). */
void memory_load(struct memory *memory, uint64_t address, uint64_t value, uint32_t bytes);
/* Bytes that were stored: what is known of the address is this value if it is as wide, or else no more. O(1). */
void memory_store(struct memory *memory, uint64_t address, uint64_t value, uint32_t bytes);
/* An access of the coming part of the trace (parts are numbered from 1), in its order. What the first one of a part
 * will load is there already, whatever was known. O(1). */
void memory_announce_load(struct memory *memory, uint64_t address, uint64_t value, uint32_t bytes, uint32_t part);
void memory_announce_store(struct memory *memory, uint64_t address, uint32_t part);
/* Whether the value at this address is known, and what it is. O(1). */
bool memory_read(struct memory *memory, uint64_t address, uint64_t *value);

#endif

/*
 * model.h - what the exact tool must count, stated as simply as possible: for every byte of a small memory the last
 * load and the last store, and whether it was loaded since; every access looks at its bytes one by one.
 *
 * Definitions 1 to 3 of the dissertation's chapter 3, byte-wise. A load is silent if each of its bytes has a last load
 * and the values are equal; a store is silent if the same holds for last stores. The stores before it were dead if each
 * of its bytes has a last store and none was loaded since; the kernel's stores are in no pair of dead stores. A
 * floating-point access is also silent if every lane differs from its old value by at most 1 % of that.
 *
 * Addresses are 0 … MODEL_BYTES−1, contexts 0 … MODEL_CONTEXTS−1. Not for more than one thread.
 */
#ifndef ASSAY_TESTS_MODEL_H
#define ASSAY_TESTS_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MODEL_BYTES = 4096, MODEL_CONTEXTS = 256, MODEL_ACCESS_MAX = 64 };

enum model_kind { MODEL_DEAD_STORE, MODEL_SILENT_STORE, MODEL_SILENT_LOAD, MODEL_KINDS };

/* How an access is compared: exactly, or as floats or doubles. */
enum model_lanes { MODEL_EXACT, MODEL_FLOATS, MODEL_DOUBLES };

struct model_counts {
    uint64_t events, wasted_events, bytes, wasted_bytes;
};

struct model;

/* Returns NULL without memory. The model takes about 25 MB. */
struct model *model_create(void);
void model_free(struct model *model);

/* value[size]: what was loaded from, or is stored to, at … at+size−1; 1 ≤ size ≤ MODEL_ACCESS_MAX. */
void model_load(struct model *model, size_t at, size_t size, const uint8_t *value, unsigned context,
                enum model_lanes lanes);
void model_store(struct model *model, size_t at, size_t size, const uint8_t *value, unsigned context,
                 enum model_lanes lanes);

/* A system call reads or writes the bytes: not an access of the program, but the last load or store of them. */
void model_system_read(struct model *model, size_t at, size_t size);
void model_system_write(struct model *model, size_t at, size_t size, const uint8_t *value, unsigned context);

/* The bytes have no last access any more: they were freed, unmapped or newly mapped. */
void model_forget(struct model *model, size_t at, size_t size);

/* The counts of the pair ⟨first, second⟩. Dead stores have the class of the first store, others that of the second. */
struct model_counts model_pair(const struct model *model, enum model_kind kind, bool approximate, unsigned first,
                               unsigned second);

#endif

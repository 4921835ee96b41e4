/*
 * methods.h - rewritten methods: names, and where their accesses and calls are.
 *
 * A description has, little-endian: its size up to the places (4 bytes, a multiple of 8), the numbers of accesses and
 * of calls (4 each), the names of class, method, descriptor and source file, each NUL-terminated; then one word of 8
 * bytes for each access and each call: bits 0-15 the bytecode index, 16-31 the line, 32-39 the kind of the access.
 */
#ifndef ASSAY_ACCESSES_METHODS_H
#define ASSAY_ACCESSES_METHODS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kind: the binary logarithm of the size, and these. */
enum { KIND_SIZE = 3, KIND_FLOATING = 4, KIND_STORE = 8, KIND_REFERENCE = 16 };

struct method {
    const char *class_name, *name, *descriptor, *file;
    const uint64_t *accesses, *calls;
    uint32_t access_count, call_count;
};

/* Keeps a description, which must stay where it is (aligned to 8 bytes). Its number, from 1; 0: it is not one, or there
 * is no memory. Any thread. */
uint32_t methods_add(const void *description, size_t size);

/* False for numbers that are not known. Any thread. */
bool methods_at(uint32_t number, struct method *method);

#endif

/*
 * copy_readable.h - copies memory of this process that may not be there.
 */
#ifndef ASSAY_BASE_COPY_READABLE_H
#define ASSAY_BASE_COPY_READABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copies [from, from + bytes) by the kernel, about a microsecond. False: not all of it can be read. Where a sandbox
 * forbids that, it is read directly once the kernel has looked at it. Async-signal-safe; keeps errno. */
bool copy_readable(void *to, uint64_t from, size_t bytes);

#endif

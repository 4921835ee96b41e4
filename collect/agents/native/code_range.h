/*
 * code_range.h - the executable part of a file that is mapped, from its program headers in memory.
 */
#ifndef ASSAY_AGENTS_NATIVE_CODE_RANGE_H
#define ASSAY_AGENTS_NATIVE_CODE_RANGE_H

#include <link.h>
#include <stddef.h>

#include "collect/pool/pool.h"

/* Sets low and high (low ≥ high: it has no code) and the build id; module->bias is known. Async-signal-safe. */
void code_range_read(struct pool_module *module, const ElfW(Phdr) * segments, size_t count);

#endif

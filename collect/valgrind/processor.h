/*
 * processor.h - the processor that the program sees: Valgrind's, but without "enhanced rep movsb and stosb". libc
 * copies and clears large blocks by these where the processor says that they are fast; a processor moves whole cache
 * lines then, but Valgrind byte by byte, in a translation of its own each. Without them libc takes vectors.
 */
#ifndef ASSAY_VALGRIND_PROCESSOR_H
#define ASSAY_VALGRIND_PROCESSOR_H

#include <valgrind/libvex_ir.h>

/* Adds the statement to the end of the block, which is that of ir.h, and to a CPUID what hides them. */
void processor_put(IRSB *out, IRStmt *statement);

#endif

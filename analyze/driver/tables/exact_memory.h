/*
 * exact_memory.h - how a program ends when there is no memory for exact numbers.
 *
 * GMP's functions return no status: without memory they abort. A program that has exact fits ends with a message and
 * status 1 instead.
 */
#ifndef ASSAY_ANALYZE_DRIVER_TABLES_EXACT_MEMORY_H
#define ASSAY_ANALYZE_DRIVER_TABLES_EXACT_MEMORY_H

/* For assay-PROGRAM, before its first exact number. The text must outlive them. */
void exact_memory_watch(const char *program);

#endif

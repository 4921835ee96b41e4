/*
 * machine_parts.h - the ways in which a machine is found: by the text of its levels, and from the processor.
 */
#ifndef ASSAY_CACHE_MACHINE_PARTS_H
#define ASSAY_CACHE_MACHINE_PARTS_H

#include "analyze/cache/machine.h"

/* Fills the levels of *machine from "D1=32K,8,64:…" (machine.h). STATUS_GOOD, or STATUS_BAD with a message. */
int machine_text_parse(const char *text, struct cache_machine *machine, struct error_text *message);

/* Fills the levels and the TLB of *machine from this directory, /sys/devices/system/cpu/cpu0/cache, and from CPUID. The
 * numbers are those that the system reports. STATUS_GOOD, or with a message STATUS_BAD: the directory does not describe
 * them, or MACHINE_UNREAD: it may, but can't be read now, for want of memory or files. */
enum { MACHINE_UNREAD = 3 };
int machine_this_read(const char *directory, struct cache_machine *machine, struct error_text *message);

/* The levels that the C library knows, which asks the processor: for systems that do not describe them. STATUS_GOOD,
 * or STATUS_BAD with a message. */
int machine_this_query(struct cache_machine *machine, struct error_text *message);

/* Whether such a machine can be simulated, and if `any_sets` is false all numbers of sets are powers of two. Likewise.
 */
int machine_check(const struct cache_machine *machine, bool any_sets, struct error_text *message);

#endif

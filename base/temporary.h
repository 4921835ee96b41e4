/*
 * temporary.h - files without a name, for what is too large for memory.
 */
#ifndef ASSAY_BASE_TEMPORARY_H
#define ASSAY_BASE_TEMPORARY_H

/* The descriptor of a new, empty file in the folder that TMPDIR names, else in /var/tmp, open for reading and writing
 * and closed on exec; the kernel removes it with its last descriptor. -1 with errno if there can be none. */
int temporary_file(void);

#endif

/*
 * temporary.h - files without a name, for what is too large for memory.
 */
#ifndef ASSAY_BASE_TEMPORARY_H
#define ASSAY_BASE_TEMPORARY_H

/* The folder for them: the one that TMPDIR names, else /var/tmp. */
const char *temporary_folder(void);

/* The descriptor of a new, empty file in temporary_folder(), open for reading and writing
 * and closed on exec; the kernel removes it with its last descriptor. -1 with errno if there can be none. */
int temporary_file(void);

#endif

/*
 * spool.h - a trace is read at several positions, so standard input is first copied to a file.
 */
#ifndef ASSAY_PROGRAM_SPOOL_H
#define ASSAY_PROGRAM_SPOOL_H

/* The path itself; for "-" the path of an unnamed temporary file (TMPDIR, or /var/tmp) that holds the contents of
 * standard input, for as long as the process lives. NULL with errno if that fails. Static storage. */
const char *spool_path(const char *path);

#endif

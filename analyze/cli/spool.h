/*
 * spool.h - a trace is read at several positions, so standard input, and pipes of the shell's <(COMMAND), are first
 * copied to a file.
 */
#ifndef ASSAY_ANALYZE_CLI_SPOOL_H
#define ASSAY_ANALYZE_CLI_SPOOL_H

/* The path itself; for "-", and for a pipe that this process has as /dev/fd/N, the path of an unnamed temporary file
 * (TMPDIR, or /var/tmp) that holds its contents, for as long as the process lives. NULL with errno if that fails. The
 * text lives as long. */
const char *spool_path(const char *path);

#endif

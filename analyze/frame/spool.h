/*
 * spool.h - a trace is read from several places, so standard input becomes a file first.
 */
#ifndef ASSAY_FRAME_SPOOL_H
#define ASSAY_FRAME_SPOOL_H

/* The path itself; for "-" the path of an unnamed temporary file (TMPDIR, or /var/tmp) that holds what standard input
 * gave, for as long as the process lives. NULL with errno if that fails. Static storage. */
const char *spool_path(const char *path);

#endif

/*
 * shrunk_file.h - files that another process cuts while this one has mapped them: the kernel sends SIGBUS.
 */
#ifndef ASSAY_BASE_SHRUNK_FILE_H
#define ASSAY_BASE_SHRUNK_FILE_H

/* From now on a page that a file no longer has, or that its disk can't read, ends the program with status 1 and a line
 * that names the program (a static text) and the file. */
void shrunk_file_watch(const char *program);

#endif

/*
 * program_file.h - whether a program can be started with a preloaded library of the GNU C library. If it can't, the
 * dynamic linker of the program prints an error on its standard error, or refuses to start it.
 */
#ifndef ASSAY_BASE_PROGRAM_FILE_H
#define ASSAY_BASE_PROGRAM_FILE_H

#include <stdbool.h>

enum program_preload {
    PROGRAM_PRELOADS, /* it can; or nothing is known about it */
    PROGRAM_IGNORES,  /* a preloaded library has no effect: statically linked, or privileged when executed */
    PROGRAM_REFUSES   /* it must not be started with one: other C libraries, other processors, sanitizers */
};

/*
 * Looks into the program at `path` or, for a script, into its interpreter. *why gets a static text for the last two
 * results: "it is statically linked". Allocates nothing and is async-signal-safe; leaves errno alone. Cost: some
 * ten system calls, and reading the names in the program's dynamic section.
 */
enum program_preload program_file_preload(const char *path, const char **why);

/* The same for the program that execvp() would find for this name along the `PATH` of this process. */
enum program_preload program_file_preload_of_name(const char *name, const char **why);

#endif

/* module_file.h - what the file of a module says about itself, read after the run. */
#ifndef ASSAY_EXACT_CONVERT_MODULE_FILE_H
#define ASSAY_EXACT_CONVERT_MODULE_FILE_H

#include <stdint.h>

enum { BUILD_ID_TEXT_MAX = 2 * 64 + 1 };

/*
 * The GNU build id in hexadecimal; "" if it has none, if there is no such ELF file, or if the file was replaced after
 * `mapped_ns` (CLOCK_REALTIME): its inode has changed since.
 */
void module_file_build_id(const char *path, uint64_t mapped_ns, char text[BUILD_ID_TEXT_MAX]);

/* The addresses in the file [*low, *high) that its loaded segments take; *low = *high if that is unknown. */
void module_file_segments(const char *path, uint64_t *low, uint64_t *high);

/* Calls visit() with the linker's name of each function that the file defines, in no order; some come up twice. */
void module_file_functions(const char *path, void (*visit)(const char *symbol, void *user), void *user);

#endif

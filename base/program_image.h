/*
 * program_image.h - what kind of program an ELF file is, as far as it matters for what a recorder does with it.
 *
 * No state, no memory, no libc: this is compiled into the exact tool.
 */
#ifndef ASSAY_BASE_PROGRAM_IMAGE_H
#define ASSAY_BASE_PROGRAM_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum program_kind {
    PROGRAM_ORDINARY,   /* uses the GNU C library; or nothing is known about it */
    PROGRAM_FOREIGN,    /* not a 64-bit program for x86-64 */
    PROGRAM_STATIC,     /* statically linked */
    PROGRAM_OTHER_LIBC, /* dynamically linked, with another C library or none */
    PROGRAM_SANITIZED   /* compiled with the address, thread, leak or memory sanitizer */
};

/* Reads a file: `bytes` at offset `at` into `out`. Returns the number of bytes that it got, or a negative number. */
typedef long (*program_reader)(int file, void *out, size_t bytes, uint64_t at);

/* Whether the file is an ELF file; *kind is then its kind. Cost: some ten calls of `read`, and reading the names in
 * the program's dynamic section. */
bool program_image_look(program_reader read, int file, enum program_kind *kind);

#endif

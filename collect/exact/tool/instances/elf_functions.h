/*
 * elf_functions.h - the functions that an ELF file names, from its symbol tables and from those of the file with its
 * debug information. The core's own table is not used: it moves or drops symbols whose ranges overlap or are empty.
 */
#ifndef ASSAY_EXACT_TOOL_INSTANCES_ELF_FUNCTIONS_H
#define ASSAY_EXACT_TOOL_INSTANCES_ELF_FUNCTIONS_H

#include <valgrind/pub_tool_basics.h>

/* A part of a file that is mapped. */
struct elf_part {
    const HChar *path;
    ULong offset; /* in the file */
    Addr start;
    SizeT bytes;
};

/*
 * Calls visit(name, address) for each symbol of a function that begins in this part of the file; the same function may
 * come up several times, by several names. Functions that choose another one to be called in their address (IFUNC) are
 * left out. A file that can't be read, or is damaged, names none. O(symbols).
 */
void elf_functions_each(const struct elf_part *part, void (*visit)(const HChar *name, Addr address));

#endif

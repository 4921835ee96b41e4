/*
 * nops.h - which functions of a loaded file have room for a probe, and where.
 *
 * The compiler lists these locations in the section __patchable_function_entries, an array of addresses. Only the
 * section headers in the file say where it is. While a file is being loaded, the addresses may not be relocated yet
 * (interpose_load.c), so the relocations come from the dynamic section. With -fpatchable-function-entry=N,M the first M
 * of N nops come before the function, so the table of unwind information has to tell where functions begin.
 */
#ifndef ASSAY_AGENTS_NATIVE_NOPS_H
#define ASSAY_AGENTS_NATIVE_NOPS_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NOPS_JUMP_BYTES = 5, NOPS_ENDBR_BYTES = 4 };

/* A loaded file. */
struct nops_file {
    const struct dl_phdr_info *info;
    const char *name;
    uint64_t low, high;  /* bounds of its code */
    uint64_t *locations; /* [location_count], relocated */
    size_t location_count;
    const int32_t *begins; /* pairs of offsets from `table`; the first of each is where a function begins, rising */
    size_t begin_count;
    uint64_t table;
};

/* Finds the file's code and its table of unwind information, but no locations yet. `info` is borrowed. */
struct nops_file nops_read(const struct dl_phdr_info *info);

/* Adds the locations; there are none if the file lists none or can't be read. The caller frees file->locations. */
void nops_read_locations(struct nops_file *file);

/* Whether the name is among the dynamic symbols of the file, its own or others'. */
bool nops_has_name(const struct nops_file *file, const char *name);

/* Returns where the nops of the function that is listed at `location` begin. */
uint64_t nops_find(const struct nops_file *file, uint64_t location);

/* Returns where the function continues after the space for a jump; 0: there is too little space. */
uint64_t nops_resume(uint64_t nops);

/* Whether the function at `at` does nothing but return, and has room for a jump to `to`. */
bool nops_at_return(uint64_t at, uint64_t to);

/* Whether there is an instruction of control-flow protection (endbr64). */
bool nops_is_endbr(uint64_t code);

#endif

/*
 * room.h - which functions of a loaded file have room for a probe, and where.
 *
 * The compiler lists their places in the section __patchable_function_entries, an array of addresses. Only the section
 * headers in the file say where it is. In a file that is being loaded they are perhaps not relocated yet
 * (interpose_load.c): the dynamic section tells the relocations. With -fpatchable-function-entry=N,M the first M of N
 * nops come before the function: the table of unwind information tells where functions begin.
 */
#ifndef ASSAY_NATIVE_ROOM_H
#define ASSAY_NATIVE_ROOM_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ROOM_JUMP_BYTES = 5, ROOM_ENDBR_BYTES = 4 };

/* A loaded file. */
struct room_file {
    const struct dl_phdr_info *info;
    const char *name;
    uint64_t low, high; /* its code */
    uint64_t *places;   /* [place_count], as they are once they are relocated */
    size_t place_count;
    const int32_t *begins; /* pairs from table, of which the first tell where functions begin, rising */
    size_t begin_count;
    uint64_t table;
};

/* Where the file's code and its table of unwind information are; no places yet. `info` is borrowed. */
struct room_file room_read(const struct dl_phdr_info *info);

/* Adds the places, none if the file lists none or can't be read. The caller frees file->places. */
void room_read_places(struct room_file *file);

/* Whether the name is one of those that the file has for the dynamic linker, of its own symbols or of others'. */
bool room_has_name(const struct room_file *file, const char *name);

/* Where the nops are of the function that is listed at `place`. */
uint64_t room_nops(const struct room_file *file, uint64_t place);

/* Where the function goes on after room for a jump; 0: there is too little. */
uint64_t room_resume(uint64_t nops);

/* Whether the function at `at` does nothing but return, and a jump from there to `to` has room. */
bool room_at_return(uint64_t at, uint64_t to);

/* Whether an instruction of control-flow protection (endbr64) stands there. */
bool room_is_endbr(uint64_t code);

#endif

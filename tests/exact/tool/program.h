/*
 * program.h - random programs of memory accesses, for the exact tool and its model.
 *
 * A program is a sequence of steps on a small memory of its own: an arena of 2048 bytes, in whose middle a page ends
 * (or more than a page, as whoever maps it chooses), and four heap blocks. Most steps execute an instruction of
 * sites.h, called by one of several callers; the others map half of the arena again, allocate or free. The same seed
 * and number give the same program everywhere.
 */
#ifndef ASSAY_TESTS_PROGRAM_H
#define ASSAY_TESTS_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "tests/exact/tool/model.h"

enum program_operation {
    OP_LOAD,
    OP_STORE,
    OP_ADD,
    OP_ATOMIC_ADD,
    OP_EXCHANGE,
    OP_COMPARE_SWAP,
    OP_MOVE,         /* rep movs from `from` to `at` */
    OP_FILL,         /* rep stos */
    OP_SYSTEM_READ,  /* pwrite(2) */
    OP_SYSTEM_WRITE, /* pread(2) at offset `from` of a file whose byte i is program_file_byte(i) */
    OP_MAP,          /* half of the arena, starting at `at`: zeros */
    OP_ALLOCATE,     /* block `site`, `count` bytes at `at`; zeros if a != 0, else of any value */
    OP_FREE          /* block `site` */
};

enum { ARENA_BYTES = 2048, ARENA_HALF = 1024, BLOCKS = 4, BLOCK_BYTES = 64, BLOCKS_AT = 2048 };
enum { FILE_BYTES = 256, CALLERS = 3, VECTOR_BYTES = 32 };

struct program_site {
    const char *name;
    enum program_operation operation;
    size_t size;
    enum model_lanes lanes;
};
extern const struct program_site program_sites[];
extern const size_t program_site_count;

struct program_step {
    enum program_operation operation;
    unsigned site, caller;
    size_t at, from, count;       /* places in the program's memory; elements */
    uint64_t a, b;                /* rax and rdx */
    uint8_t vector[VECTOR_BYTES]; /* ymm0 */
};

/* Gets what a program does, in order; any function may be NULL. Contexts are site · CALLERS + caller. */
struct program_watcher {
    void *user;
    void (*step)(void *user, const struct program_step *step);
    void (*load)(void *user, size_t at, size_t size, const uint8_t *value, unsigned context, enum model_lanes lanes);
    void (*store)(void *user, size_t at, size_t size, const uint8_t *value, unsigned context, enum model_lanes lanes);
    void (*system_read)(void *user, size_t at, size_t size);
    void (*system_write)(void *user, size_t at, size_t size, const uint8_t *value, unsigned context);
    void (*forget)(void *user, size_t at, size_t size);
};

/* Runs program `number` of `seed` to its end. memory[MODEL_BYTES] and known[MODEL_BYTES] are what it leaves: the bytes
 * that are allocated and have a value. Its heap blocks are not freed. */
void program_run(uint64_t seed, uint64_t number, const struct program_watcher *watcher, uint8_t *memory, bool *known);

uint8_t program_file_byte(size_t i);

#endif

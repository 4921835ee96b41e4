/* symbols.h - one module's symbols and debug information, by libdw. */
#ifndef ASSAY_SYMBOLS_SYMBOLS_H
#define ASSAY_SYMBOLS_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

struct symbols;

/* A location in a function. */
struct location {
    char *name, *signature, *file; /* file: the source file, or the module's name if it is unknown */
    uint32_t line;                 /* 0: not known */
    uint64_t position;             /* in the module's address space; for a call: of the function inlined there */
};

enum { LOCATIONS_MAX = 128 };

enum symbols_status { SYMBOLS_GOOD, SYMBOLS_MISSING, SYMBOLS_CHANGED };

/* Opens the module; build_id in hexadecimal, "" if it had none. The path "[vdso]" means the kernel's own. */
enum symbols_status symbols_open(const char *path, const char *build_id, struct symbols **out);
void symbols_close(struct symbols *symbols);

/*
 * The functions at a position, innermost first: locations[0] is the one whose code it is; each of the others is the one
 * that the previous was inlined into. Returns their number; 0 if not even a symbol is known. To be freed with
 * symbols_free_locations().
 */
size_t symbols_lookup(struct symbols *symbols, uint64_t position, struct location locations[LOCATIONS_MAX]);

/*
 * The functions around the loop whose header begins at a position: locations[0] is the one that contains the loop in
 * the source, at the loop's line. That is the smallest line of the jumps that go back to the header or leave the loop;
 * those in inlined functions count with the line of the call. If none has a line, it is that of all instructions of the
 * loop; loops within it never count. If there is no such loop, or no debug information, the result is that of
 * symbols_lookup().
 */
size_t symbols_lookup_loop(struct symbols *symbols, uint64_t header, struct location locations[LOCATIONS_MAX]);

void symbols_free_locations(struct location *locations, size_t count);

#endif

/*
 * symbol_table.h - the functions that an ELF file names.
 */
#ifndef ASSAY_CHOSEN_FUNCTIONS_SYMBOL_TABLE_H
#define ASSAY_CHOSEN_FUNCTIONS_SYMBOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/symbols/elf_image.h"

struct symbol {
    uint64_t begin, bytes; /* as in the file */
    const char *name;      /* the linker's; in the file's image */
};

struct symbol_table {
    struct symbol *symbols; /* [count], rising in begin */
    size_t count;
    struct elf_image image;
};

/*
 * Reads .symtab, or .dynsym of a file without one. Maps the file, which stays mapped until symbol_table_free(). False,
 * and *table is empty, if the file can't be read, is damaged, or names no function. O(n log n).
 */
bool symbol_table_read(const char *path, struct symbol_table *table);
void symbol_table_free(struct symbol_table *table);

/* The index of the first symbol that begins above `position`. O(log n). */
size_t symbol_table_above(const struct symbol_table *table, uint64_t position);

#endif

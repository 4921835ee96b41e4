/*
 * elf_image.h - a 64-bit ELF file mapped as on disk, and its symbol tables. For agents, which do not use libelf.
 */
#ifndef ASSAY_SYMBOLS_ELF_IMAGE_H
#define ASSAY_SYMBOLS_ELF_IMAGE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_image {
    const void *bytes; /* [size]; NULL: nothing is mapped */
    size_t size;
};

struct elf_image_table {
    const Elf64_Sym *symbols; /* [count]; st_name may be names_size or more */
    size_t count;
    const char *names; /* [names_size], which ends with a NUL */
    size_t names_size;
};

/* Maps the file, read-only, until elf_image_unmap(). False, and *image is untouched, if it is not a regular file, is
 * empty, or can't be read. The contents are not checked. */
bool elf_image_map(const char *path, struct elf_image *image);
void elf_image_unmap(struct elf_image *image);

/* The first table of symbols of a type (SHT_SYMTAB, SHT_DYNSYM), which lies in the image. False, and *table is
 * untouched, if there is none, if it or its names do not lie wholly in the file, or for what is not a 64-bit ELF file.
 * Cost: the number of sections. */
bool elf_image_table(const struct elf_image *image, uint32_t type, struct elf_image_table *table);

/* The bytes that the file's program headers put at [address, address + bytes), which lie in the image: what runs there
 * may have been patched or unmapped meanwhile. NULL if they are not all in the file, or it is not a 64-bit ELF file.
 * Cost: the number of program headers. */
const uint8_t *elf_image_at(const struct elf_image *image, uint64_t address, uint64_t bytes);

#endif

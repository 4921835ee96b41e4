/*
 * elf_names.h - the functions of a name in an ELF file, static ones too.
 */
#ifndef ASSAY_INJECT_NATIVE_ELF_NAMES_H
#define ASSAY_INJECT_NATIVE_ELF_NAMES_H

#include <stdbool.h>
#include <stdint.h>

enum { ELF_NAME_MAX = 256 };

/* A requested name: [FILE:]NAME, where FILE is that of the program, the library or the source. */
struct elf_name {
    char file[ELF_NAME_MAX]; /* or "" */
    char name[ELF_NAME_MAX]; /* the symbol; or the C++ name, with or without parameters */
    char word[ELF_NAME_MAX]; /* its last identifier, which is part of every symbol of that name */
};

struct elf_function {
    uint64_t address, bytes;     /* as in the file */
    bool is_static;              /* known to its own source file only */
    char text[3 * ELF_NAME_MAX]; /* its unambiguous name: FILE:NAME(PARAMETERS) */
};

/* False if it is too long, or empty. */
bool elf_names_read(const char *text, struct elf_name *name);

/* Calls each() for the functions of the name that the file defines, if the file calls hooks at all (true then). Names
 * of pieces and copies that a compiler made of a function are ignored, since hooks pass the function's own address.
 * False also for what is not a 64-bit ELF file, or is damaged. */
bool elf_names_find(const char *path, const struct elf_name *name,
                    void (*each)(void *user, const struct elf_function *found), void *user);

#endif

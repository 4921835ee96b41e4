/*
 * symbols.h - the functions with a given name in an ELF file, including static ones.
 */
#ifndef ASSAY_INJECT_NATIVE_SYMBOLS_H
#define ASSAY_INJECT_NATIVE_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

enum { SYMBOLS_NAME_MAX = 256 };

/* A requested name: [FILE:]NAME, where FILE is that of the program, the library or the source. */
struct symbols_name {
    char file[SYMBOLS_NAME_MAX]; /* or "" */
    char name[SYMBOLS_NAME_MAX]; /* the symbol; or the C++ name, with or without parameters */
    char word[SYMBOLS_NAME_MAX]; /* its last identifier, which is part of every symbol of that name */
};

struct symbols_found {
    uint64_t address, bytes;         /* as in the file */
    bool is_static;                  /* known to its own source file only */
    char text[3 * SYMBOLS_NAME_MAX]; /* its unambiguous name: FILE:NAME(PARAMETERS) */
};

/* False if it is too long, or empty. */
bool symbols_read_name(const char *text, struct symbols_name *name);

/* Calls each() for the functions of the name that the file defines, if the file calls hooks at all (true then). Names
 * of pieces and copies that a compiler made of a function are ignored, since hooks pass the function's own address.
 * False also for what is not a 64-bit ELF file, or is damaged. */
bool symbols_find(const char *path, const struct symbols_name *name,
                  void (*each)(void *user, const struct symbols_found *found), void *user);

#endif

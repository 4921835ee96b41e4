/* demangle.h - symbols as programmers wrote them (C++, Rust, D). */
#ifndef ASSAY_SYMBOLS_DEMANGLE_H
#define ASSAY_SYMBOLS_DEMANGLE_H

/*
 * Splits a linker symbol into the qualified name and the parameters ("" for C and if they are unknown). What a compiler
 * added to name a piece of the function (".cold", ".part.0") is dropped. Both are the caller's to free. 0, or ENOMEM.
 */
int demangle(const char *symbol, char **name, char **signature);

#endif

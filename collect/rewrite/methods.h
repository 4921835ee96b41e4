/*
 * methods.h - rewritten methods: names, and where their accesses and calls are.
 *
 * A description has, little-endian: its size up to the words (4 bytes, a multiple of 8), the numbers of accesses, of
 * calls and of loops (4 each), the names of class, method, descriptor and source file, each NUL-terminated; then words
 * of 8 bytes. One for each access and each call: bits 0-15 the bytecode index, 16-31 the line; of an access 32-39 its
 * kind, 40-55 the number of the innermost loop around it (from 1; 0: none); of a call, in a class with two bodies for
 * each method (java/assay/accesses/Bodies.java), 32-47 and 48-63 the bytecode indexes in what the rewriter made: in the
 * body without probes and in that with them. Then another one for each call: bits 0-15 the loop around it, bit 16: it
 * calls another constructor for the same object. And one for each loop: bits 0-15 the bytecode index of its header,
 * 16-31 its line, 32-47 the loop around it.
 */
#ifndef ASSAY_REWRITE_METHODS_H
#define ASSAY_REWRITE_METHODS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kind: the binary logarithm of the size, and these. */
enum { KIND_SIZE = 3, KIND_FLOATING = 4, KIND_STORE = 8, KIND_REFERENCE = 16 };

/* Where the number of the loop around it is: in an access's word, in a loop's, and in a call's second word. */
enum { ACCESS_LOOP_SHIFT = 40, LOOP_AROUND_SHIFT = 32, CALL_LOOP_SHIFT = 0, LOOP_NUMBER = 0xffff };

struct method {
    const char *class_name, *name, *descriptor, *file;
    const uint64_t *accesses, *calls, *around_calls, *loops;
    uint32_t access_count, call_count, loop_count;
};

/* A number, from 1, for a method that gets a description later; 0 without memory. Any thread. */
uint32_t methods_reserve(void);

/* Keeps a description, which must stay where it is (aligned to 8 bytes). False: it is not one, or nothing has reserved
 * the number. Any thread. */
bool methods_define(uint32_t number, const void *description, size_t size);

/* A number for something else that has a class and a name, and neither accesses nor calls; 0 without memory. The texts
 * are copied. Any thread. */
uint32_t methods_name(const char *class_name, const char *name);

/* A class's signature, "Ljava/lang/String;", as its name, "java.lang.String", in place. */
char *methods_class_name(char *signature);

/* The number of a method: of several with these names (of classes of different loaders) that of the last one; 0: it is
 * not rewritten. `class_name` has dots. O(1), but for the methods that are new since the last call. Any thread. */
uint32_t methods_find(const char *class_name, const char *name, const char *descriptor);

/* False for numbers that are not known. Any thread. */
bool methods_at(uint32_t number, struct method *method);

#endif

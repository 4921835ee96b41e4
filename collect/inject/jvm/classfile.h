/*
 * classfile.h - gives a method of a class file work to do each time it is entered.
 *
 * The work is in the method's own bytecode, before its first instruction, so that a profiler that attributes it to the
 * method is right: a call of a helper would be another method's time. It counts its calls in a private static field of
 * the class, WORK_CALLS, and writes to another, so that no compiler can drop it. The rest of the class is unchanged,
 * except for type annotations in the method's code, whose offsets would be wrong.
 *
 * Source: Mytkowicz, Diwan, Hauswirth, Sweeney, PLDI 2010, §5.1 (Fibonacci numbers at a method's entry)
 * and §7.2 (an array of 1024 integers); the Java
 * Virtual Machine Specification, chapter 4.
 */
#ifndef ASSAY_INJECT_JVM_CLASSFILE_H
#define ASSAY_INJECT_JVM_CLASSFILE_H

#include <stddef.h>
#include <stdint.h>

#define WORK_CALLS "assay$calls"

enum classfile_kind {
    WORK_FIB,   /* `amount` rounds of iterative Fibonacci */
    WORK_ALLOC, /* `amount` objects of 16 bytes, each stored where other threads could see it */
    WORK_ARRAY  /* a new int[1024], then `amount` additions of two of its elements, chosen at random */
};

struct classfile_work {
    const char *method;     /* its name */
    const char *descriptor; /* or NULL: every method of that name */
    enum classfile_kind kind;
    uint32_t amount; /* 0: nothing is changed, the method is only searched for */
};

enum classfile_status {
    CLASSFILE_DONE,
    CLASSFILE_NOT_FOUND, /* no such method */
    CLASSFILE_NO_CODE,   /* abstract or native */
    CLASSFILE_INTERFACE, /* an interface has no fields that the work could feed */
    CLASSFILE_TOO_LARGE, /* the method or the constant pool would pass 65,535 */
    CLASSFILE_DAMAGED,
    CLASSFILE_NO_MEMORY
};

struct classfile_result {
    uint8_t *bytes; /* the class with work, for free(); NULL with amount 0 */
    size_t size;
    uint32_t methods;                   /* that got work, or would */
    uint32_t bytes_before, bytes_after; /* of bytecode, of the largest of them; equal with amount 0 */
};

/* O(length). Leaves *result untouched unless CLASSFILE_DONE. */
enum classfile_status classfile_inject(const uint8_t *bytes, size_t length, const struct classfile_work *work,
                                       struct classfile_result *result);

/* The message for the user, after the method's name. */
const char *classfile_why(enum classfile_status status);

#endif

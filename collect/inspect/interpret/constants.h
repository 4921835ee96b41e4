/*
 * constants.h - the constant pool of a class, as the class file has it.
 *
 * Source: The Java Virtual Machine Specification, Java SE 17, §4.4.
 */
#ifndef ASSAY_INSPECT_INTERPRET_CONSTANTS_H
#define ASSAY_INSPECT_INTERPRET_CONSTANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum constant_tag {
    CONSTANT_UTF8 = 1,
    CONSTANT_INTEGER = 3,
    CONSTANT_FLOAT = 4,
    CONSTANT_LONG = 5,
    CONSTANT_DOUBLE = 6,
    CONSTANT_CLASS = 7,
    CONSTANT_STRING = 8,
    CONSTANT_FIELD = 9,
    CONSTANT_METHOD = 10,
    CONSTANT_INTERFACE_METHOD = 11,
    CONSTANT_NAME_AND_TYPE = 12,
    CONSTANT_METHOD_HANDLE = 15,
    CONSTANT_METHOD_TYPE = 16,
    CONSTANT_DYNAMIC = 17,
    CONSTANT_INVOKE_DYNAMIC = 18,
    CONSTANT_MODULE = 19,
    CONSTANT_PACKAGE = 20
};

struct constants {
    const uint8_t *bytes; /* the caller's, which must outlive it */
    uint32_t *at;         /* [count]: where each constant's tag is; 0: there is none with this number */
    uint32_t count;
    size_t size; /* of the constants, in bytes */
};

/* A text of the pool: not terminated, in modified UTF-8. */
struct constants_text {
    const char *text; /* NULL: there is none */
    size_t length;
};

/* A field or a method that a constant names. */
struct constants_member {
    struct constants_text owner; /* "java/lang/String", "[I"; none for invokedynamic and dynamic constants */
    struct constants_text name, descriptor;
};

/* Finds `count` - 1 constants, as GetConstantPool() of the JVM TI gives them: bytes[size] begins with number 1; more
 * may follow the last one, as in a class file. False: they are not valid, or there is no memory. The first byte of the
 * pool has the position 1, so that 0 is none. */
bool constants_parse(struct constants *constants, uint32_t count, const uint8_t *bytes, size_t size);
void constants_free(struct constants *constants);

/* The constant's tag; 0: there is none with this number. */
unsigned constants_tag(const struct constants *constants, uint32_t number);
/* The 4 or 8 bytes of a number. */
uint64_t constants_number(const struct constants *constants, uint32_t number);
/* A text; none: the constant is another one. */
struct constants_text constants_utf8(const struct constants *constants, uint32_t number);
/* The name of a class. */
struct constants_text constants_class(const struct constants *constants, uint32_t number);
/* False: it is none. */
bool constants_member(const struct constants *constants, uint32_t number, struct constants_member *member);

bool constants_text_is(const struct constants_text *text, const char *other);

#endif

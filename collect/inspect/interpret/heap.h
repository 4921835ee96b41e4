/*
 * heap.h - what a partial interpretation asks of the living heap. It answers without any effect on the program: it
 * loads, initializes and changes nothing.
 *
 * Objects are numbers from 1, the same number for the same object; 0 is null. Numbers from HEAP_PRIVATE on are not the
 * heap's: objects that the interpretation has made for itself.
 */
#ifndef ASSAY_INSPECT_INTERPRET_HEAP_H
#define ASSAY_INSPECT_INTERPRET_HEAP_H

#include <stdbool.h>
#include <stdint.h>

enum { HEAP_PRIVATE = 1 << 30 };

enum heap_truth { HEAP_UNKNOWN, HEAP_FALSE, HEAP_TRUE };

/* Where a field is. */
struct heap_field {
    uint32_t number; /* the heap's own */
    uint32_t holder; /* of a static field: the object that it is in */
    uint32_t offset; /* of its first byte, from its object's address */
};

/* In bytes, from the address of an array. */
struct heap_layout {
    uint32_t length;        /* where the length is, of 4 bytes */
    uint32_t elements[128]; /* where the first element is, by type as in descriptors ('L' for references) */
    uint32_t reference_bytes;
};

struct heap {
    void *user;
    const struct heap_layout *layout;
    /* The field that a constant of the method's class names; false: unknown, since its class is not loaded, or (static)
     * not initialized. */
    bool (*find_field)(void *user, uint32_t constant, bool is_static, struct heap_field *field);
    /* What a field of this type holds: bits of struct value. False: the object has no such field. */
    bool (*load_field)(void *user, uint32_t object, const struct heap_field *field, char type, uint64_t *bits);
    /* The length of an array with elements of this type ('B' for booleans, too); false: it is none. */
    bool (*length)(void *user, uint32_t array, char type, uint32_t *length);
    /* The length of any array. */
    bool (*any_length)(void *user, uint32_t array, uint32_t *length);
    /* An element of such an array, whose index is below its length. */
    bool (*load_element)(void *user, uint32_t array, char type, uint32_t index, uint64_t *bits);
    /* Whether an object is an instance of the class that a constant names. */
    enum heap_truth (*is_instance)(void *user, uint32_t object, uint32_t constant);
    /* The address of an object; 0: unknown. */
    uint64_t (*address)(void *user, uint32_t object);
};

#endif

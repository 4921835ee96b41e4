/*
 * class_file.h - a class file: its names, and the code of its methods.
 *
 * Source: The Java Virtual Machine Specification, Java SE 17, chapter 4.
 */
#ifndef ASSAY_INSPECT_CLASSFILE_CLASS_FILE_H
#define ASSAY_INSPECT_CLASSFILE_CLASS_FILE_H

#include "collect/inspect/interpret/constants.h"

struct class_method {
    struct constants_text name, descriptor;
    bool is_static;
    const uint8_t *code; /* [bytes]; NULL: it is abstract or native */
    uint32_t bytes, local_count;
    const uint8_t *lines; /* [line_count] of 4 bytes: a bytecode index and a line */
    uint32_t line_count;
};

struct class_file {
    uint8_t *bytes; /* owned; all the others point into it */
    size_t size;
    struct constants constants;
    struct constants_text name, super, source; /* "java/util/Map$Entry"; super, source: none if text is NULL */
    bool is_interface;
    struct constants_text *interfaces; /* [interface_count] */
    uint32_t interface_count;
    struct class_method *methods; /* [method_count] */
    uint32_t method_count;
};

/* Takes bytes[size], from malloc(). False: it is not a whole class file, or there is no memory; then they are freed. */
bool class_file_parse(struct class_file *file, uint8_t *bytes, size_t size);
void class_file_free(struct class_file *file);

#endif

#include "collect/inspect/classfile/class_file.h"

#include <stdlib.h>
#include <string.h>

#include "collect/inspect/interpret/cursor.h"

/* The bytes of an attribute; its name. */
static struct cursor class_file_read_attribute(struct cursor *cursor, const struct constants *constants,
                                               struct constants_text *name)
{
    *name = constants_utf8(constants, cursor_read32(cursor, 2));
    uint32_t bytes = cursor_read32(cursor, 4);
    const uint8_t *at = cursor_skip(cursor, bytes);
    return at ? (struct cursor){.at = at, .end = at + bytes} : (struct cursor){.cut = true};
}

static void class_file_read_code(struct class_method *method, const struct constants *constants,
                                 struct cursor attribute)
{
    cursor_read32(&attribute, 2); /* the depth of the stack */
    method->local_count = cursor_read32(&attribute, 2);
    method->bytes = cursor_read32(&attribute, 4);
    method->code = cursor_skip(&attribute, method->bytes);
    cursor_skip(&attribute, (size_t)cursor_read32(&attribute, 2) * 8); /* exception handlers */
    for (uint32_t left = cursor_read32(&attribute, 2); left > 0 && !attribute.cut; left--) {
        struct constants_text name;
        struct cursor inner = class_file_read_attribute(&attribute, constants, &name);
        uint32_t count = cursor_read32(&inner, 2);
        const uint8_t *lines = cursor_skip(&inner, (size_t)count * 4);
        if (lines && constants_text_is(&name, "LineNumberTable") && !method->lines) {
            method->lines = lines;
            method->line_count = count;
        }
    }
}

/* Fields and methods alike; `method` NULL: it is not kept. */
static void class_file_read_member(struct cursor *cursor, const struct constants *constants,
                                   struct class_method *method)
{
    enum { STATIC = 0x8 };
    struct class_method unused;
    method = method ? method : &unused;
    *method = (struct class_method){.is_static = cursor_read32(cursor, 2) & STATIC};
    method->name = constants_utf8(constants, cursor_read32(cursor, 2));
    method->descriptor = constants_utf8(constants, cursor_read32(cursor, 2));
    cursor->cut |= !method->name.text || !method->descriptor.text;
    for (uint32_t left = cursor_read32(cursor, 2); left > 0 && !cursor->cut; left--) {
        struct constants_text name;
        struct cursor attribute = class_file_read_attribute(cursor, constants, &name);
        if (constants_text_is(&name, "Code"))
            class_file_read_code(method, constants, attribute);
    }
}

bool class_file_parse(struct class_file *file, uint8_t *bytes, size_t size)
{
    enum { MAGIC = 0xCAFEBABE, INTERFACE = 0x200 };
    struct cursor cursor = {.at = bytes, .end = bytes + size};
    *file = (struct class_file){.bytes = bytes, .size = size};
    bool good = cursor_read32(&cursor, 4) == MAGIC;
    cursor_read32(&cursor, 4); /* the version */
    uint32_t count = cursor_read32(&cursor, 2);
    good = good && !cursor.cut &&
           constants_parse(&file->constants, count, cursor.at, (size_t)(cursor.end - cursor.at)) &&
           cursor_skip(&cursor, file->constants.size);
    if (good) {
        file->is_interface = cursor_read32(&cursor, 2) & INTERFACE;
        file->name = constants_class(&file->constants, cursor_read32(&cursor, 2));
        file->super = constants_class(&file->constants, cursor_read32(&cursor, 2));
        good = file->name.text;
        if (good) {
            file->interface_count = cursor_read32(&cursor, 2);
            file->interfaces = calloc((size_t)file->interface_count + 1, sizeof *file->interfaces);
            for (uint32_t i = 0; file->interfaces && i < file->interface_count; i++)
                file->interfaces[i] = constants_class(&file->constants, cursor_read32(&cursor, 2));
            good = file->interfaces;
        }
        if (good) {
            for (uint32_t left = cursor_read32(&cursor, 2); left > 0 && !cursor.cut; left--)
                class_file_read_member(&cursor, &file->constants, NULL);
            file->method_count = cursor_read32(&cursor, 2);
            file->methods = calloc((size_t)file->method_count + 1, sizeof *file->methods);
            for (uint32_t i = 0; file->methods && i < file->method_count && !cursor.cut; i++)
                class_file_read_member(&cursor, &file->constants, &file->methods[i]);
            good = file->methods;
        }
    }
    for (uint32_t left = good ? cursor_read32(&cursor, 2) : 0; left > 0 && !cursor.cut; left--) {
        struct constants_text name;
        struct cursor attribute = class_file_read_attribute(&cursor, &file->constants, &name);
        if (constants_text_is(&name, "SourceFile"))
            file->source = constants_utf8(&file->constants, cursor_read32(&attribute, 2));
    }
    if (good && !cursor.cut)
        return true;
    class_file_free(file);
    return false;
}

void class_file_free(struct class_file *file)
{
    constants_free(&file->constants);
    free(file->interfaces);
    free(file->methods);
    free(file->bytes);
    *file = (struct class_file){.bytes = NULL};
}

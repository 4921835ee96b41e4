#include "collect/inspect/heapdump/dump_types.h"

#include <string.h>

/* More types than these lead to each other only in damaged files. */
enum { DEPTH_MAX = 1000 };

static bool dump_types_names_match(const struct constants_text *a, const struct constants_text *b)
{
    return a->text && b->text && a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

/* Whether a class or interface with this file has the interface. */
static enum heap_truth dump_types_has_interface(const struct dump_types *types, const struct class_file *file,
                                                const struct constants_text *name, uint32_t depth)
{
    enum heap_truth truth = depth < DEPTH_MAX ? HEAP_FALSE : HEAP_UNKNOWN;
    for (uint32_t i = 0; i < file->interface_count && depth < DEPTH_MAX; i++) {
        const struct constants_text *own = &file->interfaces[i];
        if (dump_types_names_match(own, name))
            return HEAP_TRUE;
        const struct class_file *of_own = own->text ? class_path_find(types->path, own->text, own->length) : NULL;
        enum heap_truth above = of_own ? dump_types_has_interface(types, of_own, name, depth + 1) : HEAP_UNKNOWN;
        if (above == HEAP_TRUE)
            return above;
        truth = above == HEAP_UNKNOWN ? above : truth;
    }
    return truth;
}

static enum heap_truth dump_types_extends_or_has(const struct dump_types *types, uint32_t class,
                                                 const struct constants_text *name, uint64_t loader)
{
    uint32_t wanted = heap_dump_class_meant(types->dump, name->text, name->length, loader);
    enum heap_truth truth = HEAP_FALSE;
    if (wanted && heap_dump_extends(types->dump, class, wanted))
        return HEAP_TRUE;
    const struct class_file *meant = class_path_find(types->path, name->text, name->length);
    bool is_interface = meant ? meant->is_interface : !wanted || !types->dump->classes[wanted].is_super;
    if (!is_interface)
        return wanted ? HEAP_FALSE : HEAP_UNKNOWN;
    for (uint32_t depth = 0; class && depth < DEPTH_MAX; class = heap_dump_super(types->dump, class), depth++) {
        struct constants_text own = heap_dump_class_name(types->dump, class);
        const struct class_file *file = own.text ? class_path_find(types->path, own.text, own.length) : NULL;
        if (constants_text_is(&own, "java/lang/Object"))
            break;
        enum heap_truth here = file ? dump_types_has_interface(types, file, name, 0) : HEAP_UNKNOWN;
        if (here == HEAP_TRUE)
            return here;
        truth = here == HEAP_UNKNOWN ? here : truth;
    }
    return truth;
}

/* "[Ljava/lang/String;" is an array of "java/lang/String", "[[I" one of "[I"; of a primitive type: none. */
static struct constants_text dump_types_element_name(const struct constants_text *array)
{
    if (array->length > 3 && array->text[1] == 'L')
        return (struct constants_text){array->text + 2, array->length - 3};
    if (array->length > 2 && array->text[1] == '[')
        return (struct constants_text){array->text + 1, array->length - 1};
    return (struct constants_text){NULL, 0};
}

/* Whether an array type is another type. */
static enum heap_truth dump_types_array_is(const struct dump_types *types, struct constants_text own,
                                           struct constants_text name, uint64_t loader)
{
    while (!dump_types_names_match(&own, &name)) {
        if (name.length == 0 || *name.text != '[')
            return (constants_text_is(&name, "java/lang/Object") || constants_text_is(&name, "java/lang/Cloneable") ||
                    constants_text_is(&name, "java/io/Serializable"))
                       ? HEAP_TRUE
                       : HEAP_FALSE;
        own = dump_types_element_name(&own);
        name = dump_types_element_name(&name);
        if (!own.text || !name.text)
            return HEAP_FALSE;
        if (own.length > 0 && *own.text != '[') {
            uint32_t class = heap_dump_class_meant(types->dump, own.text, own.length, loader);
            return class && *name.text != '[' ? dump_types_extends_or_has(types, class, &name, loader)
                   : *name.text == '['        ? HEAP_FALSE
                                              : HEAP_UNKNOWN;
        }
    }
    return HEAP_TRUE;
}

enum heap_truth dump_types_is(const struct dump_types *types, const struct hprof_item *object,
                              const struct constants_text *name, uint64_t loader)
{
    static const char CLASS[] = "java/lang/Class";
    const char primitive[] = {'[', object->type, '\0'};
    uint32_t class = object->tag == HPROF_CLASS ? heap_dump_class_named(types->dump, CLASS, sizeof CLASS - 1)
                                                : heap_dump_class(types->dump, object->class_id);
    if (!name->text)
        return HEAP_UNKNOWN;
    if (constants_text_is(name, "java/lang/Object"))
        return HEAP_TRUE;
    if (object->tag == HPROF_PRIMITIVE_ARRAY)
        return dump_types_array_is(types, (struct constants_text){primitive, 2}, *name, loader);
    if (!class)
        return HEAP_UNKNOWN;
    if (object->tag == HPROF_OBJECT_ARRAY)
        return dump_types_array_is(types, heap_dump_class_name(types->dump, class), *name, loader);
    return *name->text == '[' ? HEAP_FALSE : dump_types_extends_or_has(types, class, name, loader);
}

#include "collect/inject/jvm/classfile_parts.h"

enum { ACC_NATIVE = 0x0100, ACC_INTERFACE = 0x0200, ACC_ABSTRACT = 0x0400, ACC_STATIC = 0x0008 };
enum { FIELD_ACCESS = 0x100a, FIELD_ACCESS_VOLATILE = 0x104a }; /* private static synthetic */

/* ------------------------------------------------------------------------------------ constant pool -- */

static bool classfile_read_pool(struct class *class)
{
    static const uint8_t sizes[] = {[3] = 4,  [4] = 4,  [5] = 8,  [6] = 8,  [7] = 2,  [8] = 2,  [9] = 4,  [10] = 4,
                                    [11] = 4, [12] = 4, [15] = 3, [16] = 2, [17] = 4, [18] = 4, [19] = 2, [20] = 2};
    struct reader *in = &class->in;
    class->pool = in->bytes + in->at;
    for (uint32_t i = 1; i < class->pool_count && !in->bad; i++) {
        uint32_t tag = reader_get(in, 1);
        if (tag == 1) {
            class->texts[i] = in->bytes + in->at;
            reader_take(in, reader_get(in, 2));
        } else if (tag < sizeof sizes && sizes[tag]) {
            reader_take(in, sizes[tag]);
            i += tag == 5 || tag == 6; /* long and double count twice */
        } else {
            in->bad = true;
        }
    }
    class->pool_end = in->bytes + in->at;
    return !in->bad;
}

enum { CONSTANT_INTEGER = 3, CONSTANT_CLASS = 7, CONSTANT_FIELD = 9, CONSTANT_NAME_AND_TYPE = 12 };
enum { CONSTANTS_ADDED = 15 };
/* Random numbers: x = x * MULTIPLIER + INCREMENT modulo 2^32 (Knuth and Lewis; Numerical Recipes, section 7.1). */
enum { MULTIPLIER = 1664525, INCREMENT = 1013904223 };

static uint32_t classfile_add_text(struct writer *out, uint32_t *count, const char *text)
{
    writer_put(out, 1, 1);
    writer_put(out, (uint32_t)strlen(text), 2);
    writer_put_bytes(out, text, strlen(text));
    return (*count)++;
}

static uint32_t classfile_add_pair(struct writer *out, uint32_t *count, uint32_t tag, uint32_t a, uint32_t b)
{
    writer_put(out, tag, 1);
    writer_put(out, a, 2);
    writer_put(out, b, 2);
    return (*count)++;
}

static uint32_t classfile_add_integer(struct writer *out, uint32_t *count, uint32_t value)
{
    writer_put(out, CONSTANT_INTEGER, 1);
    writer_put(out, value, 4);
    return (*count)++;
}

/* Adds at most CONSTANTS_ADDED constants. */
static void classfile_write_pool(struct class *class, const struct classfile_work *work, struct writer *out)
{
    uint32_t count = class->pool_count;
    size_t at = out->size;
    writer_put(out, 0, 2);
    writer_put_bytes(out, class->pool, (size_t)(class->pool_end - class->pool));
    class->calls_name = classfile_add_text(out, &count, WORK_CALLS);
    class->long_type = classfile_add_text(out, &count, "J");
    class->sink_name = classfile_add_text(out, &count, "assay$sink");
    class->sink_type = classfile_add_text(out, &count, work->kind == WORK_ALLOC ? "Ljava/lang/Object;" : "I");
    class->frames_name = classfile_add_text(out, &count, "StackMapTable");
    uint32_t calls = classfile_add_pair(out, &count, CONSTANT_NAME_AND_TYPE, class->calls_name, class->long_type);
    uint32_t sink = classfile_add_pair(out, &count, CONSTANT_NAME_AND_TYPE, class->sink_name, class->sink_type);
    class->calls = classfile_add_pair(out, &count, CONSTANT_FIELD, class->this_class, calls);
    class->sink = classfile_add_pair(out, &count, CONSTANT_FIELD, class->this_class, sink);
    class->amount = classfile_add_integer(out, &count, work->amount);
    if (work->kind == WORK_ARRAY) {
        uint32_t name = classfile_add_text(out, &count, "[I");
        writer_put(out, CONSTANT_CLASS, 1);
        writer_put(out, name, 2);
        class->array = count++;
        class->multiplier = classfile_add_integer(out, &count, MULTIPLIER);
        class->increment = classfile_add_integer(out, &count, INCREMENT);
    }
    assert(count - class->pool_count <= CONSTANTS_ADDED);
    writer_set(out, at, count, 2);
}

/* -------------------------------------------------------------------------------------------- code -- */
/* ----------------------------------------------------------------------------------------- members -- */

/* Slots of local variables for the arguments, including `this`. */
static uint32_t classfile_argument_slots(const uint8_t *descriptor, bool is_static)
{
    uint32_t slots = is_static ? 0 : 1, length = class_number_at(descriptor, 2);
    const uint8_t *at = descriptor + 2, *end = at + length;
    for (at++; at < end && *at != ')'; at++) {
        bool array = *at == '[';
        slots += !array && (*at == 'J' || *at == 'D') ? 2 : 1;
        while (at < end && *at == '[')
            at++;
        while (at < end && *at == 'L' && (at = memchr(at, ';', (size_t)(end - at))) == NULL)
            return slots;
    }
    return slots;
}

static void classfile_copy_attribute(struct reader *in, struct writer *out)
{
    writer_put(out, reader_get(in, 2), 2);
    uint32_t size = reader_get(in, 4);
    writer_put(out, size, 4);
    writer_put_bytes(out, reader_take(in, size), size);
}

static void classfile_copy_fields(struct class *class, const struct classfile_work *work, struct writer *out)
{
    struct reader *in = &class->in;
    uint32_t count = reader_get(in, 2);
    writer_put(out, count + 2, 2);
    for (uint32_t i = 0; i < count && !in->bad; i++) {
        writer_put_bytes(out, reader_take(in, 6), 6);
        uint32_t attributes = reader_get(in, 2);
        writer_put(out, attributes, 2);
        for (uint32_t j = 0; j < attributes && !in->bad; j++)
            classfile_copy_attribute(in, out);
    }
    const uint32_t fields[][3] = {
        {FIELD_ACCESS, class->calls_name, class->long_type},
        {work->kind == WORK_ALLOC ? FIELD_ACCESS_VOLATILE : FIELD_ACCESS, class->sink_name, class->sink_type}};
    for (size_t i = 0; i < 2; i++) {
        for (size_t j = 0; j < 3; j++)
            writer_put(out, fields[i][j], 2);
        writer_put(out, 0, 2);
    }
}

static enum classfile_status classfile_copy_method(struct class *class, const struct classfile_work *work,
                                                   struct classfile_result *found, struct writer *out)
{
    struct reader *in = &class->in;
    uint32_t access = reader_get(in, 2), name = reader_get(in, 2), descriptor = reader_get(in, 2),
             attributes = reader_get(in, 2);
    bool wanted = class_text_is(class, name, work->method) &&
                  (!work->descriptor || class_text_is(class, descriptor, work->descriptor)) &&
                  descriptor < class->pool_count && class->texts[descriptor];
    enum classfile_status status =
        wanted && (access & (ACC_NATIVE | ACC_ABSTRACT)) ? CLASSFILE_NO_CODE : CLASSFILE_DONE;
    writer_put(out, access, 2);
    writer_put(out, name, 2);
    writer_put(out, descriptor, 2);
    writer_put(out, attributes, 2);
    for (uint32_t i = 0; i < attributes && !in->bad && (!status || status == CLASSFILE_NO_CODE); i++) {
        uint32_t attribute = class_number_at(in->size - in->at < 2 ? (const uint8_t *)"\0" : in->bytes + in->at, 2);
        if (!wanted || !class_text_is(class, attribute, "Code")) {
            classfile_copy_attribute(in, out);
            continue;
        }
        writer_put(out, reader_get(in, 2), 2);
        struct reader code = reader_take_part(in, reader_get(in, 4));
        if (!code.bad)
            status = classfile_write_code(class, &code, work,
                                          classfile_argument_slots(class->texts[descriptor], access & ACC_STATIC),
                                          found, out);
        in->bad |= code.bad;
    }
    return status;
}

/* Some methods of the name may be abstract as long as one of them has code. */
static enum classfile_status classfile_copy_methods(struct class *class, const struct classfile_work *work,
                                                    struct classfile_result *found, struct writer *out)
{
    struct reader *in = &class->in;
    enum classfile_status status = CLASSFILE_DONE;
    bool without_code = false;
    uint32_t count = reader_get(in, 2);
    writer_put(out, count, 2);
    for (uint32_t i = 0; i < count && !in->bad && !status; i++) {
        status = classfile_copy_method(class, work, found, out);
        if (status == CLASSFILE_NO_CODE) {
            status = CLASSFILE_DONE;
            without_code = true;
        }
    }
    if (status || found->methods > 0)
        return status;
    return without_code ? CLASSFILE_NO_CODE : CLASSFILE_NOT_FOUND;
}

static enum classfile_status classfile_rewrite(struct class *class, const struct classfile_work *work,
                                               struct classfile_result *found, struct writer *out)
{
    struct reader *in = &class->in;
    if (reader_get(in, 4) != 0xcafebabe)
        return CLASSFILE_DAMAGED;
    uint32_t minor = reader_get(in, 2);
    class->major = reader_get(in, 2);
    class->pool_count = reader_get(in, 2);
    class->texts = calloc((size_t) class->pool_count + 1, sizeof *class->texts);
    if (!class->texts)
        return CLASSFILE_NO_MEMORY;
    if (!classfile_read_pool(class))
        return CLASSFILE_DAMAGED;
    if (class->pool_count + CONSTANTS_ADDED - 1 > LIMIT)
        return CLASSFILE_TOO_LARGE;
    class->access = reader_get(in, 2);
    class->this_class = reader_get(in, 2);
    writer_put(out, 0xcafebabe, 4);
    writer_put(out, minor, 2);
    writer_put(out, class->major, 2);
    classfile_write_pool(class, work, out);
    writer_put(out, class->access, 2);
    writer_put(out, class->this_class, 2);
    writer_put(out, reader_get(in, 2), 2);
    uint32_t interfaces = reader_get(in, 2);
    writer_put(out, interfaces, 2);
    writer_put_bytes(out, reader_take(in, (size_t)2 * interfaces), (size_t)2 * interfaces);
    classfile_copy_fields(class, work, out);
    enum classfile_status status = classfile_copy_methods(class, work, found, out);
    writer_put_bytes(out, in->bytes + in->at, in->size - in->at); /* the class's own attributes */
    if (!status && (class->access & ACC_INTERFACE) && work->amount)
        status = CLASSFILE_INTERFACE;
    return in->bad ? CLASSFILE_DAMAGED : out->full ? CLASSFILE_NO_MEMORY : status;
}

enum classfile_status classfile_inject(const uint8_t *bytes, size_t length, const struct classfile_work *work,
                                       struct classfile_result *result)
{
    struct class class = {.in = {.bytes = bytes, .size = length}};
    struct writer out = {0};
    struct classfile_result found = {0};
    enum classfile_status status = classfile_rewrite(&class, work, &found, &out);
    free(class.texts);
    if (status || work->amount == 0) {
        free(out.bytes);
        out = (struct writer){0};
    }
    if (!status) {
        found.bytes = out.bytes;
        found.size = out.size;
        *result = found;
    }
    return status;
}

const char *classfile_why(enum classfile_status status)
{
    static const char *const texts[] = {
        [CLASSFILE_DONE] = "has work",
        [CLASSFILE_NOT_FOUND] = "its class has no method of that name",
        [CLASSFILE_NO_CODE] = "is abstract or native: name a method that has bytecode",
        [CLASSFILE_INTERFACE] = "belongs to an interface: name a method of a class that calls it",
        [CLASSFILE_TOO_LARGE] = "leaves no room for work within the JVM's limit of 65,535",
        [CLASSFILE_DAMAGED] = "is in a class file that can't be read",
        [CLASSFILE_NO_MEMORY] = "got no work for lack of memory"};
    return texts[status];
}

#include "collect/inject/jvm/classfile.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { ACC_NATIVE = 0x0100, ACC_INTERFACE = 0x0200, ACC_ABSTRACT = 0x0400, ACC_STATIC = 0x0008 };
enum { FIELD_ACCESS = 0x100a, FIELD_ACCESS_VOLATILE = 0x104a }; /* private static synthetic */
enum { LIMIT = 65535, FIRST_MAJOR_WITH_FRAMES = 50 };

/* ----------------------------------------------------------------------------------------- reading -- */

struct reader {
    const uint8_t *bytes;
    size_t size, at;
    bool bad; /* it has been read beyond the end */
};

static const uint8_t *take(struct reader *in, size_t count)
{
    if (count > in->size - in->at) {
        in->bad = true;
        in->at = in->size;
        return NULL;
    }
    in->at += count;
    return in->bytes + in->at - count;
}

static uint32_t number_at(const uint8_t *bytes, size_t width)
{
    uint32_t value = 0;
    for (size_t i = 0; i < width; i++)
        value = value << 8 | bytes[i];
    return value;
}

static uint32_t get(struct reader *in, size_t width)
{
    const uint8_t *bytes = take(in, width);
    return bytes ? number_at(bytes, width) : 0;
}

static struct reader part(struct reader *in, size_t size)
{
    const uint8_t *bytes = take(in, size);
    return (struct reader){.bytes = bytes, .size = bytes ? size : 0, .bad = !bytes};
}

/* ----------------------------------------------------------------------------------------- writing -- */

struct writer {
    uint8_t *bytes;
    size_t size, room;
    bool full; /* no memory */
};

/* Nothing if bytes are NULL, as from take() beyond the end. */
static void put_bytes(struct writer *out, const void *bytes, size_t count)
{
    if (!bytes)
        return;
    if (!out->full && count > out->room - out->size) {
        size_t room = 2 * (out->room + count);
        uint8_t *grown = realloc(out->bytes, room);
        out->full = !grown;
        if (grown) {
            out->bytes = grown;
            out->room = room;
        }
    }
    if (out->full || count == 0)
        return;
    memcpy(out->bytes + out->size, bytes, count);
    out->size += count;
}

static void put(struct writer *out, uint32_t value, size_t width)
{
    uint8_t bytes[4];
    for (size_t i = 0; i < width; i++)
        bytes[i] = (uint8_t)(value >> 8 * (width - 1 - i));
    put_bytes(out, bytes, width);
}

static void set(struct writer *out, size_t at, uint32_t value, size_t width)
{
    for (size_t i = 0; i < width && !out->full; i++)
        out->bytes[at + i] = (uint8_t)(value >> 8 * (width - 1 - i));
}

/* ------------------------------------------------------------------------------------ constant pool -- */

struct class
{
    struct reader in;
    uint32_t major, pool_count, access, this_class;
    const uint8_t **texts; /* [pool_count]: a Utf8 constant, from its length on; NULL: another */
    const uint8_t *pool, *pool_end;
    /* added constants, by their numbers */
    uint32_t calls, sink, amount, calls_name, sink_name, long_type, sink_type, frames_name;
};

static bool read_pool(struct class *class)
{
    static const uint8_t sizes[] = {[3] = 4,  [4] = 4,  [5] = 8,  [6] = 8,  [7] = 2,  [8] = 2,  [9] = 4,  [10] = 4,
                                    [11] = 4, [12] = 4, [15] = 3, [16] = 2, [17] = 4, [18] = 4, [19] = 2, [20] = 2};
    struct reader *in = &class->in;
    class->pool = in->bytes + in->at;
    for (uint32_t i = 1; i < class->pool_count && !in->bad; i++) {
        uint32_t tag = get(in, 1);
        if (tag == 1) {
            class->texts[i] = in->bytes + in->at;
            take(in, get(in, 2));
        } else if (tag < sizeof sizes && sizes[tag]) {
            take(in, sizes[tag]);
            i += tag == 5 || tag == 6; /* long and double count twice */
        } else {
            in->bad = true;
        }
    }
    class->pool_end = in->bytes + in->at;
    return !in->bad;
}

static bool text_is(const struct class *class, uint32_t index, const char *text)
{
    const uint8_t *found = index < class->pool_count ? class->texts[index] : NULL;
    size_t length = strlen(text);
    return found && number_at(found, 2) == length && memcmp(found + 2, text, length) == 0;
}

static uint32_t add_text(struct writer *out, uint32_t *count, const char *text)
{
    put(out, 1, 1);
    put(out, (uint32_t)strlen(text), 2);
    put_bytes(out, text, strlen(text));
    return (*count)++;
}

static uint32_t add_pair(struct writer *out, uint32_t *count, uint32_t tag, uint32_t a, uint32_t b)
{
    put(out, tag, 1);
    put(out, a, 2);
    put(out, b, 2);
    return (*count)++;
}

enum { CONSTANT_INTEGER = 3, CONSTANT_FIELD = 9, CONSTANT_NAME_AND_TYPE = 12, CONSTANTS_ADDED = 11 };

static void write_pool(struct class *class, const struct classfile_work *work, struct writer *out)
{
    uint32_t count = class->pool_count;
    put(out, count + CONSTANTS_ADDED - 1, 2);
    put_bytes(out, class->pool, (size_t)(class->pool_end - class->pool));
    class->calls_name = add_text(out, &count, WORK_CALLS);
    class->long_type = add_text(out, &count, "J");
    class->sink_name = add_text(out, &count, "assay$sink");
    class->sink_type = add_text(out, &count, work->kind == WORK_FIB ? "I" : "Ljava/lang/Object;");
    class->frames_name = add_text(out, &count, "StackMapTable");
    uint32_t calls = add_pair(out, &count, CONSTANT_NAME_AND_TYPE, class->calls_name, class->long_type);
    uint32_t sink = add_pair(out, &count, CONSTANT_NAME_AND_TYPE, class->sink_name, class->sink_type);
    class->calls = add_pair(out, &count, CONSTANT_FIELD, class->this_class, calls);
    class->sink = add_pair(out, &count, CONSTANT_FIELD, class->this_class, sink);
    class->amount = count++;
    put(out, CONSTANT_INTEGER, 1);
    put(out, work->amount, 4);
}

/* -------------------------------------------------------------------------------------------- code -- */

enum {
    NOP = 0x00,
    ICONST_0 = 0x03,
    ICONST_1 = 0x04,
    LCONST_1 = 0x0a,
    LDC_W = 0x13,
    ILOAD = 0x15,
    ISTORE = 0x36,
    IADD = 0x60,
    LADD = 0x61,
    IINC = 0x84,
    IFGT = 0x9d,
    GETSTATIC = 0xb2,
    PUTSTATIC = 0xb3,
    NEWARRAY = 0xbc,
    WIDE = 0xc4
};
enum { TYPE_BYTE = 8, STACK_NEEDED = 4, LOCALS_NEEDED = 3 };

/* The work, in instructions: its size is a multiple of four, so that the switches after it keep their padding. */
struct prefix {
    struct writer code;
    uint32_t loop; /* the start of the loop */
};

static void put_local(struct writer *code, uint32_t opcode, uint32_t local)
{
    if (local > UINT8_MAX)
        put(code, WIDE, 1);
    put(code, opcode, 1);
    put(code, local, local > UINT8_MAX ? 2 : 1);
}

static void put_wide(struct writer *code, uint32_t opcode, uint32_t constant)
{
    put(code, opcode, 1);
    put(code, constant, 2);
}

/* int a = sink, b = 1; ... { int t = a + b; a = b; b = t; } sink = b: each call continues where the last one stopped,
 * so that the compiler can neither fold it to a constant nor merge two calls. */
static void put_round(const struct class *class, const struct classfile_work *work, uint32_t a, uint32_t b,
                      struct writer *code)
{
    if (work->kind == WORK_ALLOC) {
        put(code, ICONST_0, 1);
        put(code, NEWARRAY, 1);
        put(code, TYPE_BYTE, 1);
        put_wide(code, PUTSTATIC, class->sink);
        return;
    }
    put_local(code, ILOAD, b);
    put_local(code, ILOAD, a);
    put_local(code, ILOAD, b);
    put(code, IADD, 1);
    put_local(code, ISTORE, b);
    put_local(code, ISTORE, a);
}

/* In local variables from `first` on, which are still unused: those of the arguments end there. */
static void make_prefix(const struct class *class, const struct classfile_work *work, uint32_t first,
                        struct prefix *prefix)
{
    uint32_t left = first, a = first + 1, b = first + 2;
    struct writer *code = &prefix->code;
    put_wide(code, GETSTATIC, class->calls);
    put(code, LCONST_1, 1);
    put(code, LADD, 1);
    put_wide(code, PUTSTATIC, class->calls);
    put_wide(code, LDC_W, class->amount);
    put_local(code, ISTORE, left);
    if (work->kind == WORK_FIB)
        put_wide(code, GETSTATIC, class->sink);
    else
        put(code, ICONST_1, 1);
    put_local(code, ISTORE, a);
    put(code, ICONST_1, 1);
    put_local(code, ISTORE, b);
    prefix->loop = (uint32_t)code->size;
    put_round(class, work, a, b, code);
    put_local(code, IINC, left);
    put(code, 0xffffffff, left > UINT8_MAX ? 2 : 1);
    put_local(code, ILOAD, left);
    uint32_t back = prefix->loop - (uint32_t)code->size;
    put_wide(code, IFGT, back & 0xffff);
    if (work->kind == WORK_FIB) {
        put_local(code, ILOAD, b);
        put_wide(code, PUTSTATIC, class->sink);
    }
    do
        put(code, NOP, 1);
    while (code->size % 4 != 0);
}

/*
 * Two frames precede the existing ones: at the loop three more integers than at the entry, at the last instruction of
 * the work none again. The first old frame then follows as it followed the entry, and no old frame changes.
 */
static void put_frames(const struct prefix *prefix, uint32_t old_count, struct writer *out)
{
    enum { APPEND_3 = 254, CHOP_3 = 248, VERIFICATION_INTEGER = 1 };
    uint32_t last = (uint32_t)prefix->code.size - 1;
    put(out, old_count + 2, 2);
    put(out, APPEND_3, 1);
    put(out, prefix->loop, 2);
    for (size_t i = 0; i < LOCALS_NEEDED; i++)
        put(out, VERIFICATION_INTEGER, 1);
    put(out, CHOP_3, 1);
    put(out, last - prefix->loop - 1, 2);
}

enum { FRAME_BYTES_ADDED = 9 };

static void move_lines(struct reader *old, uint32_t by, struct writer *out)
{
    uint32_t count = get(old, 2);
    put(out, count, 2);
    for (uint32_t i = 0; i < count && !old->bad; i++) {
        uint32_t start = get(old, 2);
        put(out, start == 0 ? 0 : start + by, 2); /* the work is on the first line */
        put(out, get(old, 2), 2);
    }
}

static void move_variables(struct reader *old, uint32_t by, struct writer *out)
{
    uint32_t count = get(old, 2);
    put(out, count, 2);
    for (uint32_t i = 0; i < count && !old->bad; i++) {
        uint32_t start = get(old, 2), length = get(old, 2);
        put(out, start == 0 ? 0 : start + by, 2);
        put(out, start == 0 ? length + by : length, 2);
        put_bytes(out, take(old, 6), 6);
    }
}

/* Attributes of the code: frames, lines and variables move; unknown ones are dropped, as the specification allows.
 */
static void copy_code_attributes(const struct class *class, struct reader *in, const struct prefix *prefix,
                                 struct writer *out)
{
    uint32_t count = get(in, 2), kept = 0, by = (uint32_t)prefix->code.size;
    size_t place = out->size;
    bool frames = class->major < FIRST_MAJOR_WITH_FRAMES;
    put(out, 0, 2);
    for (uint32_t i = 0; i < count && !in->bad; i++) {
        uint32_t name = get(in, 2), size = get(in, 4);
        struct reader old = part(in, size);
        bool is_frames = text_is(class, name, "StackMapTable") && class->major >= FIRST_MAJOR_WITH_FRAMES;
        bool is_lines = text_is(class, name, "LineNumberTable");
        if (!is_frames && !is_lines && !text_is(class, name, "LocalVariableTable") &&
            !text_is(class, name, "LocalVariableTypeTable"))
            continue;
        kept++;
        put(out, name, 2);
        put(out, size + (is_frames ? FRAME_BYTES_ADDED : 0), 4);
        if (is_frames) {
            frames = true;
            put_frames(prefix, get(&old, 2), out);
            size_t left = old.size - old.at;
            put_bytes(out, take(&old, left), left);
        } else if (is_lines) {
            move_lines(&old, by, out);
        } else {
            move_variables(&old, by, out);
        }
        in->bad |= old.bad;
    }
    if (!frames) {
        put(out, class->frames_name, 2);
        put(out, 2 + FRAME_BYTES_ADDED, 4);
        put_frames(prefix, 0, out);
        kept++;
    }
    set(out, place, kept, 2);
}

/* Slots of local variables for the arguments, including `this`. */
static uint32_t argument_slots(const uint8_t *descriptor, bool is_static)
{
    uint32_t slots = is_static ? 0 : 1, length = number_at(descriptor, 2);
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

static uint32_t most(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static enum classfile_status write_code(const struct class *class, struct reader *in, const struct classfile_work *work,
                                        uint32_t arguments, struct classfile_result *found, struct writer *out)
{
    struct prefix prefix = {0};
    size_t place = out->size;
    make_prefix(class, work, arguments, &prefix);
    put(out, 0, 4);
    put(out, most(get(in, 2), STACK_NEEDED), 2);
    put(out, most(get(in, 2), arguments + LOCALS_NEEDED), 2);
    uint32_t size = get(in, 4), by = (uint32_t)prefix.code.size;
    enum classfile_status status = size + by > LIMIT ? CLASSFILE_TOO_LARGE : CLASSFILE_DONE;
    put(out, size + by, 4);
    put_bytes(out, prefix.code.bytes, by);
    put_bytes(out, take(in, size), size);
    uint32_t handlers = get(in, 2);
    put(out, handlers, 2);
    for (uint32_t i = 0; i < handlers && !in->bad; i++) {
        for (size_t j = 0; j < 3; j++)
            put(out, get(in, 2) + by, 2);
        put(out, get(in, 2), 2);
    }
    copy_code_attributes(class, in, &prefix, out);
    set(out, place, (uint32_t)(out->size - place - 4), 4);
    if (size > found->bytes_before || found->methods == 0) {
        found->bytes_before = size;
        found->bytes_after = work->amount ? size + by : size;
    }
    found->methods++;
    out->full |= prefix.code.full;
    free(prefix.code.bytes);
    return status;
}

/* ----------------------------------------------------------------------------------------- members -- */

static void copy_attribute(struct reader *in, struct writer *out)
{
    put(out, get(in, 2), 2);
    uint32_t size = get(in, 4);
    put(out, size, 4);
    put_bytes(out, take(in, size), size);
}

static void copy_fields(struct class *class, const struct classfile_work *work, struct writer *out)
{
    struct reader *in = &class->in;
    uint32_t count = get(in, 2);
    put(out, count + 2, 2);
    for (uint32_t i = 0; i < count && !in->bad; i++) {
        put_bytes(out, take(in, 6), 6);
        uint32_t attributes = get(in, 2);
        put(out, attributes, 2);
        for (uint32_t j = 0; j < attributes && !in->bad; j++)
            copy_attribute(in, out);
    }
    const uint32_t fields[][3] = {
        {FIELD_ACCESS, class->calls_name, class->long_type},
        {work->kind == WORK_FIB ? FIELD_ACCESS : FIELD_ACCESS_VOLATILE, class->sink_name, class->sink_type}};
    for (size_t i = 0; i < 2; i++) {
        for (size_t j = 0; j < 3; j++)
            put(out, fields[i][j], 2);
        put(out, 0, 2);
    }
}

static bool is_wanted(const struct class *class, const struct classfile_work *work, uint32_t name, uint32_t descriptor)
{
    return text_is(class, name, work->method) && (!work->descriptor || text_is(class, descriptor, work->descriptor));
}

static enum classfile_status copy_method(struct class *class, const struct classfile_work *work,
                                         struct classfile_result *found, struct writer *out)
{
    struct reader *in = &class->in;
    uint32_t access = get(in, 2), name = get(in, 2), descriptor = get(in, 2), attributes = get(in, 2);
    bool wanted =
        is_wanted(class, work, name, descriptor) && descriptor < class->pool_count && class->texts[descriptor];
    enum classfile_status status =
        wanted && (access & (ACC_NATIVE | ACC_ABSTRACT)) ? CLASSFILE_NO_CODE : CLASSFILE_DONE;
    put(out, access, 2);
    put(out, name, 2);
    put(out, descriptor, 2);
    put(out, attributes, 2);
    for (uint32_t i = 0; i < attributes && !in->bad && (!status || status == CLASSFILE_NO_CODE); i++) {
        uint32_t attribute = number_at(in->size - in->at < 2 ? (const uint8_t *)"\0" : in->bytes + in->at, 2);
        if (!wanted || !text_is(class, attribute, "Code")) {
            copy_attribute(in, out);
            continue;
        }
        put(out, get(in, 2), 2);
        struct reader code = part(in, get(in, 4));
        if (!code.bad)
            status = write_code(class, &code, work, argument_slots(class->texts[descriptor], access & ACC_STATIC),
                                found, out);
        in->bad |= code.bad;
    }
    return status;
}

/* Some methods of the name may be abstract as long as one of them has code. */
static enum classfile_status copy_methods(struct class *class, const struct classfile_work *work,
                                          struct classfile_result *found, struct writer *out)
{
    struct reader *in = &class->in;
    enum classfile_status status = CLASSFILE_DONE;
    bool without_code = false;
    uint32_t count = get(in, 2);
    put(out, count, 2);
    for (uint32_t i = 0; i < count && !in->bad && !status; i++) {
        status = copy_method(class, work, found, out);
        if (status == CLASSFILE_NO_CODE) {
            status = CLASSFILE_DONE;
            without_code = true;
        }
    }
    if (status || found->methods > 0)
        return status;
    return without_code ? CLASSFILE_NO_CODE : CLASSFILE_NOT_FOUND;
}

static enum classfile_status rewrite(struct class *class, const struct classfile_work *work,
                                     struct classfile_result *found, struct writer *out)
{
    struct reader *in = &class->in;
    if (get(in, 4) != 0xcafebabe)
        return CLASSFILE_DAMAGED;
    uint32_t minor = get(in, 2);
    class->major = get(in, 2);
    class->pool_count = get(in, 2);
    class->texts = calloc((size_t) class->pool_count + 1, sizeof *class->texts);
    if (!class->texts)
        return CLASSFILE_NO_MEMORY;
    if (!read_pool(class))
        return CLASSFILE_DAMAGED;
    if (class->pool_count + CONSTANTS_ADDED - 1 > LIMIT)
        return CLASSFILE_TOO_LARGE;
    class->access = get(in, 2);
    class->this_class = get(in, 2);
    put(out, 0xcafebabe, 4);
    put(out, minor, 2);
    put(out, class->major, 2);
    write_pool(class, work, out);
    put(out, class->access, 2);
    put(out, class->this_class, 2);
    put(out, get(in, 2), 2);
    uint32_t interfaces = get(in, 2);
    put(out, interfaces, 2);
    put_bytes(out, take(in, (size_t)2 * interfaces), (size_t)2 * interfaces);
    copy_fields(class, work, out);
    enum classfile_status status = copy_methods(class, work, found, out);
    put_bytes(out, in->bytes + in->at, in->size - in->at); /* the class's own attributes */
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
    enum classfile_status status = rewrite(&class, work, &found, &out);
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

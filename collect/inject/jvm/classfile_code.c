/* The work in bytecode, and what of a method's code moves for it. */
#include "collect/inject/jvm/classfile_parts.h"

enum { FIRST_MAJOR_WITH_FRAMES = 50 };

enum {
    NOP = 0x00,
    ICONST_0 = 0x03,
    ICONST_1 = 0x04,
    LCONST_1 = 0x0a,
    BIPUSH = 0x10,
    SIPUSH = 0x11,
    LDC_W = 0x13,
    ILOAD = 0x15,
    ALOAD = 0x19,
    IALOAD = 0x2e,
    ISTORE = 0x36,
    ASTORE = 0x3a,
    IASTORE = 0x4f,
    DUP2 = 0x5c,
    IADD = 0x60,
    LADD = 0x61,
    IMUL = 0x68,
    IUSHR = 0x7c,
    IAND = 0x7e,
    IINC = 0x84,
    IFGT = 0x9d,
    GETSTATIC = 0xb2,
    PUTSTATIC = 0xb3,
    NEWARRAY = 0xbc,
    WIDE = 0xc4
};
enum { ARRAY_LENGTH = 1024 };
enum { TYPE_BYTE = 8, TYPE_INT = 10, STACK_NEEDED = 4, STACK_NEEDED_ARRAY = 6, LOCALS_NEEDED = 3 };

/* The work, in instructions: its size is a multiple of four, so that the switches after it keep their padding. */
struct prefix {
    struct writer code;
    uint32_t loop; /* the start of the loop */
};

static void bytecode_put_local(struct writer *code, uint32_t opcode, uint32_t local)
{
    if (local > UINT8_MAX)
        writer_put(code, WIDE, 1);
    writer_put(code, opcode, 1);
    writer_put(code, local, local > UINT8_MAX ? 2 : 1);
}

static void bytecode_put_wide(struct writer *code, uint32_t opcode, uint32_t constant)
{
    writer_put(code, opcode, 1);
    writer_put(code, constant, 2);
}

/* array[a >>> 22], or, to store there later, its operands and its value; `b` holds the array. */
static void bytecode_put_random_element(struct writer *code, uint32_t a, uint32_t b, bool stored)
{
    enum { SHIFT = 22 };
    bytecode_put_local(code, ALOAD, b);
    bytecode_put_local(code, ILOAD, a);
    writer_put(code, BIPUSH, 1);
    writer_put(code, SHIFT, 1);
    writer_put(code, IUSHR, 1);
    if (stored)
        writer_put(code, DUP2, 1);
    writer_put(code, IALOAD, 1);
}

/*
 * a = a * multiplier + increment; array[a >>> 22] += array[a >>> 12 & 1023] + 1: the ten bits of each index are the
 * random number's highest ones. The sum is stored, so that no compiler can know that a new array has only zeros.
 */
static void bytecode_put_random_addition(const struct class *class, struct writer *code, uint32_t a, uint32_t b)
{
    enum { SHIFT = 12, MASK = 1023 };
    bytecode_put_local(code, ILOAD, a);
    bytecode_put_wide(code, LDC_W, class->multiplier);
    writer_put(code, IMUL, 1);
    bytecode_put_wide(code, LDC_W, class->increment);
    writer_put(code, IADD, 1);
    bytecode_put_local(code, ISTORE, a);
    bytecode_put_random_element(code, a, b, true);
    bytecode_put_local(code, ALOAD, b);
    bytecode_put_local(code, ILOAD, a);
    writer_put(code, BIPUSH, 1);
    writer_put(code, SHIFT, 1);
    writer_put(code, IUSHR, 1);
    bytecode_put_wide(code, SIPUSH, MASK);
    writer_put(code, IAND, 1);
    writer_put(code, IALOAD, 1);
    writer_put(code, IADD, 1);
    writer_put(code, ICONST_1, 1);
    writer_put(code, IADD, 1);
    writer_put(code, IASTORE, 1);
}

/* In local variables from `first` on, which are still unused: those of the arguments end there. */
static void prefix_make(const struct class *class, const struct classfile_work *work, uint32_t first,
                        struct prefix *prefix)
{
    uint32_t left = first, a = first + 1, b = first + 2;
    struct writer *code = &prefix->code;
    bytecode_put_wide(code, GETSTATIC, class->calls);
    writer_put(code, LCONST_1, 1);
    writer_put(code, LADD, 1);
    bytecode_put_wide(code, PUTSTATIC, class->calls);
    bytecode_put_wide(code, LDC_W, class->amount);
    bytecode_put_local(code, ISTORE, left);
    if (work->kind == WORK_ALLOC)
        writer_put(code, ICONST_1, 1);
    else
        bytecode_put_wide(code, GETSTATIC, class->sink);
    bytecode_put_local(code, ISTORE, a);
    if (work->kind == WORK_ARRAY) {
        bytecode_put_wide(code, SIPUSH, ARRAY_LENGTH);
        writer_put(code, NEWARRAY, 1);
        writer_put(code, TYPE_INT, 1);
        bytecode_put_local(code, ASTORE, b);
    } else {
        writer_put(code, ICONST_1, 1);
        bytecode_put_local(code, ISTORE, b);
    }
    prefix->loop = (uint32_t)code->size;
    if (work->kind == WORK_ALLOC) {
        writer_put(code, ICONST_0, 1);
        writer_put(code, NEWARRAY, 1);
        writer_put(code, TYPE_BYTE, 1);
        bytecode_put_wide(code, PUTSTATIC, class->sink);
    } else if (work->kind == WORK_ARRAY) {
        bytecode_put_random_addition(class, code, a, b);
    } else {
        /* int a = sink, b = 1; ... { int t = a + b; a = b; b = t; } sink = b: each call continues where the last one
         * stopped, so that the compiler can neither fold it to a constant nor merge two calls. */
        bytecode_put_local(code, ILOAD, b);
        bytecode_put_local(code, ILOAD, a);
        bytecode_put_local(code, ILOAD, b);
        writer_put(code, IADD, 1);
        bytecode_put_local(code, ISTORE, b);
        bytecode_put_local(code, ISTORE, a);
    }
    bytecode_put_local(code, IINC, left);
    writer_put(code, 0xffffffff, left > UINT8_MAX ? 2 : 1);
    bytecode_put_local(code, ILOAD, left);
    uint32_t back = prefix->loop - (uint32_t)code->size;
    bytecode_put_wide(code, IFGT, back & 0xffff);
    if (work->kind != WORK_ALLOC) {
        bytecode_put_local(code, ILOAD, work->kind == WORK_FIB ? b : a);
        if (work->kind == WORK_ARRAY) {
            /* The next call's random numbers depend on an element, so no compiler can leave the array out. */
            bytecode_put_random_element(code, a, b, false);
            writer_put(code, IADD, 1);
        }
        bytecode_put_wide(code, PUTSTATIC, class->sink);
    }
    do
        writer_put(code, NOP, 1);
    while (code->size % 4 != 0);
}

static uint32_t prefix_frame_bytes(const struct class *class)
{
    return class->array ? 11 : 9;
}

/*
 * Two frames precede the existing ones: at the loop three more integers than at the entry, of which the last may be an
 * array instead, and at the last instruction of the work none again. The first old frame then follows as it followed
 * the entry, and no old frame changes.
 */
static void prefix_put_frames(const struct class *class, const struct prefix *prefix, uint32_t old_count,
                              struct writer *out)
{
    enum { APPEND_3 = 254, CHOP_3 = 248, VERIFICATION_INTEGER = 1, VERIFICATION_OBJECT = 7 };
    uint32_t last = (uint32_t)prefix->code.size - 1;
    writer_put(out, old_count + 2, 2);
    writer_put(out, APPEND_3, 1);
    writer_put(out, prefix->loop, 2);
    for (size_t i = 0; i < LOCALS_NEEDED; i++) {
        bool is_array = class->array && i == LOCALS_NEEDED - 1;
        writer_put(out, is_array ? VERIFICATION_OBJECT : VERIFICATION_INTEGER, 1);
        if (is_array)
            writer_put(out, class->array, 2);
    }
    writer_put(out, CHOP_3, 1);
    writer_put(out, last - prefix->loop - 1, 2);
}

/* Entries of lines or of variables, of which those at the beginning also begin with the work. */
static void bytecode_move_entries(struct reader *old, bool lines, uint32_t by, struct writer *out)
{
    uint32_t count = reader_get(old, 2);
    writer_put(out, count, 2);
    for (uint32_t i = 0; i < count && !old->bad; i++) {
        uint32_t start = reader_get(old, 2), value = reader_get(old, 2); /* a line, or a length */
        writer_put(out, start == 0 ? 0 : start + by, 2);
        writer_put(out, start == 0 && !lines ? value + by : value, 2);
        if (!lines)
            writer_put_bytes(out, reader_take(old, 6), 6);
    }
}

/* Attributes of the code: frames, lines and variables move; unknown ones are dropped, as the specification allows.
 */
static void bytecode_copy_attributes(const struct class *class, struct reader *in, const struct prefix *prefix,
                                     struct writer *out)
{
    uint32_t count = reader_get(in, 2), kept = 0, by = (uint32_t)prefix->code.size;
    size_t at = out->size;
    bool frames = class->major < FIRST_MAJOR_WITH_FRAMES;
    writer_put(out, 0, 2);
    for (uint32_t i = 0; i < count && !in->bad; i++) {
        uint32_t name = reader_get(in, 2), size = reader_get(in, 4);
        struct reader old = reader_take_part(in, size);
        bool is_frames = class_text_is(class, name, "StackMapTable") && class->major >= FIRST_MAJOR_WITH_FRAMES;
        bool is_lines = class_text_is(class, name, "LineNumberTable");
        if (!is_frames && !is_lines && !class_text_is(class, name, "LocalVariableTable") &&
            !class_text_is(class, name, "LocalVariableTypeTable"))
            continue;
        kept++;
        writer_put(out, name, 2);
        writer_put(out, size + (is_frames ? prefix_frame_bytes(class) : 0), 4);
        if (is_frames) {
            frames = true;
            prefix_put_frames(class, prefix, reader_get(&old, 2), out);
            size_t left = old.size - old.at;
            writer_put_bytes(out, reader_take(&old, left), left);
        } else {
            bytecode_move_entries(&old, is_lines, by, out);
        }
        in->bad |= old.bad;
    }
    if (!frames) {
        writer_put(out, class->frames_name, 2);
        writer_put(out, 2 + prefix_frame_bytes(class), 4);
        prefix_put_frames(class, prefix, 0, out);
        kept++;
    }
    writer_set(out, at, kept, 2);
}

static uint32_t bytecode_larger_of(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

enum classfile_status classfile_write_code(const struct class *class, struct reader *in,
                                           const struct classfile_work *work, uint32_t arguments,
                                           struct classfile_result *found, struct writer *out)
{
    struct prefix prefix = {0};
    size_t at = out->size;
    prefix_make(class, work, arguments, &prefix);
    writer_put(out, 0, 4);
    writer_put(out, bytecode_larger_of(reader_get(in, 2), class->array ? STACK_NEEDED_ARRAY : STACK_NEEDED), 2);
    writer_put(out, bytecode_larger_of(reader_get(in, 2), arguments + LOCALS_NEEDED), 2);
    uint32_t size = reader_get(in, 4), by = (uint32_t)prefix.code.size;
    enum classfile_status status = size + by > LIMIT ? CLASSFILE_TOO_LARGE : CLASSFILE_DONE;
    writer_put(out, size + by, 4);
    writer_put_bytes(out, prefix.code.bytes, by);
    writer_put_bytes(out, reader_take(in, size), size);
    uint32_t handlers = reader_get(in, 2);
    writer_put(out, handlers, 2);
    for (uint32_t i = 0; i < handlers && !in->bad; i++) {
        for (size_t j = 0; j < 3; j++)
            writer_put(out, reader_get(in, 2) + by, 2);
        writer_put(out, reader_get(in, 2), 2);
    }
    bytecode_copy_attributes(class, in, &prefix, out);
    writer_set(out, at, (uint32_t)(out->size - at - 4), 4);
    if (size > found->bytes_before || found->methods == 0) {
        found->bytes_before = size;
        found->bytes_after = work->amount ? size + by : size;
    }
    found->methods++;
    out->full |= prefix.code.full;
    free(prefix.code.bytes);
    return status;
}

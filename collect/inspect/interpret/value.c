#include "collect/inspect/interpret/value.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "collect/inspect/interpret/bytecode.h"

enum value_kind value_kind_of(char type)
{
    switch (type) {
    case 'Z':
    case 'B':
    case 'C':
    case 'S':
    case 'I':
        return VALUE_INT;
    case 'J':
        return VALUE_LONG;
    case 'F':
        return VALUE_FLOAT;
    case 'D':
        return VALUE_DOUBLE;
    case 'L':
    case '[':
        return VALUE_REFERENCE;
    default:
        return VALUE_NONE;
    }
}

uint32_t value_bytes_of(char type)
{
    switch (type) {
    case 'Z':
    case 'B':
        return 1;
    case 'C':
    case 'S':
        return 2;
    case 'I':
    case 'F':
        return 4;
    case 'J':
    case 'D':
        return 8;
    default:
        return 0;
    }
}

uint64_t value_narrow(char type, uint64_t bits)
{
    const int32_t byte = (int8_t)bits, small = (int16_t)bits;
    switch (type) {
    case 'Z':
        return bits & 1;
    case 'B':
        return (uint32_t)byte;
    case 'C':
        return (uint16_t)bits;
    case 'S':
        return (uint32_t)small;
    default:
        return bits;
    }
}

void value_join_sources(struct value *result, const struct value *other)
{
    for (int i = 0; i < VALUE_SOURCES; i++) {
        uint32_t source = other->sources[i];
        int at = 0;
        while (source && at < VALUE_SOURCES && result->sources[at] && result->sources[at] != source)
            at++;
        if (source && at < VALUE_SOURCES)
            result->sources[at] = source;
    }
}

/* ------------------------------------------------------------------------------------------ numbers -- */

static float value_as_float(const struct value *value)
{
    uint32_t bits = (uint32_t)value->bits;
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static double value_as_double(const struct value *value)
{
    double number;
    memcpy(&number, &value->bits, sizeof number);
    return number;
}

static struct value value_of_float(float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return value_of(VALUE_FLOAT, bits);
}

static struct value value_of_double(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return value_of(VALUE_DOUBLE, bits);
}

/* The operations in the order of their opcodes: each for int, long, float and double. */
enum operation { ADD, SUBTRACT, MULTIPLY, DIVIDE, REMAINDER };

static double value_compute_real(enum operation operation, double a, double b)
{
    switch (operation) {
    case ADD:
        return a + b;
    case SUBTRACT:
        return a - b;
    case MULTIPLY:
        return a * b;
    case DIVIDE:
        return a / b;
    default:
        return fmod(a, b);
    }
}

/* Modulo 2^64, which is right modulo 2^32, too. The smallest number over −1 is itself. */
static uint64_t value_compute_integer(enum operation operation, int64_t a, int64_t b)
{
    assert(b != 0 || operation < DIVIDE);
    switch (operation) {
    case ADD:
        return (uint64_t)a + (uint64_t)b;
    case SUBTRACT:
        return (uint64_t)a - (uint64_t)b;
    case MULTIPLY:
        return (uint64_t)a * (uint64_t)b;
    case DIVIDE:
        return b == -1 ? -(uint64_t)a : (uint64_t)(a / b);
    default:
        return b == -1 ? 0 : (uint64_t)(a % b);
    }
}

static struct value value_of_integer(enum value_kind kind, uint64_t bits)
{
    assert(kind == VALUE_INT || kind == VALUE_LONG);
    return value_of(kind, kind == VALUE_INT ? (uint32_t)bits : bits);
}

static int64_t value_as_integer(const struct value *value)
{
    return value->kind == VALUE_INT ? value_as_int(value) : (int64_t)value->bits;
}

static enum value_fault value_compute_arithmetic(uint8_t code, const struct value *a, const struct value *b,
                                                 struct value *result)
{
    enum operation operation = (enum operation)((code - OP_IADD) / 4);
    enum value_kind kind = (enum value_kind)((code - OP_IADD) % 4);
    if (a->kind != kind || b->kind != kind)
        return VALUE_MISMATCH;
    if (kind <= VALUE_LONG && operation >= DIVIDE && b->known && value_as_integer(b) == 0)
        return VALUE_DIVISION;
    if (!a->known || !b->known)
        *result = value_unknown(kind);
    else if (kind <= VALUE_LONG)
        *result = value_of_integer(kind, value_compute_integer(operation, value_as_integer(a), value_as_integer(b)));
    else if (kind == VALUE_FLOAT) /* a double holds these exactly, and rounding twice makes no difference */
        *result =
            value_of_float((float)value_compute_real(operation, (double)value_as_float(a), (double)value_as_float(b)));
    else
        *result = value_of_double(value_compute_real(operation, value_as_double(a), value_as_double(b)));
    return VALUE_GOOD;
}

/* ishl to lushr, whose second operand is an int, and iand to lxor; each for int and long. */
static enum value_fault value_compute_bitwise(uint8_t code, const struct value *a, const struct value *b,
                                              struct value *result)
{
    enum value_kind kind = (enum value_kind)((code - OP_ISHL) % 2);
    bool shifts = code <= OP_LUSHR;
    unsigned by = (unsigned)b->bits & (kind == VALUE_INT ? 31 : 63);
    uint64_t bits = 0;
    if (a->kind != kind || b->kind != (shifts ? VALUE_INT : kind))
        return VALUE_MISMATCH;
    switch ((code - OP_ISHL) / 2) {
    case 0:
        bits = a->bits << by;
        break;
    case 1:
        bits = (uint64_t)(value_as_integer(a) >> by);
        break;
    case 2:
        bits = a->bits >> by; /* an int is zero-extended */
        break;
    case 3:
        bits = a->bits & b->bits;
        break;
    case 4:
        bits = a->bits | b->bits;
        break;
    default:
        bits = a->bits ^ b->bits;
        break;
    }
    *result = a->known && b->known ? value_of_integer(kind, bits) : value_unknown(kind);
    return VALUE_GOOD;
}

/* −1, 0 or 1; `unordered` if one of them is not a number. */
static int value_compare_real(double a, double b, int unordered)
{
    return a < b ? -1 : a > b ? 1 : a == b ? 0 : unordered;
}

static enum value_fault value_compute_comparison(uint8_t code, const struct value *a, const struct value *b,
                                                 struct value *result)
{
    enum value_kind kind = code == OP_LCMP ? VALUE_LONG : code <= OP_FCMPG ? VALUE_FLOAT : VALUE_DOUBLE;
    int unordered = code == OP_FCMPG || code == OP_DCMPG ? 1 : -1;
    if (a->kind != kind || b->kind != kind)
        return VALUE_MISMATCH;
    if (!a->known || !b->known)
        *result = value_unknown(VALUE_INT);
    else if (kind == VALUE_LONG)
        *result = value_int((value_as_integer(a) > value_as_integer(b)) - (value_as_integer(a) < value_as_integer(b)));
    else if (kind == VALUE_FLOAT)
        *result = value_int(value_compare_real((double)value_as_float(a), (double)value_as_float(b), unordered));
    else
        *result = value_int(value_compare_real(value_as_double(a), value_as_double(b), unordered));
    return VALUE_GOOD;
}

enum value_fault value_binary(uint8_t code, const struct value *left, const struct value *right, struct value *result)
{
    struct value made;
    enum value_fault fault = code <= OP_DREM   ? value_compute_arithmetic(code, left, right, &made)
                             : code <= OP_LXOR ? value_compute_bitwise(code, left, right, &made)
                                               : value_compute_comparison(code, left, right, &made);
    if (fault != VALUE_GOOD)
        return fault;
    value_join_sources(&made, left);
    value_join_sources(&made, right);
    *result = made;
    return VALUE_GOOD;
}

/* ------------------------------------------------------------------------------------------ conversions -- */

static double value_to_double(const struct value *value)
{
    switch (value->kind) {
    case VALUE_FLOAT:
        return (double)value_as_float(value);
    case VALUE_DOUBLE:
        return value_as_double(value);
    default:
        return (double)value_as_integer(value);
    }
}

/* Rounded towards zero; what is too large becomes the largest, and what is not a number 0. */
static int64_t value_to_integer(double number, int64_t least, int64_t most)
{
    if (isnan(number))
        return 0;
    return number <= (double)least ? least : number >= (double)most ? most : (int64_t)number;
}

static struct value value_convert(enum value_kind to, const struct value *operand)
{
    bool real = operand->kind == VALUE_FLOAT || operand->kind == VALUE_DOUBLE;
    switch (to) {
    case VALUE_INT:
        return value_int(real ? (int32_t)value_to_integer(value_to_double(operand), INT32_MIN, INT32_MAX)
                              : (int32_t)(uint32_t)operand->bits);
    case VALUE_LONG:
        return value_of(VALUE_LONG, (uint64_t)(real ? value_to_integer(value_to_double(operand), INT64_MIN, INT64_MAX)
                                                    : value_as_integer(operand)));
    case VALUE_FLOAT: /* a long is rounded once */
        return value_of_float(real ? (float)value_to_double(operand) : (float)value_as_integer(operand));
    default:
        return value_of_double(value_to_double(operand));
    }
}

static struct value value_negate(const struct value *operand)
{
    switch (operand->kind) {
    case VALUE_FLOAT:
        return value_of_float(-value_as_float(operand));
    case VALUE_DOUBLE:
        return value_of_double(-value_as_double(operand));
    default:
        return value_of_integer((enum value_kind)operand->kind, -operand->bits);
    }
}

enum value_fault value_unary(uint8_t code, const struct value *operand, struct value *result)
{
    /* i2l i2f i2d, l2i l2f l2d, f2i f2l f2d, d2i d2l d2f */
    static const uint8_t TO[] = {VALUE_LONG, VALUE_FLOAT, VALUE_DOUBLE, VALUE_INT, VALUE_FLOAT, VALUE_DOUBLE,
                                 VALUE_INT,  VALUE_LONG,  VALUE_DOUBLE, VALUE_INT, VALUE_LONG,  VALUE_FLOAT};
    static const char NARROW[] = {'B', 'C', 'S'};
    bool negates = code <= OP_DNEG, narrows = code >= OP_I2B;
    int conversion = code - OP_I2L;
    enum value_kind from = (enum value_kind)(negates ? code - OP_INEG : narrows ? VALUE_INT : conversion / 3);
    enum value_kind to = negates || narrows ? from : (enum value_kind)TO[conversion];
    if (operand->kind != from)
        return VALUE_MISMATCH;
    struct value made = !operand->known ? value_unknown(to)
                        : negates       ? value_negate(operand)
                        : narrows       ? value_of(VALUE_INT, value_narrow(NARROW[code - OP_I2B], operand->bits))
                                        : value_convert(to, operand);
    value_join_sources(&made, operand);
    *result = made;
    return VALUE_GOOD;
}

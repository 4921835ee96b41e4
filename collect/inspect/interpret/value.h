/*
 * value.h - values of a partial interpretation, which may be unknown, and the instructions that compute with them.
 *
 * A value is in one slot of the operand stack or of the local variables, a long or a double in the first of two.
 */
#ifndef ASSAY_INSPECT_INTERPRET_VALUE_H
#define ASSAY_INSPECT_INTERPRET_VALUE_H

#include <stdbool.h>
#include <stdint.h>

enum value_kind {
    VALUE_INT,
    VALUE_LONG,
    VALUE_FLOAT,
    VALUE_DOUBLE,
    VALUE_REFERENCE,
    VALUE_NONE /* nothing is there, or it is the second slot of a long or a double */
};

/* The loads that a value has been computed from: VALUE_SOURCES of them, each a number from 1; 0: none. */
enum { VALUE_SOURCES = 2 };

struct value {
    uint8_t kind; /* enum value_kind */
    bool known;
    uint32_t sources[VALUE_SOURCES];
    uint64_t bits; /* an int in the lower half, zero-extended; a reference is the number of an object, 0 is null */
};

static inline struct value value_unknown(enum value_kind kind)
{
    return (struct value){.kind = (uint8_t)kind};
}

static inline struct value value_of(enum value_kind kind, uint64_t bits)
{
    return (struct value){.kind = (uint8_t)kind, .known = true, .bits = bits};
}

static inline struct value value_int(int32_t number)
{
    return value_of(VALUE_INT, (uint32_t)number);
}

static inline int32_t value_as_int(const struct value *value)
{
    return (int32_t)(uint32_t)value->bits;
}

static inline bool value_is_wide(enum value_kind kind)
{
    return kind == VALUE_LONG || kind == VALUE_DOUBLE;
}

/* The kind of a field, parameter or element of this type, as in descriptors ('[' and 'L' are references); VALUE_NONE:
 * 'V' or no type. */
enum value_kind value_kind_of(char type);

/* The number of bytes of an element or a field of this type, other than a reference; 0: it is one. */
uint32_t value_bytes_of(char type);

/* What becomes of an int that is stored in a variable of this type and loaded again. */
uint64_t value_narrow(char type, uint64_t bits);

/* The result depends on the loads that both depend on; some are left out if there are too many. */
void value_join_sources(struct value *result, const struct value *other);

enum value_fault { VALUE_GOOD, VALUE_DIVISION /* by zero */, VALUE_MISMATCH /* operands of another kind */ };

/* Instructions from iadd to lxor, but for neg; and lcmp to dcmpg. An unknown operand makes the result unknown. For
 * anything but VALUE_GOOD *result is untouched. */
enum value_fault value_binary(uint8_t code, const struct value *left, const struct value *right, struct value *result);
/* Instructions ineg to dneg and i2l to i2s. */
enum value_fault value_unary(uint8_t code, const struct value *operand, struct value *result);

#endif

#include "collect/inspect/interpret/bytecode.h"

/* What follows an opcode. */
enum format {
    NOTHING,
    LOCAL,    /* the number of a local variable, one byte, or two after `wide` */
    BYTE,     /* a signed immediate of one byte, or of two */
    SHORT,    /* … */
    CONSTANT, /* the number of a constant, of one byte, or of two, with unused bytes after it */
    CONSTANT2,
    CONSTANT4,
    ARRAY_TYPE,
    DIMENSIONS,
    INCREMENT,
    JUMP,
    JUMP4,
    TABLE,
    LOOKUP,
    WIDE,
    INVALID
};

static enum format bytecode_format(unsigned code)
{
    if ((code >= OP_IFEQ && code <= OP_JSR) || code == OP_IFNULL || code == OP_IFNONNULL)
        return JUMP;
    if ((code >= OP_ILOAD && code <= OP_ALOAD) || (code >= OP_ISTORE && code <= OP_ASTORE) || code == OP_RET)
        return LOCAL;
    if ((code >= OP_GETSTATIC && code <= OP_INVOKESTATIC) || code == OP_LDC_W || code == OP_LDC2_W || code == OP_NEW ||
        code == OP_ANEWARRAY || code == OP_CHECKCAST || code == OP_INSTANCEOF)
        return CONSTANT2;
    switch (code) {
    case OP_BIPUSH:
        return BYTE;
    case OP_SIPUSH:
        return SHORT;
    case OP_LDC:
        return CONSTANT;
    case OP_INVOKEINTERFACE:
    case OP_INVOKEDYNAMIC:
        return CONSTANT4;
    case OP_NEWARRAY:
        return ARRAY_TYPE;
    case OP_MULTIANEWARRAY:
        return DIMENSIONS;
    case OP_IINC:
        return INCREMENT;
    case OP_GOTO_W:
    case OP_JSR_W:
        return JUMP4;
    case OP_TABLESWITCH:
        return TABLE;
    case OP_LOOKUPSWITCH:
        return LOOKUP;
    case OP_WIDE:
        return WIDE;
    default:
        return code > OP_JSR_W ? INVALID : NOTHING;
    }
}

static int32_t bytecode_signed2(const uint8_t *at)
{
    return (int16_t)(at[0] << 8 | at[1]);
}

static int32_t bytecode_unsigned2(const uint8_t *at)
{
    return at[0] << 8 | at[1];
}

static int32_t bytecode_signed4(const uint8_t *at)
{
    return (int32_t)((uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3]);
}

/* Where the words of a switch begin: at the next multiple of four. */
static uint32_t bytecode_switch_words(uint32_t at)
{
    return (at + 4) & ~3u;
}

/* The size of a switch's words; 0: it is not whole. */
static size_t bytecode_switch_bytes(const uint8_t *code, size_t bytes, uint32_t words, bool table)
{
    size_t head = table ? 12 : 8;
    if (words + head > bytes)
        return 0;
    int64_t low = bytecode_signed4(code + words + 4);
    int64_t count = table ? bytecode_signed4(code + words + 8) - low + 1 : low;
    if (count < 0 || (uint64_t)count > bytes)
        return 0;
    return head + (size_t)count * (table ? 4 : 8);
}

static bool bytecode_decode_wide(const uint8_t *code, size_t bytes, struct bytecode *instruction)
{
    uint32_t at = instruction->at;
    if (at + 4 > bytes)
        return false;
    instruction->code = code[at + 1];
    instruction->operand = bytecode_unsigned2(code + at + 2);
    bool increment = instruction->code == OP_IINC;
    if (increment && at + 6 > bytes)
        return false;
    instruction->second = increment ? bytecode_signed2(code + at + 4) : 0;
    instruction->next = at + (increment ? 6 : 4);
    return increment || bytecode_format(instruction->code) == LOCAL;
}

bool bytecode_decode(const uint8_t *code, size_t bytes, uint32_t at, struct bytecode *instruction)
{
    static const uint8_t OPERANDS[] = {
        [LOCAL] = 1,     [BYTE] = 1,       [SHORT] = 2,      [CONSTANT] = 1,  [CONSTANT2] = 2,
        [CONSTANT4] = 4, [ARRAY_TYPE] = 1, [DIMENSIONS] = 3, [INCREMENT] = 2, [JUMP] = 2,
        [JUMP4] = 4,     [TABLE] = 0,      [LOOKUP] = 0,     [WIDE] = 0,      [INVALID] = 0};
    if (at >= bytes)
        return false;
    *instruction = (struct bytecode){.code = code[at], .at = at};
    enum format format = bytecode_format(code[at]);
    size_t size = 1u + OPERANDS[format];
    const uint8_t *operand = code + at + 1;
    if (format == WIDE)
        return bytecode_decode_wide(code, bytes, instruction);
    if (format == TABLE || format == LOOKUP) {
        uint32_t words = bytecode_switch_words(at);
        size_t of_words = bytecode_switch_bytes(code, bytes, words, format == TABLE);
        size = of_words ? words - at + of_words : bytes;
    }
    if (format == INVALID || at + size > bytes || size > UINT32_MAX - at)
        return false;
    instruction->next = at + (uint32_t)size;
    switch (format) {
    case LOCAL:
    case CONSTANT:
    case ARRAY_TYPE:
        instruction->operand = operand[0];
        break;
    case BYTE:
        instruction->operand = (int8_t)operand[0];
        break;
    case INCREMENT:
        instruction->operand = operand[0];
        instruction->second = (int8_t)operand[1];
        break;
    case DIMENSIONS:
        instruction->second = operand[2];
        instruction->operand = bytecode_unsigned2(operand);
        break;
    case CONSTANT2:
    case CONSTANT4:
        instruction->operand = bytecode_unsigned2(operand);
        break;
    case SHORT:
        instruction->operand = bytecode_signed2(operand);
        break;
    case JUMP:
        instruction->operand = (int32_t)at + bytecode_signed2(operand);
        break;
    case JUMP4:
        instruction->operand = (int32_t)((uint32_t)at + (uint32_t)bytecode_signed4(operand));
        break;
    default:
        break;
    }
    return true;
}

uint32_t bytecode_switch_targets(const uint8_t *code, const struct bytecode *instruction)
{
    const uint8_t *words = code + bytecode_switch_words(instruction->at);
    bool table = instruction->code == OP_TABLESWITCH;
    return 1 + (uint32_t)(table ? (int64_t)bytecode_signed4(words + 8) - bytecode_signed4(words + 4) + 1
                                : bytecode_signed4(words + 4));
}

uint32_t bytecode_switch_target(const uint8_t *code, const struct bytecode *instruction, uint32_t target)
{
    const uint8_t *words = code + bytecode_switch_words(instruction->at);
    bool table = instruction->code == OP_TABLESWITCH;
    const uint8_t *word = target == 0 ? words : table ? words + 8 + 4 * target : words + 4 + 8 * target;
    return instruction->at + (uint32_t)bytecode_signed4(word);
}

uint32_t bytecode_switch_find(const uint8_t *code, const struct bytecode *instruction, int32_t key)
{
    const uint8_t *words = code + bytecode_switch_words(instruction->at);
    uint32_t targets = bytecode_switch_targets(code, instruction);
    if (instruction->code == OP_TABLESWITCH) {
        int64_t index = (int64_t)key - bytecode_signed4(words + 4);
        return index >= 0 && index + 1 < targets ? (uint32_t)index + 1 : 0;
    }
    for (uint32_t i = 1; i < targets; i++)
        if (bytecode_signed4(words + 8 * i) == key)
            return i;
    return 0;
}

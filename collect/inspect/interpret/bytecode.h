/*
 * bytecode.h - the instructions of Java bytecode: their numbers, and decoding one.
 *
 * Source: The Java Virtual Machine Specification, Java SE 17, chapter 6.
 */
#ifndef ASSAY_INSPECT_INTERPRET_BYTECODE_H
#define ASSAY_INSPECT_INTERPRET_BYTECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where instructions differ only in their type the types come in the order int, long, float, double, reference; for
 * elements of arrays byte (and boolean), char and short follow. */
enum bytecode_opcode {
    OP_NOP = 0,
    OP_ACONST_NULL = 1,
    OP_ICONST_M1 = 2,
    OP_ICONST_0 = 3,
    OP_ICONST_5 = 8,
    OP_LCONST_0 = 9,
    OP_LCONST_1 = 10,
    OP_FCONST_0 = 11,
    OP_FCONST_2 = 13,
    OP_DCONST_0 = 14,
    OP_DCONST_1 = 15,
    OP_BIPUSH = 16,
    OP_SIPUSH = 17,
    OP_LDC = 18,
    OP_LDC_W = 19,
    OP_LDC2_W = 20,
    OP_ILOAD = 21,
    OP_ALOAD = 25,
    OP_ILOAD_0 = 26,
    OP_ALOAD_3 = 45,
    OP_IALOAD = 46,
    OP_AALOAD = 50,
    OP_BALOAD = 51,
    OP_SALOAD = 53,
    OP_ISTORE = 54,
    OP_ASTORE = 58,
    OP_ISTORE_0 = 59,
    OP_ASTORE_3 = 78,
    OP_IASTORE = 79,
    OP_SASTORE = 86,
    OP_POP = 87,
    OP_POP2 = 88,
    OP_DUP = 89,
    OP_DUP_X1 = 90,
    OP_DUP_X2 = 91,
    OP_DUP2 = 92,
    OP_DUP2_X1 = 93,
    OP_DUP2_X2 = 94,
    OP_SWAP = 95,
    OP_IADD = 96,
    OP_ISUB = 100,
    OP_IMUL = 104,
    OP_IDIV = 108,
    OP_IREM = 112,
    OP_DREM = 115,
    OP_INEG = 116,
    OP_DNEG = 119,
    OP_ISHL = 120,
    OP_LUSHR = 125,
    OP_IAND = 126,
    OP_LXOR = 131,
    OP_IINC = 132,
    OP_I2L = 133,
    OP_I2B = 145,
    OP_I2C = 146,
    OP_I2S = 147,
    OP_LCMP = 148,
    OP_FCMPL = 149,
    OP_FCMPG = 150,
    OP_DCMPL = 151,
    OP_DCMPG = 152,
    OP_IFEQ = 153,
    OP_IFLE = 158,
    OP_IF_ICMPEQ = 159,
    OP_IF_ICMPLE = 164,
    OP_IF_ACMPEQ = 165,
    OP_IF_ACMPNE = 166,
    OP_GOTO = 167,
    OP_JSR = 168,
    OP_RET = 169,
    OP_TABLESWITCH = 170,
    OP_LOOKUPSWITCH = 171,
    OP_IRETURN = 172,
    OP_RETURN = 177,
    OP_GETSTATIC = 178,
    OP_PUTSTATIC = 179,
    OP_GETFIELD = 180,
    OP_PUTFIELD = 181,
    OP_INVOKEVIRTUAL = 182,
    OP_INVOKESPECIAL = 183,
    OP_INVOKESTATIC = 184,
    OP_INVOKEINTERFACE = 185,
    OP_INVOKEDYNAMIC = 186,
    OP_NEW = 187,
    OP_NEWARRAY = 188,
    OP_ANEWARRAY = 189,
    OP_ARRAYLENGTH = 190,
    OP_ATHROW = 191,
    OP_CHECKCAST = 192,
    OP_INSTANCEOF = 193,
    OP_MONITORENTER = 194,
    OP_MONITOREXIT = 195,
    OP_WIDE = 196,
    OP_MULTIANEWARRAY = 197,
    OP_IFNULL = 198,
    OP_IFNONNULL = 199,
    OP_GOTO_W = 200,
    OP_JSR_W = 201
};

/* One instruction. `wide` has been resolved: its code is that of the instruction that it widens. */
struct bytecode {
    uint8_t code;
    uint32_t at, next; /* bytecode indexes of it, and of what follows it */
    int32_t operand;   /* the number of a local variable or a constant, an immediate value, the index it jumps to */
    int32_t second;    /* what iinc adds; dimensions of multianewarray */
};

/* Decodes the instruction at an index; false: it is not valid, or not whole. Where a switch leads to
 * bytecode_switch() says. */
bool bytecode_decode(const uint8_t *code, size_t bytes, uint32_t at, struct bytecode *instruction);

/* A switch: target 0 is the default, the others are its cases in order. */
uint32_t bytecode_switch_targets(const uint8_t *code, const struct bytecode *instruction);
uint32_t bytecode_switch_target(const uint8_t *code, const struct bytecode *instruction, uint32_t target);
/* The number of the target for a key. */
uint32_t bytecode_switch_find(const uint8_t *code, const struct bytecode *instruction, int32_t key);

/* Whether it jumps on a condition, to `operand`. */
static inline bool bytecode_is_branch(const struct bytecode *instruction)
{
    return (instruction->code >= OP_IFEQ && instruction->code <= OP_IF_ACMPNE) || instruction->code == OP_IFNULL ||
           instruction->code == OP_IFNONNULL;
}

static inline bool bytecode_is_switch(const struct bytecode *instruction)
{
    return instruction->code == OP_TABLESWITCH || instruction->code == OP_LOOKUPSWITCH;
}

static inline bool bytecode_is_goto(const struct bytecode *instruction)
{
    return instruction->code == OP_GOTO || instruction->code == OP_GOTO_W;
}

/* Whether nothing that follows it is executed after it. */
static inline bool bytecode_ends(const struct bytecode *instruction)
{
    return bytecode_is_goto(instruction) || bytecode_is_switch(instruction) || instruction->code == OP_RET ||
           instruction->code == OP_ATHROW || (instruction->code >= OP_IRETURN && instruction->code <= OP_RETURN);
}

#endif

/*
 * x86_parse.h - internal to the decoder: the parts of one instruction.
 */
#ifndef ASSAY_X86_X86_PARSE_H
#define ASSAY_X86_X86_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/x86/x86.h"

/* The encoding of an opcode, and its opcode map. */
enum x86_space { LEGACY = 1, VEX = 2, EVEX = 4 };
enum x86_map { ONE_BYTE = 0, MAP_0F = 1, MAP_0F38 = 2, MAP_0F3A = 3, MAP_FP16 = 5, MAP_FP16_38 = 6, MAP_XOP8 = 8 };

struct x86_form {
    uint8_t space, map, opcode;
    uint8_t prefix; /* mandatory: 0 none, 1 66, 2 F3, 3 F2, the way VEX counts */
    uint8_t reg;    /* ModRM.reg */
    bool wide;      /* REX.W, VEX.W, EVEX.W */
};

struct x86_parse {
    const uint8_t *code;
    size_t bytes, at;    /* at: the length, once parsed */
    uint8_t rex, repeat; /* REX directly before the opcode, or its bits from VEX and EVEX; the last of F2 and F3 */
    uint8_t segment;     /* 64, 65 or 0 */
    bool operand16, address32, lock;
    uint8_t modrm, modrm_at; /* a register form where there is none; its position */
    uint8_t immediate, flow; /* bytes at the end; enum x86_flow */
    uint8_t length, masked;  /* VEX, EVEX: 0 … 3: 16 … 128 bytes; EVEX: mask and broadcast, 0 without either */
    struct x86_form form;
};

/* The little-endian number in up to 8 bytes, sign-extended. */
static inline int64_t x86_read_signed(const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0, sign = UINT64_C(1) << (8 * bytes - 1);
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << (8 * i);
    return (int64_t)((value ^ sign) - sign);
}

/* The length, or 0 as x86_decode(), with *out untouched. */
unsigned x86_parse(const uint8_t *code, size_t bytes, struct x86_parse *out);

/* The type of an instruction's access to its memory operand, which it must have. */
enum x86_real x86_real_of(const struct x86_form *form);

#endif

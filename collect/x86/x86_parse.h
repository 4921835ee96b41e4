/*
 * x86_parse.h - internal to the decoder: the parts of one instruction.
 */
#ifndef ASSAY_X86_X86_PARSE_H
#define ASSAY_X86_X86_PARSE_H

#include "collect/x86/x86_real.h"

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

/* The length, or 0 as x86_decode(), with *out untouched. */
unsigned x86_parse(const uint8_t *code, size_t bytes, struct x86_parse *out);

#endif

/*
 * x86_real.h - internal to the decoder: the type of an instruction's access to its memory operand.
 */
#ifndef ASSAY_X86_X86_REAL_H
#define ASSAY_X86_X86_REAL_H

#include <stdbool.h>
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

/* Of an instruction with a memory operand. */
enum x86_real x86_real_of(const struct x86_form *form);

#endif

/*
 * x86.h - one x86-64 instruction: its length, its control flow, and whether its memory operand is floating point.
 *
 * Only 64-bit mode. It decodes the legacy encodings (with SSE4a), VEX, EVEX (AVX-512 with FP16) and, by length only,
 * XOP and 3DNow!. Not decoded (length 0) are APX (REX2, EVEX map 4), VEX maps above 3, and what 64-bit mode or every
 * processor refuses: removed and reserved one- and two-byte opcodes, VEX, EVEX or XOP after REX, 66, F2, F3 or F0, more
 * than 15 bytes. A reserved encoding within a defined map or group may still get a length.
 * Near jumps and calls have 32-bit displacements whatever the prefixes, as on Intel's processors (AMD's use 16 bits
 * after 66). Source: Intel SDM volume 2, chapter 2 and appendix A; AMD APM volume 3, appendix A.
 *
 * No state, no memory, no libc: this is compiled into the exact tool. Cost: about 30 ns.
 */
#ifndef ASSAY_X86_X86_H
#define ASSAY_X86_X86_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { X86_LENGTH_MAX = 15 };

enum x86_flow {
    X86_ON = 0,            /* only to the next instruction, as far as the program can see; also rep, int3, syscall */
    X86_JUMP = 1,          /* only to the target */
    X86_BRANCH = 2,        /* to the target or on: jcc, loop, jrcxz, xbegin */
    X86_JUMP_INDIRECT = 3, /* near or far */
    X86_CALL = 4,
    X86_CALL_INDIRECT = 5, /* near or far */
    X86_RETURN = 6,        /* ret, retf, iret, sysret, sysexit */
    X86_STOP = 7           /* hlt, ud0, ud1, ud2 */
};

/*
 * The type of an instruction's access to the memory operand in its ModRM byte: bytes of one floating-point
 * element, whatever the number of elements. For a conversion the type in memory counts. Bitwise operations of the
 * floating-point kind (andps) are of their type. X86_REAL_NONE: integers, vectors of them (movdqa, movq), bcd and bf16,
 * mixed state (fxsave), masks, addresses (lea, prefetch), or no such operand at all: implicit ones (push, movs) don't
 * count.
 *
 * X86_REAL_UNTYPED: the encoding doesn't say. Compilers move integers and doubles alike by movaps, movups, movlps and
 * movhps, for these are a byte shorter; and vinsertf128, vextractf128, vbroadcastf128 and vperm2f128 are the same
 * instruction for floats and doubles.
 */
enum x86_real {
    X86_REAL_NONE = 0,
    X86_REAL_HALF = 2,
    X86_REAL_FLOAT = 4,
    X86_REAL_DOUBLE = 8,
    X86_REAL_EXTENDED = 10, /* x87 */
    X86_REAL_UNTYPED = 255
};

struct x86_instruction {
    uint8_t length;  /* 1 … X86_LENGTH_MAX */
    uint8_t flow;    /* enum x86_flow */
    uint8_t real;    /* enum x86_real */
    uint64_t target; /* of X86_JUMP, X86_BRANCH, X86_CALL; else 0 */
};

/*
 * The instruction at `address`, whose first `bytes` bytes are at code; nothing beyond is read. Returns its
 * length. 0: it can't be decoded, or does not end within `bytes`; *out is untouched.
 */
unsigned x86_decode(const uint8_t *code, size_t bytes, uint64_t address, struct x86_instruction *out);

/*
 * Whether a thread can be stepped over this instruction of `length` bytes by the processor's trap flag. Not over a
 * system call, which may block SIGTRAP, and the kernel ends a process that is stepped then; nor over pushf and popf,
 * which copy the flag, nor over int.
 */
bool x86_may_step(const uint8_t *code, unsigned length);

#endif

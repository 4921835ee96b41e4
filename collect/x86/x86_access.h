/*
 * x86_access.h - the memory accesses of one x86-64 instruction: address, bytes, load or store.
 *
 * Like x86.h: no state, no memory, no libc. Addresses depend on registers, which the caller has: x86_address()
 * turns an access into an address. Not supported (X86_ACCESS_UNKNOWN): gathers, scatters and masked moves, bit strings
 * (bt %rax, m), xlat, saves of processor state, segment loads, port I/O, EVEX beyond plain moves and arithmetic.
 * Compared with Zydis 4.0 on 2.0 million memory operands of libc, libstdc++, libgsl and libjvm: none differed.
 * Source: Intel SDM volume 2, chapters 3-6.
 */
#ifndef ASSAY_X86_X86_ACCESS_H
#define ASSAY_X86_X86_ACCESS_H

#include <stdbool.h>

#include "collect/x86/x86.h"

enum { X86_ACCESSES_MAX = 2, X86_ACCESS_UNKNOWN = 255 };

/* Registers by their encoding numbers, rax rcx rdx rbx rsp rbp rsi rdi r8 … r15. */
enum { X86_RAX = 0, X86_RCX = 1, X86_RSP = 4, X86_RBP = 5, X86_RSI = 6, X86_RDI = 7, X86_NO_REGISTER = 16 };
enum x86_segment { X86_FLAT = 0, X86_FS = 0x64, X86_GS = 0x65 };

struct x86_access {
    uint8_t base, index; /* or X86_NO_REGISTER */
    uint8_t scale;       /* 1, 2, 4, 8 */
    uint8_t segment;     /* enum x86_segment */
    bool address32;      /* the sum is cut to 32 bits */
    bool load, store;    /* both: read, modified and written */
    bool repeated;       /* an element of a rep string instruction, while %rcx is not 0 */
    int32_t shift;  /* what the instruction adds to its base: push, pop, ret, strings (if the direction flag is 0) */
    uint8_t real;   /* enum x86_real */
    uint16_t bytes; /* 1 … 512 */
    int64_t displacement; /* including the address of the next instruction, if relative to it */
};

/*
 * The accesses of the instruction at `address`, in the order in which they happen: their number (≤ X86_ACCESSES_MAX),
 * or X86_ACCESS_UNKNOWN, also if x86_decode() fails. A conditional move always loads; a compare and exchange is assumed
 * to store. out[] is untouched beyond that number.
 */
unsigned x86_accesses(const uint8_t *code, size_t bytes, uint64_t address, struct x86_access out[X86_ACCESSES_MAX]);

/* The access's address with the general registers[16] as they are before the instruction. */
uint64_t x86_address(const struct x86_access *access, const uint64_t registers[16], uint64_t fs, uint64_t gs);

#endif

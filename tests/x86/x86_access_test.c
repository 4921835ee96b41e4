/*
 * x86_access_test.c - the memory that an instruction accesses. Encodings are by GNU as, sizes and kinds by Intel's
 * manual (SDM volume 2).
 */
#include "collect/x86/x86_access.h"

#include <string.h>

#include "tests/tap.h"

enum { RAX = 1000, RCX = 7, RSP = 5000, RSI = 2000, RDI = 3000, FS = 100000 };

static const struct {
    const char *name;
    uint8_t code[16];
    size_t length;
    unsigned count; /* X86_ACCESS_UNKNOWN: can't be told */
    struct {
        uint64_t address;
        unsigned bytes;
        bool load, store;
        unsigned real;
    } access[2];
} cases[] = {
    {"mov (%rax),%ecx", {0x8b, 0x08}, 2, 1, {{1000, 4, true, false, 0}}},
    {"mov %rcx,8(%rax)", {0x48, 0x89, 0x48, 0x08}, 4, 1, {{1008, 8, false, true, 0}}},
    {"mov %cx,-8(%rax,%rcx,2)", {0x66, 0x89, 0x4c, 0x48, 0xf8}, 5, 1, {{1006, 2, false, true, 0}}},
    {"movzbl (%rsi),%eax", {0x0f, 0xb6, 0x06}, 3, 1, {{2000, 1, true, false, 0}}},
    {"addl $1,(%rax)", {0x83, 0x00, 0x01}, 3, 1, {{1000, 4, true, true, 0}}},
    {"cmpl $1,(%rax)", {0x83, 0x38, 0x01}, 3, 1, {{1000, 4, true, false, 0}}},
    {"lock cmpxchg %ecx,(%rsi)", {0xf0, 0x0f, 0xb1, 0x0e}, 4, 1, {{2000, 4, true, true, 0}}},
    {"movsd 16(%rsp),%xmm0", {0xf2, 0x0f, 0x10, 0x44, 0x24, 0x10}, 6, 1, {{5016, 8, true, false, 8}}},
    {"addss (%rax),%xmm1", {0xf3, 0x0f, 0x58, 0x08}, 4, 1, {{1000, 4, true, false, 4}}},
    {"vmovups %ymm0,(%rdi)", {0xc5, 0xfc, 0x11, 0x07}, 4, 1, {{3000, 32, false, true, 255}}},
    {"vmovdqu64 (%rax),%zmm0", {0x62, 0xf1, 0xfe, 0x48, 0x6f, 0x00}, 6, 1, {{1000, 64, true, false, 0}}},
    {"vmovdqu64 (%rax),%zmm0{%k1}", {0x62, 0xf1, 0xfe, 0x49, 0x6f, 0x00}, 6, X86_ACCESS_UNKNOWN, {{0}}},
    {"fldt (%rax)", {0xdb, 0x28}, 2, 1, {{1000, 10, true, false, 10}}},
    {"push %rax", {0x50}, 1, 1, {{4992, 8, false, true, 0}}},
    {"pop %rax", {0x58}, 1, 1, {{5000, 8, true, false, 0}}},
    {"push (%rax)", {0xff, 0x30}, 2, 2, {{1000, 8, true, false, 0}, {4992, 8, false, true, 0}}},
    {"call .+5", {0xe8, 0, 0, 0, 0}, 5, 1, {{4992, 8, false, true, 0}}},
    {"call *(%rax)", {0xff, 0x10}, 2, 2, {{1000, 8, true, false, 0}, {4992, 8, false, true, 0}}},
    {"ret", {0xc3}, 1, 1, {{5000, 8, true, false, 0}}},
    {"jmp *(%rax)", {0xff, 0x20}, 2, 1, {{1000, 8, true, false, 0}}},
    {"movsb", {0xa4}, 1, 2, {{2000, 1, true, false, 0}, {3000, 1, false, true, 0}}},
    {"rep stosq", {0xf3, 0x48, 0xab}, 3, 1, {{3000, 8, false, true, 0}}},
    {"mov %fs:0x28,%rax", {0x64, 0x48, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0}, 9, 1, {{100040, 8, true, false, 0}}},
    {"mov 0x10(%rip),%eax", {0x8b, 0x05, 0x10, 0, 0, 0}, 6, 1, {{0x400016, 4, true, false, 0}}},
    {"lea (%rax),%rcx", {0x48, 0x8d, 0x08}, 3, 0, {{0}}},
    {"nopl (%rax)", {0x0f, 0x1f, 0x00}, 3, 0, {{0}}},
    {"prefetcht0 (%rax)", {0x0f, 0x18, 0x08}, 3, 0, {{0}}},
    {"add %eax,%ecx", {0x01, 0xc1}, 2, 0, {{0}}},
    {"syscall", {0x0f, 0x05}, 2, 0, {{0}}},
    {"vgatherdps %xmm1,(%rax,%xmm2,4),%xmm0", {0xc4, 0xe2, 0x71, 0x92, 0x04, 0x90}, 6, X86_ACCESS_UNKNOWN, {{0}}},
    {"an instruction that lacks a byte", {0x8b, 0x40}, 2, X86_ACCESS_UNKNOWN, {{0}}},
    {"an invalid opcode", {0x06}, 1, X86_ACCESS_UNKNOWN, {{0}}},
};

static void check(size_t i)
{
    const uint64_t registers[16] = {
        [X86_RAX] = RAX, [X86_RCX] = RCX, [X86_RSP] = RSP, [X86_RSI] = RSI, [X86_RDI] = RDI};
    struct x86_access got[X86_ACCESSES_MAX];
    unsigned count = x86_accesses(cases[i].code, cases[i].length, 0x400000, got);
    ok(count == cases[i].count, "%s has %u accesses", cases[i].name, count);
    for (unsigned a = 0; count == cases[i].count && count != X86_ACCESS_UNKNOWN && a < count; a++) {
        uint64_t address = x86_address(&got[a], registers, FS, 0);
        ok(address == cases[i].access[a].address && got[a].bytes == cases[i].access[a].bytes &&
               got[a].load == cases[i].access[a].load && got[a].store == cases[i].access[a].store &&
               got[a].real == cases[i].access[a].real,
           "  %u bytes at %lu, load %d, store %d, type %u", got[a].bytes, (unsigned long)address, got[a].load,
           got[a].store, got[a].real);
    }
}

int main(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(i);
    return done_testing();
}

/*
 * x86_test.c - encodings derived by hand from the Intel SDM, volume 2 (XOP and SSE4a: AMD APM, volume 4), with the
 * instruction beside each. All are decoded at BASE.
 */
#include "collect/x86/x86.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/tap.h"

#define BASE UINT64_C(0x7f0000401000)

struct known {
    const char *hex;
    uint8_t flow, real;
    int64_t target; /* relative to BASE */
    const char *what;
};

static const struct known flows[] = {
    {"c3", X86_RETURN, 0, 0, "ret"},
    {"c2 08 00", X86_RETURN, 0, 0, "ret $8"},
    {"f3 c3", X86_RETURN, 0, 0, "rep ret"},
    {"ca 08 00", X86_RETURN, 0, 0, "lret $8"},
    {"48 cb", X86_RETURN, 0, 0, "lretq"},
    {"48 cf", X86_RETURN, 0, 0, "iretq"},
    {"48 0f 07", X86_RETURN, 0, 0, "sysretq"},
    {"0f 05", X86_ON, 0, 0, "syscall"},
    {"cc", X86_ON, 0, 0, "int3"},
    {"cd 80", X86_ON, 0, 0, "int $0x80"},
    {"e8 fb ff ff ff", X86_CALL, 0, 0, "call itself"},
    {"66 48 e8 00 01 00 00", X86_CALL, 0, 0x107, "data16 rex.W call, as for __tls_get_addr"},
    {"e9 10 00 00 00", X86_JUMP, 0, 0x15, "jmp"},
    {"eb fe", X86_JUMP, 0, 0, "jmp to itself"},
    {"f2 eb 7f", X86_JUMP, 0, 0x82, "bnd jmp"},
    {"74 80", X86_BRANCH, 0, -126, "je backward"},
    {"2e 75 02", X86_BRANCH, 0, 5, "jne,pn"},
    {"0f 84 00 01 00 00", X86_BRANCH, 0, 0x106, "je near"},
    {"0f 8f 00 00 00 80", X86_BRANCH, 0, 6 - INT64_C(0x80000000), "jg, the farthest"},
    {"e3 05", X86_BRANCH, 0, 7, "jrcxz"},
    {"67 e3 05", X86_BRANCH, 0, 8, "jecxz"},
    {"e2 fb", X86_BRANCH, 0, -3, "loop"},
    {"c7 f8 06 00 00 00", X86_BRANCH, 0, 12, "xbegin"},
    {"c6 f8 01", X86_ON, 0, 0, "xabort"},
    {"ff d0", X86_CALL_INDIRECT, 0, 0, "call *%rax"},
    {"41 ff d4", X86_CALL_INDIRECT, 0, 0, "call *%r12"},
    {"ff 15 00 00 00 00", X86_CALL_INDIRECT, 0, 0, "call *0(%rip)"},
    {"ff 1f", X86_CALL_INDIRECT, 0, 0, "lcall *(%rdi)"},
    {"3e ff e0", X86_JUMP_INDIRECT, 0, 0, "notrack jmp *%rax"},
    {"ff 24 c5 00 10 40 00", X86_JUMP_INDIRECT, 0, 0, "jmp *0x401000(,%rax,8)"},
    {"ff 2f", X86_JUMP_INDIRECT, 0, 0, "ljmp *(%rdi)"},
    {"ff 30", X86_ON, 0, 0, "push (%rax)"},
    {"ff 07", X86_ON, 0, 0, "incl (%rdi)"},
    {"f4", X86_STOP, 0, 0, "hlt"},
    {"0f 0b", X86_STOP, 0, 0, "ud2"},
    {"0f b9 40 02", X86_STOP, 0, 0, "ud1 2(%rax),%eax"},
    {"0f ff c0", X86_STOP, 0, 0, "ud0 %eax,%eax"},
    {"f3 a4", X86_ON, 0, 0, "rep movsb"},
    {"f3 48 ab", X86_ON, 0, 0, "rep stosq"},
    {"a5", X86_ON, 0, 0, "movsl, Intel's movsd"},
};

static const struct known lengths[] = {
    {"90", 0, 0, 0, "nop"},
    {"66 66 2e 0f 1f 84 00 00 00 00 00", 0, 0, 0, "data16 cs nopw"},
    {"f3 0f 1e fa", 0, 0, 0, "endbr64"},
    {"05 01 02 03 04", 0, 0, 0, "add $,%eax"},
    {"66 05 01 02", 0, 0, 0, "add $,%ax"},
    {"48 05 01 02 03 04", 0, 0, 0, "add $,%rax"},
    {"66 48 05 01 02 03 04", 0, 0, 0, "add $,%rax: REX.W before 66"},
    {"48 66 05 01 02", 0, 0, 0, "add $,%ax: REX before a prefix has no effect"},
    {"b0 01", 0, 0, 0, "mov $,%al"},
    {"b8 01 02 03 04", 0, 0, 0, "mov $,%eax"},
    {"66 b8 01 02", 0, 0, 0, "mov $,%ax"},
    {"49 bf 01 02 03 04 05 06 07 08", 0, 0, 0, "movabs $,%r15"},
    {"a1 01 02 03 04 05 06 07 08", 0, 0, 0, "movabs mem,%eax"},
    {"67 a1 01 02 03 04", 0, 0, 0, "addr32 mov mem,%eax"},
    {"c8 10 00 01", 0, 0, 0, "enter"},
    {"68 01 02 03 04", 0, 0, 0, "push $"},
    {"66 68 01 02", 0, 0, 0, "pushw $"},
    {"6a 01", 0, 0, 0, "push $, short"},
    {"69 c0 01 02 03 04", 0, 0, 0, "imul $,%eax,%eax"},
    {"6b c0 08", 0, 0, 0, "imul $, short"},
    {"f6 07 01", 0, 0, 0, "testb $,(%rdi)"},
    {"f6 17", 0, 0, 0, "notb (%rdi)"},
    {"f7 07 01 02 03 04", 0, 0, 0, "testl $,(%rdi)"},
    {"66 f7 07 01 02", 0, 0, 0, "testw $,(%rdi)"},
    {"48 f7 d8", 0, 0, 0, "neg %rax"},
    {"80 3d 00 00 00 00 01", 0, 0, 0, "cmpb $,0(%rip)"},
    {"66 81 3f 01 02", 0, 0, 0, "cmpw $,(%rdi)"},
    {"48 81 ec 01 02 03 04", 0, 0, 0, "sub $,%rsp"},
    {"c7 05 00 00 00 00 01 02 03 04", 0, 0, 0, "movl $,0(%rip)"},
    {"48 c7 44 24 08 01 02 03 04", 0, 0, 0, "movq $,8(%rsp)"},
    {"c6 07 01", 0, 0, 0, "movb $,(%rdi)"},
    {"d1 e0", 0, 0, 0, "shl %eax"},
    {"c1 e0 04", 0, 0, 0, "shl $,%eax"},
    {"0f ba e0 05", 0, 0, 0, "bt $,%eax"},
    {"0f a4 d0 04", 0, 0, 0, "shld $"},
    {"0f a5 d0", 0, 0, 0, "shld %cl"},
    {"e4 60", 0, 0, 0, "in $"},
    {"8f 00", 0, 0, 0, "pop (%rax)"},
    {"48 63 04 8a", 0, 0, 0, "movslq (%rdx,%rcx,4),%rax"},
    {"0f b6 07", 0, 0, 0, "movzbl (%rdi),%eax"},
    {"0f c8", 0, 0, 0, "bswap %eax"},
    {"0f 0f 07 9e", 0, 0, 0, "pfadd (%rdi),%mm0"},
    {"8b 00", 0, 0, 0, "mov (%rax),%eax"},
    {"8b 05 00 00 00 00", 0, 0, 0, "mov 0(%rip),%eax"},
    {"8b 04 25 00 10 40 00", 0, 0, 0, "mov 0x401000,%eax"},
    {"8b 04 6d 00 00 00 00", 0, 0, 0, "mov 0(,%rbp,2),%eax"},
    {"8b 45 08", 0, 0, 0, "mov 8(%rbp),%eax"},
    {"41 8b 45 00", 0, 0, 0, "mov 0(%r13),%eax"},
    {"8b 80 00 01 00 00", 0, 0, 0, "mov 256(%rax),%eax"},
    {"8b 04 24", 0, 0, 0, "mov (%rsp),%eax"},
    {"8b 44 24 08", 0, 0, 0, "mov 8(%rsp),%eax"},
    {"8b 84 24 00 01 00 00", 0, 0, 0, "mov 256(%rsp),%eax"},
    {"8b c4", 0, 0, 0, "mov %esp,%eax: no SIB"},
    {"64 48 8b 04 25 28 00 00 00", 0, 0, 0, "mov %fs:0x28,%rax"},
    {"2e 2e 2e 2e 81 84 24 01 02 03 04 05 06 07 08", 0, 0, 0, "15 bytes"},
    {"66 0f 78 c0 05 06", 0, 0, 0, "extrq $5,$6,%xmm0"},
    {"f2 0f 78 c1 05 06", 0, 0, 0, "insertq $5,$6,%xmm1,%xmm0"},
    {"8f e8 78 c0 07 03", 0, 0, 0, "vprotb $3,(%rdi),%xmm0 (XOP)"},
    {"8f e9 78 90 07", 0, 0, 0, "vprotb %xmm0,(%rdi),%xmm0 (XOP)"},
    {"8f ea 78 10 07 01 02 03 04", 0, 0, 0, "bextr $,(%rdi),%eax (XOP)"},
    {"c5 f8 77", 0, 0, 0, "vzeroupper"},
    {"c5 fb 92 c0", 0, 0, 0, "kmovd %eax,%k0"},
    {"c5 f9 70 c1 1b", 0, 0, 0, "vpshufd $"},
    {"c4 e2 78 f2 c1", 0, 0, 0, "andn"},
    {"c4 e3 7b f0 c1 05", 0, 0, 0, "rorx $"},
};

#define U X86_REAL_UNTYPED
static const struct known sse[] = {
    {"f3 0f 10 07", 0, 4, 0, "movss (%rdi),%xmm0"},
    {"f3 0f 10 c1", 0, 0, 0, "movss %xmm1,%xmm0"},
    {"f2 0f 10 05 00 00 00 00", 0, 8, 0, "movsd 0(%rip),%xmm0"},
    {"f2 44 0f 11 44 24 08", 0, 8, 0, "movsd %xmm8,8(%rsp)"},
    {"66 f2 0f 10 07", 0, 8, 0, "movsd after 66: F2 counts"},
    {"0f 10 07", 0, U, 0, "movups"},
    {"0f 29 07", 0, U, 0, "movaps"},
    {"66 0f 11 07", 0, 8, 0, "movupd"},
    {"66 0f 28 07", 0, 8, 0, "movapd"},
    {"0f 12 07", 0, U, 0, "movlps"},
    {"0f 12 c1", 0, 0, 0, "movhlps"},
    {"66 0f 13 07", 0, 8, 0, "movlpd"},
    {"0f 17 07", 0, U, 0, "movhps"},
    {"f3 0f 16 07", 0, 4, 0, "movshdup"},
    {"f2 0f 12 07", 0, 8, 0, "movddup"},
    {"0f 2b 07", 0, 4, 0, "movntps"},
    {"0f 58 07", 0, 4, 0, "addps"},
    {"66 0f 58 07", 0, 8, 0, "addpd"},
    {"f3 0f 5e 07", 0, 4, 0, "divss"},
    {"f2 0f 51 07", 0, 8, 0, "sqrtsd"},
    {"0f 57 07", 0, 4, 0, "xorps"},
    {"66 0f 54 07", 0, 8, 0, "andpd"},
    {"0f 2e 07", 0, 4, 0, "ucomiss"},
    {"66 0f 2f 07", 0, 8, 0, "comisd"},
    {"f2 0f 2a 07", 0, 0, 0, "cvtsi2sdl: an integer in memory"},
    {"f3 48 0f 2a 07", 0, 0, 0, "cvtsi2ssq"},
    {"0f 2a 07", 0, 0, 0, "cvtpi2ps"},
    {"f2 48 0f 2c 07", 0, 8, 0, "cvttsd2si"},
    {"f3 0f 2d 07", 0, 4, 0, "cvtss2si"},
    {"0f 5a 07", 0, 4, 0, "cvtps2pd"},
    {"66 0f 5a 07", 0, 8, 0, "cvtpd2ps"},
    {"f3 0f 5a 07", 0, 4, 0, "cvtss2sd"},
    {"f2 0f 5a 07", 0, 8, 0, "cvtsd2ss"},
    {"0f 5b 07", 0, 0, 0, "cvtdq2ps"},
    {"f3 0f 5b 07", 0, 4, 0, "cvttps2dq"},
    {"f3 0f e6 07", 0, 0, 0, "cvtdq2pd"},
    {"f2 0f e6 07", 0, 8, 0, "cvtpd2dq"},
    {"66 0f e7 07", 0, 0, 0, "movntdq"},
    {"f2 0f 7c 07", 0, 4, 0, "haddps"},
    {"66 0f d0 07", 0, 8, 0, "addsubpd"},
    {"0f c6 07 1b", 0, 4, 0, "shufps"},
    {"f2 0f c2 07 01", 0, 8, 0, "cmpltsd"},
    {"66 0f 14 07", 0, 8, 0, "unpcklpd"},
    {"66 0f 3a 0c 07 05", 0, 4, 0, "blendps"},
    {"66 0f 38 15 07", 0, 8, 0, "blendvpd"},
    {"66 0f 3a 0a 07 01", 0, 4, 0, "roundss"},
    {"66 0f 3a 41 07 ff", 0, 8, 0, "dppd"},
    {"66 0f 3a 17 07 01", 0, 4, 0, "extractps"},
    {"66 0f 3a 16 07 01", 0, 0, 0, "pextrd"},
    {"66 0f 6f 07", 0, 0, 0, "movdqa"},
    {"f3 0f 7f 07", 0, 0, 0, "movdqu"},
    {"f3 0f 7e 07", 0, 0, 0, "movq"},
    {"66 0f fe 07", 0, 0, 0, "paddd"},
    {"0f ae 07", 0, 0, 0, "fxsave"},
    {"0f ae 17", 0, 0, 0, "ldmxcsr"},
    {"f2 0f 38 f1 07", 0, 0, 0, "crc32"},
    {"0f 38 c8 07", 0, 0, 0, "sha1nexte"},
};

static const struct known x87[] = {
    {"d9 07", 0, 4, 0, "flds"},   {"d9 1f", 0, 4, 0, "fstps"},
    {"d8 07", 0, 4, 0, "fadds"},  {"dd 07", 0, 8, 0, "fldl"},
    {"dd 17", 0, 8, 0, "fstl"},   {"dc 0f", 0, 8, 0, "fmull"},
    {"db 2f", 0, 10, 0, "fldt"},  {"db 7d f0", 0, 10, 0, "fstpt -16(%rbp)"},
    {"da 07", 0, 0, 0, "fiaddl"}, {"de 07", 0, 0, 0, "fiadds"},
    {"db 07", 0, 0, 0, "fildl"},  {"dd 0f", 0, 0, 0, "fisttpll"},
    {"df 2f", 0, 0, 0, "fildll"}, {"df 27", 0, 0, 0, "fbld"},
    {"d9 2f", 0, 0, 0, "fldcw"},  {"d9 37", 0, 0, 0, "fnstenv"},
    {"dd 37", 0, 0, 0, "fnsave"}, {"d9 c1", 0, 0, 0, "fld %st(1)"},
};

static const struct known vex[] = {
    {"c5 fa 10 07", 0, 4, 0, "vmovss"},
    {"c5 fb 11 07", 0, 8, 0, "vmovsd"},
    {"c5 fc 28 07", 0, U, 0, "vmovaps"},
    {"c5 fc 11 07", 0, U, 0, "vmovups"},
    {"c5 fd 28 07", 0, 8, 0, "vmovapd"},
    {"c5 f4 58 07", 0, 4, 0, "vaddps"},
    {"c5 f4 c2 07 01", 0, 4, 0, "vcmpltps"},
    {"c4 c1 73 58 45 08", 0, 8, 0, "vaddsd 8(%r13),%xmm1,%xmm0"},
    {"c5 fb 2a 07", 0, 0, 0, "vcvtsi2sd"},
    {"c5 fe 6f 07", 0, 0, 0, "vmovdqu"},
    {"c4 e2 7d 18 07", 0, 4, 0, "vbroadcastss"},
    {"c4 e2 7d 19 07", 0, 8, 0, "vbroadcastsd"},
    {"c4 e2 7d 1a 07", 0, U, 0, "vbroadcastf128"},
    {"c4 e2 7d 5a 07", 0, 0, 0, "vbroadcasti128"},
    {"c4 e2 f1 98 07", 0, 8, 0, "vfmadd132pd"},
    {"c4 e2 71 b9 07", 0, 4, 0, "vfmadd231ss"},
    {"c4 e2 75 2c 07", 0, 4, 0, "vmaskmovps, load"},
    {"c4 e2 75 2f 07", 0, 8, 0, "vmaskmovpd, store"},
    {"c4 e2 75 8c 07", 0, 0, 0, "vpmaskmovd"},
    {"c4 e2 69 92 04 8f", 0, 4, 0, "vgatherdps"},
    {"c4 e2 e9 92 04 8f", 0, 8, 0, "vgatherdpd"},
    {"c4 e2 69 90 04 8f", 0, 0, 0, "vpgatherdd"},
    {"c4 e2 79 13 07", 0, 2, 0, "vcvtph2ps"},
    {"c4 e3 79 1d 07 00", 0, 2, 0, "vcvtps2ph"},
    {"c4 e3 75 18 07 01", 0, U, 0, "vinsertf128"},
    {"c4 e3 7d 19 07 01", 0, U, 0, "vextractf128"},
    {"c4 e3 75 38 07 01", 0, 0, 0, "vinserti128"},
    {"c4 e3 75 06 07 20", 0, U, 0, "vperm2f128"},
    {"c4 e3 fd 01 07 1b", 0, 8, 0, "vpermpd"},
    {"c4 e3 fd 00 07 1b", 0, 0, 0, "vpermq"},
    {"c4 e3 75 4a 07 20", 0, 4, 0, "vblendvps"},
    {"c4 e2 75 14 07", 0, 0, 0, "VEX has no blendvps"},
    {"c4 e3 f1 6b 07 20", 0, 8, 0, "vfmaddsd (FMA4)"},
    {"c4 e3 f1 78 07 20", 0, 4, 0, "vfnmaddps (FMA4)"},
};

static const struct known evex[] = {
    {"62 f1 7c 48 28 07", 0, U, 0, "vmovaps"},
    {"62 f1 7c 48 10 47 01", 0, U, 0, "vmovups 64(%rdi),%zmm0"},
    {"62 f1 fd 48 28 07", 0, 8, 0, "vmovapd"},
    {"62 f1 74 48 58 07", 0, 4, 0, "vaddps"},
    {"62 f1 f5 58 58 07", 0, 8, 0, "vaddpd (%rdi){1to8}"},
    {"62 f1 fd 48 6f 07", 0, 0, 0, "vmovdqa64"},
    {"62 f1 fc 48 79 07", 0, 8, 0, "vcvtpd2udq"},
    {"62 f1 7f 48 7a 07", 0, 0, 0, "vcvtudq2ps"},
    {"62 f1 7d 48 7b 07", 0, 4, 0, "vcvtps2qq"},
    {"62 f2 f5 48 98 07", 0, 8, 0, "vfmadd132pd"},
    {"62 f2 7d 48 19 07", 0, 4, 0, "vbroadcastf32x2"},
    {"62 f2 fd 48 19 07", 0, 8, 0, "vbroadcastsd"},
    {"62 f2 75 48 14 07", 0, 0, 0, "vprorvd"},
    {"62 f2 f5 48 b4 07", 0, 0, 0, "vpmadd52luq"},
    {"62 f3 75 48 18 07 01", 0, 4, 0, "vinsertf32x4"},
    {"62 f3 fd 48 1b 07 01", 0, 8, 0, "vextractf64x4"},
    {"62 f3 75 48 25 07 ff", 0, 0, 0, "vpternlogd"},
    {"62 f3 fd 48 09 07 01", 0, 8, 0, "vrndscalepd"},
    {"62 f5 74 48 58 07", 0, 2, 0, "vaddph"},
    {"62 f5 7e 08 10 07", 0, 2, 0, "vmovsh"},
    {"62 f5 7d 08 6e 07", 0, 0, 0, "vmovw"},
    {"62 f6 75 48 98 07", 0, 2, 0, "vfmadd132ph"},
};

/* Invalid instructions, to which zeros are appended. */
static const char *const refused[] = {
    "06",
    "07",
    "0e",
    "16",
    "17",
    "1e",
    "1f",
    "27",
    "2f",
    "37",
    "3f",
    "60",
    "61", /* invalid in 64-bit mode */
    "82",
    "9a",
    "ce",
    "d4",
    "d5",
    "d6",
    "ea", /* invalid in 64-bit mode; D5 is APX's REX2 */
    "0f 04",
    "0f 0a",
    "0f 0c",
    "0f 24",
    "0f 36",
    "0f 39",
    "0f 7a",
    "0f a6", /* reserved */
    "48 c5 fa 10 07",
    "66 c5 f8 28 07",
    "f3 c5 f8 28 07",
    "f0 c5 f8 28 07", /* prefixes before VEX */
    "48 62 f1 7c 48 28 07",
    "66 8f e9 78 90 07",
    "c4 e0 7d 18 07",
    "c4 e7 7d 18 07",
    "62 f0 7c 48 28 07",
    "62 f4 7c 48 28 07",
    "62 f7 7c 48 28 07",
    "62 f9 7c 48 28 07",
    "62 f1 78 48 28 07",
    "2e 2e 2e 2e 2e 81 84 24 01 02 03 04 05 06 07 08", /* 16 bytes */
    "66 66 66 66 66 66 66 66 66 66 66 66 66 66 66 90",
};

/* A page that no readable one follows: the bytes are put at its end. */
enum { PAGE = 4096 };
static uint8_t *page;

static uint8_t *before_end(const uint8_t *bytes, size_t count)
{
    uint8_t *at = page + PAGE - count;
    for (size_t i = 0; i < count; i++)
        at[i] = bytes[i];
    return at;
}

static size_t parse_hex(const char *hex, uint8_t *bytes)
{
    size_t count = 0;
    for (char *end; *hex; hex = end)
        bytes[count++] = (uint8_t)strtoul(hex, &end, 16);
    return count;
}

static bool is_cut(const uint8_t *bytes, size_t count)
{
    struct x86_instruction out = {0}, before = out;
    for (size_t i = 0; i < count; i++)
        if (x86_decode(before_end(bytes, i), i, BASE, &out) != 0 || memcmp(&out, &before, sizeof out) != 0)
            return false;
    return true;
}

static void check(const struct known *known)
{
    uint8_t bytes[32], longer[64];
    size_t count = parse_hex(known->hex, bytes);
    struct x86_instruction one = {0}, two = {0};
    bool direct = known->flow == X86_JUMP || known->flow == X86_BRANCH || known->flow == X86_CALL;
    uint64_t target = direct ? BASE + (uint64_t)known->target : 0;
    memset(longer, 0xff, sizeof longer);
    memcpy(longer, bytes, count);
    unsigned length = x86_decode(before_end(bytes, count), count, BASE, &one);
    x86_decode(longer, sizeof longer, BASE, &two);
    bool good = length == count && one.length == count && one.flow == known->flow && one.real == known->real &&
                one.target == target && two.length == count && two.flow == one.flow && two.target == target;
    if (!ok(good && is_cut(bytes, count), "%s", known->what))
        printf("# %s: length %u, flow %u, real %u, target %" PRIx64 "; followed by FF: length %u\n", known->hex, length,
               one.flow, one.real, one.target, two.length);
}

#define CHECK_ALL(table)                                                                                               \
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)                                                          \
    check(&table[i])

static void test_refused(void)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        uint8_t bytes[64] = {0};
        struct x86_instruction out = {1, 2, 3, 4}, before = out;
        parse_hex(refused[i], bytes);
        unsigned length = x86_decode(bytes, sizeof bytes, BASE, &out);
        ok(length == 0 && memcmp(&out, &before, sizeof out) == 0, "refused: %s", refused[i]);
    }
}

/* Whatever the bytes, the result does not depend on what follows the instruction, and a part of one is not an
 * instruction. */
static void test_random(void)
{
    uint64_t state = 1;
    unsigned decoded = 0, wrong = 0;
    for (unsigned round = 0; round < 200000; round++) {
        uint8_t bytes[24];
        struct x86_instruction one, two;
        for (size_t i = 0; i < sizeof bytes; i++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            bytes[i] = (uint8_t)(state >> 56);
        }
        unsigned length = x86_decode(bytes, sizeof bytes, BASE, &one);
        if (length == 0)
            continue;
        decoded++;
        wrong += length > X86_LENGTH_MAX || x86_decode(before_end(bytes, length), length, BASE, &two) != length ||
                 one.flow != two.flow || one.real != two.real || one.target != two.target ||
                 x86_decode(before_end(bytes, length - 1), length - 1, BASE, &two) != 0;
    }
    ok(decoded > 100000, "more than half of 200000 random strings are instructions: %u", decoded);
    is_u64(wrong, 0, "  and no result depends on what follows the instruction");
}

int main(void)
{
    page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED || mprotect(page + PAGE, PAGE, PROT_NONE) != 0)
        return 1;
    test_refused();
    CHECK_ALL(flows);
    CHECK_ALL(lengths);
    CHECK_ALL(sse);
    CHECK_ALL(x87);
    CHECK_ALL(vex);
    CHECK_ALL(evex);
    test_random();
    return done_testing();
}

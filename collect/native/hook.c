/*
 * What patched functions run. The program relies on every register here, not only on those that the calling convention
 * keeps: the compiler knows what a function of the same file changes. So the usual case does with general registers,
 * and all others are saved around the rest (shadow.c).
 */
#pragma GCC target("general-regs-only")
#include "collect/methods/methods.h"
#include "collect/native/patch.h"

/*
 * Both begin with 8 bytes on the stack that the program doesn't know: the function's number, or room for the return
 * address. The stack is aligned anew, as functions of one file may agree on less. `frame` + 80 is the address of those
 * bytes. What the stack holds below 128 bytes under its pointer no signal handler touches.
 */
#define SAVE                                                                                                           \
    "push %rax\n push %rcx\n push %rdx\n push %rsi\n push %rdi\n push %r8\n push %r9\n push %r10\n push %r11\n"        \
    "push %rbp\n mov %rsp, %rbp\n cld\n and $-16, %rsp\n"
#define RESTORE                                                                                                        \
    "mov %rbp, %rsp\n pop %rbp\n pop %r11\n pop %r10\n pop %r9\n pop %r8\n pop %rdi\n pop %rsi\n pop %rdx\n"           \
    "pop %rcx\n pop %rax\n"
/* x87, SSE, AVX and AVX-512 registers: 2,696 bytes at most, at a multiple of 64, with a header of zeros. */
#define CALL_SLOWLY(function)                                                                                          \
    "sub $2816, %rsp\n and $-64, %rsp\n"                                                                               \
    "xor %eax, %eax\n"                                                                                                 \
    "mov %rax, 512(%rsp)\n mov %rax, 520(%rsp)\n mov %rax, 528(%rsp)\n mov %rax, 536(%rsp)\n"                          \
    "mov %rax, 544(%rsp)\n mov %rax, 552(%rsp)\n mov %rax, 560(%rsp)\n mov %rax, 568(%rsp)\n"                          \
    "mov $0xe7, %eax\n xor %edx, %edx\n xsave64 (%rsp)\n"                                                              \
    "mov 80(%rbp), %rdi\n lea 80(%rbp), %rsi\n call " function "\n mov %rax, %rcx\n"                                   \
    "mov $0xe7, %eax\n xor %edx, %edx\n xrstor64 (%rsp)\n mov %rcx, %rax\n"

__asm__(
    ".pushsection .text\n"
    ".balign 16\n"
    ".hidden assay_patch_enter\n .globl assay_patch_enter\n"
    ".hidden assay_patch_return\n .globl assay_patch_return\n"
    ".type assay_patch_enter, @function\n"
    "assay_patch_enter:\n" SAVE "mov 80(%rbp), %rdi\n lea 80(%rbp), %rsi\n"
    "call hook_enter\n test %rax, %rax\n jnz 1f\n" CALL_SLOWLY(
        "hook_enter_slowly") "1: mov %rax, 80(%rbp)\n"
                             "bt $63, %rax\n jc 2f\n" RESTORE "add $16, %rsp\n"
                             "call *-16(%rsp)\n"
                             "assay_patch_return:\n"
                             "sub $8, %rsp\n" SAVE "mov 80(%rbp), %rdi\n lea 80(%rbp), %rsi\n"
                             "call hook_leave\n test %rax, %rax\n jnz 3f\n" CALL_SLOWLY(
                                 "hook_leave_slowly") "3:" RESTORE "ret\n"
                                                      "2: btr $63, %rax\n mov %rax, 80(%rbp)\n" RESTORE "add $8, %rsp\n"
                                                      "jmp *-8(%rsp)\n"
                                                      ".size assay_patch_enter, . - assay_patch_enter\n"
                                                      ".balign 16\n"
                                                      ".hidden assay_patch_empty\n .globl assay_patch_empty\n"
                                                      ".hidden assay_patch_empty_rest\n .globl assay_patch_empty_rest\n"
                                                      "assay_patch_empty: push $0\n jmp assay_patch_enter\n"
                                                      "assay_patch_empty_rest: ret\n"
                                                      ".popsection\n");

#define LOCAL __attribute__((visibility("hidden"), used))

/* The address at which the function goes on; 0: not the usual case. `number`: at slot − 1. */
LOCAL uint64_t hook_enter(uint64_t number, uint64_t *below);
LOCAL uint64_t hook_enter(uint64_t number, uint64_t *below)
{
    struct shadow *shadow = shadow_own;
    uint64_t *slot = below + 1;
    if (!shadow || shadow->count == SHADOW_ENTRIES)
        return 0;
    bool last_act = *slot == SHADOW_HOOK; /* of the function that returns through the same place */
    if (shadow->count > 0 && (uint64_t)shadow->entries[shadow->count - 1].slot < (uint64_t)slot + !last_act)
        return 0;
    const struct patch_function *function = &patch_functions[number];
    uint64_t place = (uint64_t)slot | (last_act ? 0 : METHODS_PLACE_FRESH);
    if (!methods_mark_plain(MARK_ENTER, function->method, place))
        return 0;
    shadow_push(shadow, &(struct shadow_entry){slot, *slot, function->method});
    return function->resume;
}

/* Puts the return address at `slot`; 0: not the usual case. */
LOCAL uint64_t hook_leave(uint64_t nothing, uint64_t *slot);
LOCAL uint64_t hook_leave(uint64_t nothing, uint64_t *slot)
{
    (void)nothing;
    struct shadow *shadow = shadow_own;
    if (!shadow || shadow->count == 0)
        return 0;
    const struct shadow_entry *entry = &shadow->entries[shadow->count - 1];
    if (entry->slot != slot || !methods_mark_plain(MARK_EXIT, entry->method, (uint64_t)slot))
        return 0;
    *slot = entry->real;
    *(volatile size_t *)&shadow->count = shadow->count - 1;
    return 1;
}

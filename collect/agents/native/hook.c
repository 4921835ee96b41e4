/*
 * The code that patched functions run. The program relies on every register here, not only on those that the calling
 * convention preserves: the compiler knows what a function of the same file changes. So the usual case uses only
 * general registers, and all others are saved around the rest (shadow.c).
 */
#ifdef __SSE__
#error "the Makefile has flags for this file"
#endif
#include "collect/methods/methods.h"
#include "collect/agents/native/chosen.h"
#include "collect/agents/native/patch.h"

/*
 * Both begin with 8 bytes on the stack that the program doesn't know of: the function's number, or space for the return
 * address. The stack is aligned anew, since functions of one file may agree on a smaller alignment. `frame` + 80 is the
 * address of those bytes. Signal handlers spare the 128 bytes below the stack pointer.
 */
#define SAVE                                                                                                           \
    "push %rax\n push %rcx\n push %rdx\n push %rsi\n push %rdi\n push %r8\n push %r9\n push %r10\n push %r11\n"        \
    "push %rbp\n mov %rsp, %rbp\n cld\n and $-16, %rsp\n"
#define RESTORE                                                                                                        \
    "mov %rbp, %rsp\n pop %rbp\n pop %r11\n pop %r10\n pop %r9\n pop %r8\n pop %rdi\n pop %rsi\n pop %rdx\n"           \
    "pop %rcx\n pop %rax\n"
/*
 * The program may have little stack left, so this needs no more than 200 bytes of it: it works on the stack of the
 * shadow stack, unless the thread has none yet, or is at work there (in a signal handler that interrupted this). x87,
 * SSE, AVX and AVX-512 registers: 2,696 bytes at most, at a multiple of 64, with a header of zeros.
 */
#define CALL_SLOWLY(function)                                                                                          \
    "mov shadow_own@gottpoff(%rip), %rcx\n mov %fs:(%rcx), %rcx\n"                                                     \
    "test %rcx, %rcx\n jz 7f\n"                                                                                        \
    "cmpq $0, (%rcx)\n jne 7f\n"                                                                                       \
    "movq $1, (%rcx)\n mov 8(%rcx), %rsp\n"                                                                            \
    "7: sub $2816, %rsp\n and $-64, %rsp\n"                                                                            \
    "xor %eax, %eax\n"                                                                                                 \
    "mov %rax, 512(%rsp)\n mov %rax, 520(%rsp)\n mov %rax, 528(%rsp)\n mov %rax, 536(%rsp)\n"                          \
    "mov %rax, 544(%rsp)\n mov %rax, 552(%rsp)\n mov %rax, 560(%rsp)\n mov %rax, 568(%rsp)\n"                          \
    "mov $0xe7, %eax\n xor %edx, %edx\n xsave64 (%rsp)\n"                                                              \
    "mov 80(%rbp), %rdi\n lea 80(%rbp), %rsi\n call " function "\n mov %rax, %r11\n"                                   \
    "mov $0xe7, %eax\n xor %edx, %edx\n xrstor64 (%rsp)\n mov %r11, %rax\n"                                            \
    "mov shadow_own@gottpoff(%rip), %rcx\n mov %fs:(%rcx), %rcx\n"                                                     \
    "test %rcx, %rcx\n jz 9f\n"                                                                                        \
    "mov 8(%rcx), %rdx\n sub %rsp, %rdx\n cmp $2816, %rdx\n jne 9f\n"                                                  \
    "movq $0, (%rcx)\n"                                                                                                \
    "9:\n"

__asm__(
    ".pushsection .text\n"
    ".balign 16\n"
    ".hidden assay_patch_enter\n .globl assay_patch_enter\n"
    ".hidden assay_patch_return\n .globl assay_patch_return\n"
    ".type assay_patch_enter, @function\n"
    "assay_patch_enter:\n" SAVE
    /* Where hook_enter_slowly() is called, a walk finds this to be the function itself, called by its caller. */
    ".cfi_startproc\n .cfi_def_cfa %rbp, 96\n .cfi_offset %rbp, -96\n"
    "mov 80(%rbp), %rdi\n lea 80(%rbp), %rsi\n"
    "call hook_enter\n test %rax, %rax\n jnz 1f\n" CALL_SLOWLY(
        "hook_enter_slowly") ".cfi_endproc\n"
                             "1: mov %rax, 80(%rbp)\n"
                             "bt $63, %rax\n jc 2f\n" RESTORE "add $16, %rsp\n"
                             "call *-16(%rsp)\n"
                             "assay_patch_return:\n"
                             "nopl 0x5a(%rax)\n" /* does nothing, in a way that no compiler uses */
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

/*
 * What unwinders find at the address to which a hooked function returns: a frame without a size, whose return address
 * is the one that is in its slot now, or 0, the end of the stack, as long as that is the hook itself. If an unwinder
 * calls personality routines, ours puts the real addresses back, and the unwinder continues to the caller; others stop.
 * Only unwinders that did not pass through this library's __cxa_throw() and the like come here, for example if the C++
 * runtime is linked statically.
 */
__asm__(".pushsection .eh_frame, \"a\", @progbits\n"
        "10: .long 12f - 11f\n"
        "11: .long 0\n .byte 1\n .string \"zPR\"\n"
        ".uleb128 1\n .sleb128 -8\n .byte 16\n" /* alignment of code and data, column of the address */
        ".uleb128 6\n .byte 0x1b\n .long hook_personality - .\n .byte 0x1b\n"
        ".byte 0x0c, 7, 0\n"                       /* CFA = %rsp + 0 */
        ".byte 0x16, 16\n .uleb128 14f - 13f\n"    /* the address is the value of: */
        "13: .byte 0x38, 0x1c, 0x06, 0x12\n"       /* lit8 minus deref dup: what is at CFA - 8 */
        ".byte 0x94, 4, 0x0c\n .long 0x5a401f0f\n" /* deref_size const4u: and whether the hook's code is there */
        ".byte 0x2e, 0x1e\n"                       /* ne mul */
        "14: .balign 8\n"
        "12: .long 16f - 15f\n"
        "15: .long 15b - 10b\n"
        ".long assay_patch_return - 1 - .\n .long 2\n" /* a return address is looked up by the byte before */
        ".uleb128 0\n .balign 8\n"
        "16: .popsection\n");

_Static_assert(offsetof(struct shadow, busy) == 0 && offsetof(struct shadow, stack_end) == 8 &&
                   SHADOW_STACK_BYTES == 32768,
               "CALL_SLOWLY");

#define LOCAL __attribute__((visibility("hidden"), used))

/* Mode calls: where a function continues, and returns, without a hook if its call is not chosen; 0: it may be. */
static uint64_t hook_resume_unhooked(uint64_t number)
{
    return chosen_active && chooser_passes_by_time() ? patch_functions[number].resume | SHADOW_UNHOOKED : 0;
}

/* Returns the address at which the function continues; 0: not the usual case. Its `number` is at slot − 1. */
LOCAL uint64_t hook_enter(uint64_t number, uint64_t *below);
LOCAL uint64_t hook_enter(uint64_t number, uint64_t *below)
{
    struct shadow *shadow = shadow_own;
    uint64_t *slot = below + 1;
    if (!shadow || shadow->count == SHADOW_ENTRIES)
        return hook_resume_unhooked(number);
    bool last_act = *slot == SHADOW_HOOK; /* the tail call of a function that returns through the same slot */
    if (shadow->count > 0 && shadow->count == shadow->suspect)
        return hook_resume_unhooked(number);
    const struct patch_function *function = &patch_functions[number];
    uint64_t location = (uint64_t)slot | (last_act ? 0 : METHODS_PLACE_FRESH);
    if (!methods_mark_plain(MARK_ENTER, function->method, location))
        return hook_resume_unhooked(number);
    shadow_push(shadow, &(struct shadow_entry){slot, *slot, function->method, function->whole, 0, 0, 0});
    return function->resume;
}

/* Puts the return address into `slot`; returns 0 if this is not the usual case. */
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
    shadow_pop(shadow);
    return 1;
}

/*
 * hook_code.S - the code that patched functions run before and after their own. The program relies on every register
 * here, not only on those that the calling convention preserves. The usual case, in hook.c, uses only general
 * registers; all others are saved around the rest (shadow.c).
 */
    .text

/*
 * Both begin with 8 bytes on the stack that the program doesn't know of: the function's number, or space for the return
 * address. The stack is aligned anew, since functions of one file may agree on a smaller alignment. %rbp + 80 is the
 * address of those bytes. Signal handlers spare the 128 bytes below the stack pointer.
 */
    .macro SAVE
    .irp register, rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11, rbp
    push %\register
    .endr
    mov %rsp, %rbp
    cld
    and $-16, %rsp
    .endm

    .macro RESTORE
    mov %rbp, %rsp
    .irp register, rbp, r11, r10, r9, r8, rdi, rsi, rdx, rcx, rax
    pop %\register
    .endr
    .endm

/* The arguments of each function that is called here: the number, or nothing, and its address. */
    .macro PASS_SLOT
    mov 80(%rbp), %rdi
    lea 80(%rbp), %rsi
    .endm

/*
 * The program may have little stack left, so this needs no more than 200 bytes of it: it works on the stack of the
 * shadow stack (struct shadow: busy, stack_end), unless the thread has none yet, or is at work there (in a signal
 * handler that interrupted this). x87, SSE, AVX and AVX-512 registers: 2,696 bytes at most, at a multiple of 64, with a
 * header of zeros.
 */
    .macro CALL_SLOWLY function
    mov shadow_own@gottpoff(%rip), %rcx
    mov %fs:(%rcx), %rcx
    test %rcx, %rcx
    jz 7f
    cmpq $0, (%rcx)
    jne 7f
    movq $1, (%rcx)
    mov 8(%rcx), %rsp
7:  sub $2816, %rsp
    and $-64, %rsp
    xor %eax, %eax
    .irp at, 512, 520, 528, 536, 544, 552, 560, 568
    mov %rax, \at(%rsp)
    .endr
    mov $0xe7, %eax
    xor %edx, %edx
    xsave64 (%rsp)
    PASS_SLOT
    call \function
    mov %rax, %r11
    mov $0xe7, %eax
    xor %edx, %edx
    xrstor64 (%rsp)
    mov %r11, %rax
    mov shadow_own@gottpoff(%rip), %rcx
    mov %fs:(%rcx), %rcx
    test %rcx, %rcx
    jz 9f
    mov 8(%rcx), %rdx
    sub %rsp, %rdx
    cmp $2816, %rdx
    jne 9f
    movq $0, (%rcx)
9:
    .endm

    .hidden hook_enter, hook_enter_slowly, hook_leave, hook_leave_slowly, hook_personality, shadow_own
    .hidden assay_patch_enter, assay_patch_return
    .globl assay_patch_enter, assay_patch_return
    .balign 16
    .type assay_patch_enter, @function
assay_patch_enter:
    SAVE
    /* Where hook_enter_slowly() is called, a walk finds this to be the function itself, called by its caller. */
    .cfi_startproc
    .cfi_def_cfa %rbp, 96
    .cfi_offset %rbp, -96
    PASS_SLOT
    call hook_enter
    test %rax, %rax
    jnz 1f
    CALL_SLOWLY hook_enter_slowly
    .cfi_endproc
1:  mov %rax, 80(%rbp)
    bt $63, %rax /* SHADOW_UNHOOKED */
    jc 2f
    RESTORE
    add $16, %rsp
    call *-16(%rsp)
assay_patch_return:
    nopl 0x5a(%rax) /* does nothing, in a way that no compiler uses */
    sub $8, %rsp
    SAVE
    PASS_SLOT
    call hook_leave
    test %rax, %rax
    jnz 3f
    CALL_SLOWLY hook_leave_slowly
3:  RESTORE
    ret
2:  btr $63, %rax
    mov %rax, 80(%rbp)
    RESTORE
    add $8, %rsp
    jmp *-8(%rsp)
    .size assay_patch_enter, . - assay_patch_enter

    .hidden assay_patch_empty, assay_patch_empty_rest
    .globl assay_patch_empty, assay_patch_empty_rest
    .balign 16
assay_patch_empty:
    push $0
    jmp assay_patch_enter
assay_patch_empty_rest:
    ret

/*
 * What unwinders find at the address to which a hooked function returns: a frame without a size, whose return address
 * is the one that is in its slot now, or 0, the end of the stack, as long as that is the hook itself. If an unwinder
 * calls personality routines, ours puts the real addresses back, and the unwinder continues to the caller; others stop.
 * Only unwinders that did not pass through this library's __cxa_throw() and the like come here, for example if the C++
 * runtime is linked statically.
 */
    .section .eh_frame, "a", @progbits
10: .long 12f - 11f
11: .long 0
    .byte 1
    .string "zPR"
    .uleb128 1 /* alignment of code */
    .sleb128 -8 /* of data */
    .byte 16 /* the column of the return address */
    .uleb128 6
    .byte 0x1b
    .long hook_personality - .
    .byte 0x1b
    .byte 0x0c, 7, 0 /* CFA = %rsp + 0 */
    .byte 0x16, 16 /* the address is the value of: */
    .uleb128 14f - 13f
13: .byte 0x38, 0x1c, 0x06, 0x12 /* lit8 minus deref dup: what is at CFA - 8 */
    .byte 0x94, 4, 0x0c /* deref_size const4u: and whether the hook's code is there */
    .long 0x5a401f0f
    .byte 0x2e, 0x1e /* ne mul */
14: .balign 8
12: .long 16f - 15f
15: .long 15b - 10b
    .long assay_patch_return - 1 - . /* a return address is looked up by the byte before */
    .long 2
    .uleb128 0
    .balign 8
16:

    .section .note.GNU-stack, "", @progbits

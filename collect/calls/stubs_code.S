/*
 * stubs_code.S - the stubs that stand in for return addresses, and what unwinders find at them. stubs.c checks the
 * layouts and numbers that this relies on.
 */
    .text
    .hidden stubs_table, stubs_over, stubs_thread, stubs_all_signals, stubs_float_state, stubs_arrive

/*
 * A stub calls the code that all share, so that its own address is in the slot again: the return address of that call,
 * less what an aligned stub has. Below it are the flags and the registers, in the order of ucontext_t.
 */
    .macro EACH_REGISTER do
    \do 0, r8
    \do 8, r9
    \do 16, r10
    \do 24, r11
    \do 32, r12
    \do 40, r13
    \do 48, r14
    \do 56, r15
    \do 64, rdi
    \do 72, rsi
    \do 80, rbp
    \do 88, rbx
    \do 96, rdx
    \do 104, rax
    \do 112, rcx
    .endm

    .macro STORE at, register
    mov %\register, \at(%rsp)
    .endm

    .macro LOAD at, register
    mov \at(%rsp), %\register
    .endm

    .hidden assay_stubs, assay_stubs_end
    .globl assay_stubs, assay_stubs_end
    .balign 16
    nop
    .balign 16
    .type assay_stubs, @function
assay_stubs:
    .rept 8192
    call assay_stub_return
    .byte 0x06, 0x0e, 0x16
    .endr
    .size assay_stubs, . - assay_stubs

    .type assay_stub_return, @function
assay_stub_return:
    pushfq
21: lea -120(%rsp), %rsp
22: EACH_REGISTER STORE
    mov %rsp, %rbp
23: cld
    cmpb $0, stubs_over(%rip)
    jne 1f
    mov stubs_thread@gottpoff(%rip), %rcx
    mov %fs:(%rcx), %rcx
    test %rcx, %rcx
    jnz 2f
    /* Nobody listens. */
1:  mov 128(%rbp), %rax
    and $-8, %rax
    lea assay_stubs(%rip), %rdx
    sub %rdx, %rax
    lea stubs_table(%rip), %rdx
    mov (%rdx,%rax), %rax
    mov %rax, 128(%rbp)
    jmp 4f
    /* Blocks all signals, and changes to the stack of the thread's handlers, unless it works there already. */
2:  sub $16, %rsp
    mov $14, %eax /* rt_sigprocmask(SIG_SETMASK, …) */
    mov $2, %edi
    lea stubs_all_signals(%rip), %rsi
    mov %rsp, %rdx
    mov $8, %r10d
    syscall
    mov %rsp, %r12
    mov stubs_thread@gottpoff(%rip), %rcx
    mov %fs:(%rcx), %rcx
    cmp (%rcx), %rsp
    jb 3f
    cmp 8(%rcx), %rsp
    jbe 5f
3:  mov 8(%rcx), %rsp
5:  sub $2816, %rsp
    and $-64, %rsp
    xor %eax, %eax
    .irp at, 512, 520, 528, 536, 544, 552, 560, 568
    mov %rax, \at(%rsp)
    .endr
    mov $0xe7, %eax
    xor %edx, %edx
    xsave64 (%rsp)
    fninit
    ldmxcsr stubs_float_state(%rip) /* the program may trap on inexact results */
    mov %rbp, %rdi
    mov (%r12), %rsi
    call stubs_arrive
24: mov $0xe7, %eax
    xor %edx, %edx
    xrstor64 (%rsp)
    mov %r12, %rsp
    mov $14, %eax
    mov $2, %edi
    mov %rsp, %rsi
    xor %edx, %edx
    mov $8, %r10d
    syscall
4:  mov %rbp, %rsp
25: EACH_REGISTER LOAD
    lea 120(%rsp), %rsp
26: popfq
27: ret
28: .size assay_stub_return, . - assay_stub_return
assay_stubs_end:

/*
 * What unwinders find at a stub: a frame without a size, whose return address is the entry of the table that belongs to
 * the stub in its slot, or what is in its slot by now if that is not a stub any more. A stub is known by its code,
 * whose last three bytes are of instructions that do not exist. The distance of the two tables follows from that of
 * each to its location here, which are six bytes apart. The frame is marked as that of a signal handler, since libgcc
 * could not distinguish it from the caller's otherwise: both end at the same location. The address of code that a
 * signal has interrupted is taken as it is, so it is the one before the return address, which is in the call.
 */
    .macro REAL_ADDRESS more:vararg
    .byte 0x16, 16 /* the address is the value of: */
    .uleb128 19f - 18f
18: .byte 0x38, 0x1c, 0x06 /* lit8 minus deref: what is at CFA - 8 */
    .byte 0x12, 0x09, 0xf8, 0x1a, 0x12, 0x06 /* dup const1s -8 and dup deref: of a stub, the stub, and its code */
    .byte 0x0e /* const8u and */
    .quad 0xffffff00000000ff
    .byte 0x1a
    .byte 0x0e /* const8u eq */
    .quad 0x160e0600000000e8
    .byte 0x29
    .byte 0x28 /* bra: it is one */
    .short 51f - 50f
50: .byte 0x13, 0x2f /* drop skip: what is there */
    .short 53f - 51f
51: .byte 0x0d
    .long stubs_table - .
    .byte 0x22
    .byte 0x0d
    .long assay_stubs - .
    .byte 0x1c
    .byte 0x36, 0x1c, 0x06, 0x16, 0x13 /* lit6 minus deref swap drop */
53: \more
19:
    .endm

    .macro COMMON_ENTRY
    .long 0
    .byte 1
    .string "zRS"
    .uleb128 1
    .sleb128 -8
    .byte 16
    .uleb128 1
    .byte 0x1b
    .endm

    .section .eh_frame, "a", @progbits
10: .long 12f - 11f
11: COMMON_ENTRY
    .byte 0x0c, 7, 0
    .balign 8
12: .long 14f - 13f
13: .long 13b - 10b
    .long assay_stubs - 1 - .
    .long 8192 * 8 + 1
    .uleb128 0
    REAL_ADDRESS .byte 0x31, 0x1c /* lit1 minus */
    .balign 8
14: .long 16f - 15f /* a frame that is left as a signal's: the caller has not called it */
15: COMMON_ENTRY
    .byte 0x0c, 7, 8
    .balign 8
16: .long 30f - 17f
17: .long 17b - 14b
    .long assay_stub_return - .
    .long 28b - assay_stub_return
    .uleb128 0
    REAL_ADDRESS
    .byte 0x40 + (21b - assay_stub_return), 0x0e, 16 /* advance; CFA = %rsp + 16 */
    .byte 0x40 + (22b - 21b), 0x0e
    .uleb128 136
    .byte 0x02, 23b - 22b, 0x0c, 6 /* CFA = %rbp + 136 */
    .uleb128 136
    .byte 0x83, 6, 0x86, 7, 0x8c, 13, 0x8d, 12, 0x8e, 11, 0x8f, 10 /* where %rbx, %rbp, %r12 to %r15 are */
    .byte 0x03
    .short 24b - 23b
    .byte 0x90, 1 /* the real address is in the slot */
    .byte 0x02, 25b - 24b, 0x0c, 7
    .uleb128 136
    .byte 0x02, 26b - 25b, 0xc3, 0xc6, 0xcc, 0xcd, 0xce, 0xcf, 0x0e, 16 /* as at first */
    .byte 0x40 + (27b - 26b), 0x0e, 8
    .balign 8
30:

    .section .note.GNU-stack, "", @progbits

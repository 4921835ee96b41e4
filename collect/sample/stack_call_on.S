/*
 * stack_call_on.S - stack_call_on(top, run, argument) calls run(argument) on another stack. Unwinders find their way
 * back by the frame pointer.
 */
    .text
    .hidden stack_call_on
    .globl stack_call_on
    .balign 16
    .type stack_call_on, @function
stack_call_on:
    .cfi_startproc
    push %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    mov %rsp, %rbp
    .cfi_def_cfa_register %rbp
    mov %rdi, %rsp
    mov %rdx, %rdi
    call *%rsi
    leave
    .cfi_def_cfa %rsp, 8
    ret
    .cfi_endproc
    .size stack_call_on, . - stack_call_on

    .section .note.GNU-stack, "", @progbits

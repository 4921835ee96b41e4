/*
 * interpose_syscall_entry.S - syscall(), which passes most calls on to the next definition of it without using the
 * stack. Some go to functions of interpose_syscall.c instead.
 */
#include <sys/syscall.h>

    .text
    .hidden interpose_seen_call, interpose_waiting_call, interpose_next_syscall, interpose_failed_call

    .globl syscall
    .balign 16
    .type syscall, @function
syscall:
    .cfi_startproc
    .irp number, SYS_seccomp, SYS_prctl, SYS_execve, SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_sigaltstack, \
        SYS_ptrace, SYS_perf_event_open
    cmp $\number, %rdi
    je interpose_seen_call
    .endr
    .irp number, SYS_futex, SYS_futex_waitv, SYS_bpf, SYS_io_uring_enter, SYS_io_getevents, SYS_poll, SYS_ppoll, \
        SYS_select, SYS_epoll_wait, SYS_epoll_pwait, SYS_epoll_pwait2, SYS_nanosleep, SYS_clock_nanosleep, \
        SYS_semop, SYS_semtimedop, SYS_msgrcv, SYS_msgsnd
    cmp $\number, %rdi
    je interpose_waiting_call
    .endr
    jmp *interpose_next_syscall(%rip)
    .cfi_endproc
    .size syscall, . - syscall

/* Makes the call itself, until the next definition of syscall() is known. */
    .hidden interpose_raw_call
    .globl interpose_raw_call
    .type interpose_raw_call, @function
interpose_raw_call:
    .cfi_startproc
    mov %rdi, %rax
    mov %rsi, %rdi
    mov %rdx, %rsi
    mov %rcx, %rdx
    mov %r8, %r10
    mov %r9, %r8
    mov 8(%rsp), %r9
    syscall
    cmp $-4095, %rax
    jae 1f
    ret
1:  mov %rax, %rdi
    jmp interpose_failed_call
    .cfi_endproc
    .size interpose_raw_call, . - interpose_raw_call

    .section .note.GNU-stack, "", @progbits

/*
 * unseen.h - blocks a signal, or unblocks it, by the system call itself, where no function can be interposed.
 */
#ifndef ASSAY_UNSEEN_H
#define ASSAY_UNSEEN_H

#include <sys/syscall.h>

static inline void unseen_mask(int how, int signal)
{
    unsigned long set = 1UL << (signal - 1);
    long result;
    register long r10 __asm__("r10") = sizeof set;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(SYS_rt_sigprocmask), "D"((long)how), "S"(&set), "d"(0L), "r"(r10)
                     : "rcx", "r11", "memory");
}

#endif

/*
 * system_call.h - system calls past the C library, some of whose functions a preloaded agent interposes.
 */
#ifndef ASSAY_BASE_SYSTEM_CALL_H
#define ASSAY_BASE_SYSTEM_CALL_H

/* Returns what the kernel does: −errno if the call failed. Keeps errno. Async-signal-safe. */
static inline long system_call(long number, long a, long b, long c, long d, long e, long f)
{
    register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

#endif

/* Takes SIGTRAP by the raw system call, behind the C library's back, and counts its own breakpoints: no other trap may
 * reach its handler.
 * todo: mode calls: a debug register that waits for the next call as the program takes the signal traps once more
 * needs: test "$(uname -m)" = x86_64 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "burn.h"

struct kernel_action {
    void (*handler)(int, siginfo_t *, void *);
    unsigned long flags;
    void (*restorer)(void);
    unsigned long mask;
};

static volatile int own, others;
static volatile long cells[64];

__attribute__((naked)) static void restore(void)
{
    __asm__("mov $15, %eax\n\tsyscall");
}

static void trap(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    if (info->si_code == SI_KERNEL)
        own++;
    else
        others++;
}

__attribute__((noinline)) static void store(double seconds)
{
    for (double end = burn_cpu() + seconds; burn_cpu() < end;)
        for (int i = 0; i < 20000; i++)
            cells[i % 64] = i / 64;
}

int main(void)
{
    struct kernel_action action = {trap, SA_SIGINFO | 0x04000000, restore, 0};
    store(0.05);
    long (*volatile raw)(long, ...) = syscall;
    long result;
    register long size __asm__("r10") = 8;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(SYS_rt_sigaction), "D"(SIGTRAP), "S"(&action), "d"(0), "r"(size)
                     : "rcx", "r11", "memory");
    (void)raw;
    for (int i = 0; i < 20; i++) {
        store(0.01);
        __asm__ volatile("int3");
    }
    printf("result %ld, own %d, others %d\n", result, own, others);
    return 0;
}

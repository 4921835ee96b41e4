/* A thread made by the clone system call on a stack of 16 KiB, without thread-local data of its own, that burns and
 * uses only system calls: it has no place of its own that a library could keep anything in.
 * needs: test "$(uname -m)" = x86_64 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <sched.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "burn.h"

static _Alignas(16) char stack[16384];
static volatile int alive = 1;
static volatile unsigned long result;

static long call(long number, long a, long b, long c)
{
    long answer;
    __asm__ volatile("syscall" : "=a"(answer) : "0"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return answer;
}

__attribute__((noinline, used)) static void body(void)
{
    unsigned long sum = 0;
    for (unsigned long i = 0; i < 100000000; i++)
        sum = sum * 31 + i;
    result = sum;
    call(SYS_write, 1, (long)"thread\n", 7);
    call(SYS_exit, 0, 0, 0);
}

int main(void)
{
    long flags =
        CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_CHILD_CLEARTID;
    long thread;
    burn(0.02);
    register long child_word __asm__("r10") = (long)&alive;
    __asm__ volatile("syscall\n\ttest %%rax, %%rax\n\tjnz 1f\n\txor %%ebp, %%ebp\n\tcall body\n1:"
                     : "=a"(thread)
                     : "0"((long)SYS_clone), "D"(flags), "S"(stack + sizeof stack), "d"(0L), "r"(child_word)
                     : "rcx", "r11", "memory");
    while (alive)
        syscall(SYS_futex, &alive, FUTEX_WAIT, 1, NULL, NULL, 0);
    burn(0.02);
    printf("made: %d, result %lu\n", thread > 0, result);
    return 0;
}

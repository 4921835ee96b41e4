/* Handles SIGURG by the system call itself, as the Go runtime does, so that no library sees it: ticks by SIGURG would
 * then arrive in the program's handler, and the answer to "what was there before" must be the default.
 * needs: test "$(uname -m)" = x86_64
 * todo: a handler of SIGURG that nothing can see gets the ticks of 20 ms */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "burn.h"

struct kernel_action {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)(void);
    unsigned long mask;
};

enum { HAS_RESTORER = 0x04000000 };

static volatile int count;

static void urgent(int number)
{
    (void)number;
    count++;
}

void back(void);
__asm__(".text\nback: mov $15, %eax\n syscall");

static long raw_sigaction(int number, const struct kernel_action *action, struct kernel_action *old)
{
    register long size __asm__("r10") = 8;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"((long)SYS_rt_sigaction), "D"((long)number), "S"(action), "d"(old), "r"(size)
                     : "rcx", "r11", "memory");
    return result;
}

int main(void)
{
    struct kernel_action action = {.handler = urgent, .flags = HAS_RESTORER | SA_ONSTACK, .restorer = back};
    struct kernel_action old = {0};
    burn(0.02);
    printf("result %ld, ", raw_sigaction(SIGURG, &action, &old));
    printf("before: %s\n", old.handler == SIG_DFL ? "default" : "a handler");
    for (int i = 0; i < 50; i++) {
        kill(getpid(), SIGURG);
        burn(0.002);
    }
    printf("count %d\n", count);
    return 0;
}

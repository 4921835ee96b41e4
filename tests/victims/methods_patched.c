/*
 * methods_patched N - for -fpatchable-function-entry and -finstrument-functions, without inlining: everything that a
 * hook at entries and exits could break. Prints "right" if every argument and result was preserved, and calls
 *
 *   last       N, first and second N: calls in tail position, which the compiler turns into jumps
 *   floats     N, wide N, many N, pair N, extended N: arguments and results in vector registers, on the stack, in two
 *   local      N: a function of this file, for which the compiler knows the registers that it preserves
 *   handled    N, handler N: signals inside a function, on a stack of their own
 *   switched   1, yielding N: on a stack that is left and entered again, which looks like an exception
 *   cleaned    1, cancelled 1 (unfinished): a thread that is cancelled; its cleanup handler runs
 *   traced     1: a walk of the stack meets main
 *   descend    N: recursion
 *
 * With a second argument the other stacks lie in main's frame, above the frames of all functions that it calls.
 */
#define _GNU_SOURCE
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#define FUNCTION __attribute__((noinline, noclone))
#define QUIET __attribute__((no_instrument_function, patchable_function_entry(0)))

typedef double wide_vector __attribute__((vector_size(16)));

static volatile long sink;
static int wrong;

QUIET static void check(int right, const char *what)
{
    if (right)
        return;
    wrong++;
    printf("wrong: %s\n", what);
}

FUNCTION static long second(long a, long b)
{
    sink += a;
    return a * 3 + b;
}

FUNCTION static long first(long a, long b)
{
    sink += b;
    return second(a + 1, b);
}

FUNCTION static long last(long a)
{
    sink++;
    return first(a, 7);
}

FUNCTION static double floats(double a, float b, double c, double d, double e, double f, double g, double h)
{
    return a + (double)b * c - d * e + f / g - h;
}

FUNCTION static wide_vector wide(wide_vector a, wide_vector b)
{
    return a * b;
}

FUNCTION static long many(int count, ...)
{
    va_list list;
    double sum = 0;
    va_start(list, count);
    for (int i = 0; i < count; i++)
        sum += i % 2 ? va_arg(list, double) : (double)va_arg(list, long);
    va_end(list);
    return (long)sum;
}

struct two {
    long a;
    double b;
};

FUNCTION static struct two pair(long a, double b)
{
    return (struct two){a + 1, b * 2};
}

FUNCTION static long double extended(long double a)
{
    return a / 3;
}

FUNCTION static void local(long *to)
{
    *to += 1;
}

FUNCTION static long locals(long n)
{
    long a = n * 3, b = n ^ 5, c = n + 11, d = n * n, e = n - 4, counted = 0;
    double x = (double)n * 0.5, y = (double)n + 0.25, z = (double)n * 3;
    local(&counted);
    return a + b + c + d + e + counted + (long)(x + y + z);
}

FUNCTION static void handler(int number)
{
    sink += number;
}

FUNCTION static void handled(void)
{
    raise(SIGUSR1);
    sink++;
}

static ucontext_t outside, inside;

FUNCTION static void yielding(void)
{
    swapcontext(&inside, &outside);
    sink++;
}

static long rounds;

FUNCTION static void switched(void)
{
    for (long i = 0; i < rounds; i++)
        yielding();
}

FUNCTION static void cleaned(void *flag)
{
    *(volatile int *)flag = 1;
}

FUNCTION static void *cancelled(void *flag)
{
    pthread_cleanup_push(cleaned, flag);
    for (;;)
        pause();
    pthread_cleanup_pop(0);
    return NULL;
}

FUNCTION static int traced(void)
{
    void *frames[64];
    int found = backtrace(frames, 64);
    return found > 2 && found < 64;
}

FUNCTION static long descend(long n)
{
    volatile char room[40] = {(char)n};
    return n == 1 ? room[0] : descend(n - 1) + room[0] - room[0];
}

int main(int count, char **arguments)
{
    long n = rounds = count > 1 ? atol(arguments[1]) : 10;
    static char below[2][1 << 16];
    char above[2][1 << 16], (*stacks)[1 << 16] = count > 2 ? above : below;
    int flag = 0;
    pthread_t thread;
    stack_t other = {.ss_sp = stacks[0], .ss_size = sizeof above[0]};
    sigaltstack(&other, NULL);
    sigaction(SIGUSR1, &(struct sigaction){.sa_handler = handler, .sa_flags = SA_ONSTACK}, NULL);
    for (long i = 0; i < n; i++) {
        check(last(i) == (i + 1) * 3 + 7, "calls as the last act");
        check(floats((double)i, 2, 3, 4, 5, 6, 3, 8) == (double)i + 6 - 20 + 2 - 8, "floats");
        wide_vector product = wide((wide_vector){(double)i, 2}, (wide_vector){3, 4});
        check(product[0] == (double)i * 3 && product[1] == 8, "vectors");
        check(many(4, i, 2.0, 3L, 4.0) == i + 9, "variable arguments");
        struct two both = pair(i, 1.5);
        check(both.a == i + 1 && both.b == 3, "two results");
        check(extended((long double)i * 3) == (long double)i, "x87 results");
        check(locals(i) == i * 3 + (i ^ 5) + i + 11 + i * i + i - 4 + 1 +
                               (long)((double)i * 0.5 + ((double)i + 0.25) + (double)i * 3),
              "registers of local functions");
        handled();
    }
    getcontext(&inside);
    inside.uc_stack = (stack_t){.ss_sp = stacks[1], .ss_size = sizeof above[1]};
    inside.uc_link = &outside;
    makecontext(&inside, switched, 0);
    for (long i = 0; i <= n; i++)
        swapcontext(&outside, &inside);
    pthread_create(&thread, NULL, cancelled, &flag);
    usleep(20000);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    check(flag == 1, "cleanup of a cancelled thread");
    check(traced(), "walk of the stack");
    check(descend(n) == 1, "recursion");
    puts(wrong ? "wrong" : "right");
    return wrong != 0;
}

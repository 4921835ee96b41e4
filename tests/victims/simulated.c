/*
 * Functions whose instructions, cache misses and branch misses are known: ROUNDS calls of each.
 *
 *   spin      2 × SPINS instructions, no misses
 *   stride    one load per line of LINES lines, which are more than the first level can hold and fewer than the second
 *   again     LOADS loads of the same 16 lines
 *   copy      a rep movsb of COPIED bytes: one instruction
 *   guess     SPINS conditional branches, of which no more than half can be predicted
 *   indirect  CALLS indirect calls, of two functions in turn
 */
#include <stdint.h>

enum { ROUNDS = 5, SPINS = 10000, LINES = 2048, LINE = 64, LOADS = 4096, COPIED = 8192, CALLS = 1000 };

static volatile char lines[LINES * LINE] __attribute__((aligned(LINE)));
static char from[COPIED] __attribute__((aligned(LINE))), to[COPIED] __attribute__((aligned(LINE)));
static volatile uint64_t sink;

#define PART __attribute__((noinline)) static void
#define HIDDEN __attribute__((noinline, no_instrument_function)) static void

PART spin(void)
{
    uint64_t n = SPINS;
    __asm__ volatile("1: decq %0\n\tjnz 1b" : "+r"(n) : : "cc");
}

PART stride(void)
{
    for (int i = 0; i < LINES; i++)
        (void)lines[i * LINE];
}

PART again(void)
{
    for (int i = 0; i < LOADS; i++)
        (void)lines[i % 16 * LINE];
}

PART copy(void)
{
    uint64_t n = COPIED;
    void *source = from, *target = to;
    __asm__ volatile("rep movsb" : "+c"(n), "+S"(source), "+D"(target) : : "memory");
}

PART guess(void)
{
    static uint64_t state = 1;
    uint64_t n = SPINS, x = state, multiplier = UINT64_C(6364136223846793005);
    __asm__ volatile("1: imulq %2, %1\n\t"
                     "addq $12345, %1\n\t"
                     "btq $63, %1\n\t"
                     "jc 2f\n\t"
                     "nop\n"
                     "2: decq %0\n\t"
                     "jnz 1b"
                     : "+r"(n), "+r"(x)
                     : "r"(multiplier)
                     : "cc");
    state = x;
}

HIDDEN one(void)
{
    sink = 1;
}

HIDDEN two(void)
{
    sink = 2;
}

PART indirect(void)
{
    static void (*volatile const functions[2])(void) = {one, two};
    for (int i = 0; i < CALLS; i++)
        functions[i % 2]();
}

int main(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        spin();
        stride();
        again();
        copy();
        guess();
        indirect();
    }
    return 0;
}

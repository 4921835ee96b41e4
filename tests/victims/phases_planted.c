/*
 * Three planted phases, one after another in each of 20 rounds, with lengths that vary by a fifth around 1, 3 and 2 ms.
 * At the end it prints its own measurements of elapsed time: NAME CALLS MEAN_NS. Only the phases and main have probes.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#ifndef SORT_NS
#define SORT_NS 3000000
#endif
enum { ROUNDS = 20 };
enum { READ, SORT, PRINT, PHASES };
#define WITHOUT_PROBES __attribute__((no_instrument_function, noinline))

static uint64_t total_ns[PHASES];

WITHOUT_PROBES static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

WITHOUT_PROBES static void spend(int phase, int round, uint64_t mean_ns)
{
    uint64_t begin = now_ns(), length = mean_ns * (uint64_t)(80 + 40 * (round % 2)) / 100, now = begin;
    while (now - begin < length)
        now = now_ns();
    total_ns[phase] += now - begin;
}

__attribute__((noinline)) void read_data(int round)
{
    spend(READ, round, 1000000);
}

__attribute__((noinline)) void sort_data(int round)
{
    spend(SORT, round, SORT_NS);
}

__attribute__((noinline)) void print_data(int round)
{
    spend(PRINT, round, 2000000);
}

int main(void)
{
    static const char *const names[PHASES] = {[READ] = "read_data", [SORT] = "sort_data", [PRINT] = "print_data"};
    for (int round = 0; round < ROUNDS; round++) {
        read_data(round);
        sort_data(round);
        print_data(round);
    }
    for (int phase = READ; phase < PHASES; phase++)
        printf("%s %d %" PRIu64 "\n", names[phase], ROUNDS, total_ns[phase] / ROUNDS);
    return 0;
}

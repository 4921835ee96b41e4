/*
 * Threads: an access makes no pair with one of another thread, but that one still counts as the last access.
 *
 * Two threads, one after the other, then main twice, all at one place.
 * pair dead-store @work @work 2*(n-1) 8*(n-1) all
 * pair silent-store @work @work 2*(n-1) 8*(n-1) all
 * pair dead-store @main_1 @main_2 1 4 all
 * pair silent-store @main_1 @main_2 1 4 all
 *
 * 16 threads at once, each at its own place.
 * pair dead-store @own @own 16*(n-1) 64*(n-1) all
 * pair silent-store @own @own 16*(n-1) 64*(n-1) all
 */
#include <pthread.h>

#include "victim.h"

enum { THREADS = 16 };

static uint64_t rounds;
static char cells[1 + THREADS][64] __attribute__((aligned(64)));

/* clang-format off */
VICTIM static void *victim_work(void *p)
{
    uint64_t n = rounds;
    __asm__ volatile(
        LINE("1: movl $7, (%[p])") /* @work */
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n) : [p] "r"(p) : "memory", "cc");
    return NULL;
}

VICTIM static void victim_main(void *p)
{
    __asm__ volatile(
        LINE("movl $7, (%[p])") /* @main_1 */
        LINE("movl $7, (%[p])") /* @main_2 */
        : : [p] "r"(p) : "memory");
}

VICTIM static void *victim_own(void *p)
{
    uint64_t n = rounds;
    __asm__ volatile(
        LINE("1: movl $7, (%[p])") /* @own */
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n) : [p] "r"(p) : "memory", "cc");
    return NULL;
}
/* clang-format on */

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    rounds = VICTIM_ROUNDS(argc, argv);
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[0], NULL, victim_work, cells[0]) != 0 || pthread_join(threads[0], NULL) != 0)
            return 1;
    victim_main(cells[0]);
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, victim_own, cells[1 + i]) != 0)
            return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

/* Functions whose instances have a known distribution: work() costs the same for each unit.
 *   constant: 50 units; bimodal: 20 or 100, in turn; growing: 20, 21, 22 …; callers: leaf() takes 20 units below one
 *   caller and 80 below the other; total: itself 30, a callee of 10 or 90, and one of 40; each(): 40 units in all
 * threads but 60 in the last one. Argument: how many instances of each. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#define INSTANCE __attribute__((noinline))
#define PLAIN __attribute__((noinline, no_instrument_function, patchable_function_entry(0)))
enum { THREADS = 4 };

static volatile uint64_t sink;

static PLAIN void work(unsigned units)
{
    for (unsigned i = 0; i < units * 1000; i++)
        sink = sink * 6364136223846793005u + 1;
}

INSTANCE void constant(void)
{
    work(50);
}

INSTANCE void bimodal(unsigned i)
{
    work(i % 2 ? 100 : 20);
}

INSTANCE void growing(unsigned i)
{
    work(20 + i);
}

INSTANCE void leaf(unsigned units)
{
    work(units);
}

INSTANCE void caller_small(void)
{
    leaf(20);
}

INSTANCE void caller_large(void)
{
    leaf(80);
}

INSTANCE void varying(unsigned i)
{
    work(i % 2 ? 90 : 10);
}

INSTANCE void steady(void)
{
    work(40);
}

INSTANCE void total(unsigned i)
{
    work(30);
    varying(i);
    steady();
}

INSTANCE void each(unsigned units)
{
    work(units);
}

static unsigned count = 100;

static PLAIN void *thread(void *last)
{
    for (unsigned i = 0; i < count; i++)
        each(last ? 60 : 40);
    return NULL;
}

PLAIN int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    if (argc > 1)
        count = (unsigned)strtoul(argv[1], NULL, 10);
    for (unsigned i = 0; i < count; i++) {
        constant();
        bimodal(i);
        growing(i);
        caller_small();
        caller_large();
        total(i);
    }
    for (int t = 0; t < THREADS; t++)
        pthread_create(&threads[t], NULL, thread, t == THREADS - 1 ? &count : NULL);
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    return 0;
}

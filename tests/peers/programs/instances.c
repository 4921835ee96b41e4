/*
 * Functions whose instances have a known distribution: of the page faults that they make, exactly, and in proportion to
 * them of time.
 *   constant: 40 pages; bimodal: 16 or 80, in turn; growing: 10 to 50; tail: quantiles of Pareto's distribution with
 * the exponent 2.5, in no order; leaf: 16 below one caller and 64 below the other; each: 40 in all threads, but 60 in
 * the last one Argument: how many calls of each (2000). With a second one, prints for each function the truth instead:
 * the standard deviation within threads and between threads, both divided by the mean.
 */
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define INSTANCE __attribute__((noinline))
#define PLAIN static __attribute__((noinline, no_instrument_function))
enum { PAGE = 4096, PAGES = 1024, THREADS = 4 };

static unsigned count = 2000;

PLAIN char *new_pages(void)
{
    char *pages = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(pages, PAGES * PAGE, MADV_NOHUGEPAGE);
    return pages;
}

PLAIN void touch(volatile char *pages, unsigned k)
{
    madvise((void *)pages, PAGES * PAGE, MADV_DONTNEED);
    for (unsigned i = 0; i < k; i++)
        pages[i * PAGE] = 1;
}

PLAIN unsigned bimodal_at(unsigned i)
{
    return i % 2 ? 80 : 16;
}

PLAIN unsigned growing_at(unsigned i)
{
    return 10 + i * 41 / count;
}

PLAIN unsigned tail_at(unsigned i)
{
    double rank = (double)((uint64_t)i * 7919 % count) + 0.5; /* a prime: each rank once, unless it divides count */
    return (unsigned)(8 * pow(rank / count, -1 / 2.5));
}

INSTANCE void constant(char *pages)
{
    touch(pages, 40);
}

INSTANCE void bimodal(char *pages, unsigned i)
{
    touch(pages, bimodal_at(i));
}

INSTANCE void growing(char *pages, unsigned i)
{
    touch(pages, growing_at(i));
}

INSTANCE void tail(char *pages, unsigned i)
{
    touch(pages, tail_at(i));
}

INSTANCE void leaf(char *pages, unsigned k)
{
    touch(pages, k);
}

INSTANCE void caller_small(char *pages)
{
    leaf(pages, 16);
}

INSTANCE void caller_large(char *pages)
{
    leaf(pages, 64);
}

INSTANCE void each(char *pages, unsigned k)
{
    touch(pages, k);
}

PLAIN void *work(void *last)
{
    char *pages = new_pages();
    touch(pages, 1); /* the stack has its pages then */
    for (unsigned i = 0; i < count; i++)
        each(pages, last ? 60 : 40);
    return NULL;
}

PLAIN double variation(unsigned (*at)(unsigned))
{
    double sum = 0, squares = 0;
    for (unsigned i = 0; i < count; i++) {
        sum += at(i);
        squares += (double)at(i) * at(i);
    }
    double mean = sum / count;
    return sqrt(squares / count - mean * mean) / mean;
}

PLAIN void print_truth(void)
{
    printf("constant 0 -\nbimodal %.6f -\ngrowing %.6f -\ntail %.6f -\n", variation(bimodal_at), variation(growing_at),
           variation(tail_at));
    printf("leaf %.6f -\ncaller_small 0 -\ncaller_large 0 -\n", 24.0 / 40);
    printf("each 0 %.6f\n", 10.0 / 45); /* 40, 40, 40, 60 */
}

__attribute__((no_instrument_function)) int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    char *pages = new_pages();
    if (argc > 1)
        count = (unsigned)strtoul(argv[1], NULL, 10);
    if (argc > 2) {
        print_truth();
        return 0;
    }
    touch(pages, 1);
    for (unsigned i = 0; i < count; i++) {
        constant(pages);
        bimodal(pages, i);
        growing(pages, i);
        tail(pages, i);
        caller_small(pages);
        caller_large(pages);
    }
    for (int t = 0; t < THREADS; t++)
        pthread_create(&threads[t], NULL, work, t == THREADS - 1 ? &count : NULL);
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    return 0;
}

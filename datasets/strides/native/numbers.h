/* Numbers that look random, the same as in the programs in Java (../java/Numbers.java), and memory. */
#ifndef STRIDES_NUMBERS_H
#define STRIDES_NUMBERS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t numbers_state = 2003;

/* 0 to count - 1. */
static inline int numbers_next(int count)
{
    numbers_state = numbers_state * 6364136223846793005u + 1442695040888963407u;
    return (int)((numbers_state >> 33) % (uint64_t)count);
}

/* How many rounds a program makes: so many, times its first argument, but at least one. */
static inline int numbers_rounds(int argc, char **argv, int rounds)
{
    double scale = argc > 1 ? strtod(argv[1], NULL) : 1;
    return (int)(rounds * scale) > 1 ? (int)(rounds * scale) : 1;
}

/* Memory of zeros. */
static inline void *allocate(size_t bytes)
{
    void *memory = calloc(1, bytes);
    if (memory == NULL) {
        fputs("there is no memory left\n", stderr);
        exit(1);
    }
    return memory;
}

/* The bits of a number, as Java's Double.doubleToLongBits(). */
static inline int64_t bits_of(double number)
{
    int64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

#endif

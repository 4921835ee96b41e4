/*
 * levels PAIRS FORKS ITERATIONS CORRELATION SHIFT SEED: a table "side,pair,fork,row,time" of pairs of groups, for
 * levels.bench. A value is 100 + fork + iteration, normal, with variances CORRELATION and 1 - CORRELATION; those of
 * side "new" are SHIFT higher. Column "row" names each row, so that rows are not taken for a series.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t state;

/* In (0, 1): splitmix64 (Steele, Lea and Flood 2014). */
static double uniform(void)
{
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return ((double)((z ^ (z >> 31)) >> 12) + 0.5) * 0x1p-52;
}

/* Box and Muller 1958. */
static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

int main(int argc, char **argv)
{
    static const char *const sides[] = {"old", "new"};
    if (argc != 7)
        return 2;
    long pairs = atol(argv[1]), forks = atol(argv[2]), iterations = atol(argv[3]);
    double between = sqrt(atof(argv[4])), within = sqrt(1 - atof(argv[4])), shift = atof(argv[5]);
    unsigned long row = 0;
    state = strtoull(argv[6], NULL, 10);
    puts("side,pair,fork,row,time");
    for (long pair = 1; pair <= pairs; pair++)
        for (int side = 0; side < 2; side++)
            for (long fork = 1; fork <= forks; fork++) {
                double level = 100 + between * normal() + (side ? shift : 0);
                for (long i = 0; i < iterations; i++)
                    printf("%s,p%ld,%ld,r%lu,%.7f\n", sides[side], pair, fork, ++row, level + within * normal());
            }
    return fflush(stdout) != 0;
}

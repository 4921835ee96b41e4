/* An OpenMP program: threads add up series. Argument: rounds. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static double series(int terms)
{
    double sum = 0;
    for (int i = 1; i <= terms; i++)
        sum += 1.0 / i / i;
    return sum;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 100;
    double sum = 0;
    for (int round = 0; round < rounds; round++) {
#pragma omp parallel for reduction(+ : sum) schedule(static)
        for (int i = 0; i < 1000; i++)
            sum += series(1000 + i);
    }
    printf("%g\n", sum);
    return 0;
}

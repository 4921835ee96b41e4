/* As in MASNUM's propagation: each point looks for the interval of a sorted array that holds its value, from the first
 * one on; after: from where the previous point's value was, since neighbours are close. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INTERVALS = 200, POINTS = 2000 };

static double bounds[INTERVALS + 1], values[POINTS];
static int near;

__attribute__((noinline)) int locate(double value)
{
    int i = near;
    while (i > 0 && bounds[i] > value)
        i--;
    while (i < INTERVALS - 1 && bounds[i + 1] <= value)
        i++;
    return i;
}

__attribute__((noinline)) double propagate(int after)
{
    double sum = 0;
    near = 0;
    for (int i = 0; i < POINTS; i++) {
        int at = locate(values[i]);
        for (int k = 0; k < 28; k++) /* the rest of a point's work */
            sum += values[i] * (at + k);
        near = after ? at : 0;
    }
    return sum;
}

int main(int argc, char **argv)
{
    int steps = argc > 2 ? atoi(argv[2]) : 4000, after = argc > 1 && strcmp(argv[1], "after") == 0;
    double sum = 0;
    for (int i = 0; i <= INTERVALS; i++)
        bounds[i] = i;
    for (int i = 0; i < POINTS; i++) /* a wave */
        values[i] = INTERVALS * (0.5 + 0.49 * ((i % 500) / 250.0 - 1) * ((i % 500) < 250 ? 1 : -1));
    for (int step = 0; step < steps; step++)
        sum += propagate(after);
    printf("%g\n", sum);
    return 0;
}

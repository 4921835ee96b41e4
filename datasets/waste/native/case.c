/* The main program of all cases. */
#include "case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int main(int argc, char **argv)
{
    char *end = NULL;
    long steps = argc == 3 ? strtol(argv[2], &end, 10) : 0;
    if (steps <= 0 || *end != '\0' || (strcmp(argv[1], "before") != 0 && strcmp(argv[1], "after") != 0)) {
        fputs("usage: CASE before|after STEPS\n", stderr);
        return 2;
    }
    printf("%.17g\n", (strcmp(argv[1], "before") == 0 ? waste_case.before : waste_case.after)((size_t)steps));
    fprintf(stderr, "%.6f\n", (double)clock() / CLOCKS_PER_SEC);
    return 0;
}

/* Turns address randomization off and executes itself, as fuzzers and some runtimes do: the program, its stack and its
 * first mapping lie where they lay in every such run. */
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>

#include "burn.h"

int main(int argc, char **argv)
{
    char here[64];
    int now = personality(0xffffffff);
    burn(0.02);
    if (argc < 3) {
        if (argc == 1)
            personality(ADDR_NO_RANDOMIZE | (unsigned long)now);
        snprintf(here, sizeof here, "%p", (void *)main);
        execl("/proc/self/exe", argv[0], argc == 1 ? "-" : here, argc == 1 ? NULL : "last", (char *)NULL);
        return 1;
    }
    snprintf(here, sizeof here, "%p", (void *)main);
    printf("off: %d, at the same place: %d\n", (now & ADDR_NO_RANDOMIZE) != 0, strcmp(argv[1], here) == 0);
    return 0;
}

/* Executes itself five times through /proc/self/exe and prints its environment each time, but for the variables that
 * are the recorder's own: it must not grow, shrink or change. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "burn.h"

extern char **environ;

static int hidden(const char *variable)
{
    static const char *names[] = {
        "LD_PRELOAD=", "JAVA_TOOL_OPTIONS=", "ASSAY_RECORD=", "PWD=", "OLDPWD=", "_=", "SHLVL="};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(variable, names[i], strlen(names[i])) == 0)
            return 1;
    return 0;
}

int main(int argc, char **argv)
{
    int left = argc > 1 ? atoi(argv[1]) : 5;
    char next[16];
    printf("left %d\n", left);
    for (char **variable = environ; *variable; variable++)
        if (!hidden(*variable))
            puts(*variable);
    fflush(stdout);
    if (left == 0)
        return 0;
    burn(0.01);
    snprintf(next, sizeof next, "%d", left - 1);
    setenv("LEFT", next, 1);
    execl("/proc/self/exe", "again", next, (char *)NULL);
    perror("execl");
    return 1;
}

/* Executes itself with an environment of one variable, with none, and with a null pointer for it, and clears its own: a
 * recorder's variables may be there but for that, and nothing else. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

extern char **environ;

static void tell(void)
{
    for (char **variable = environ; variable && *variable; variable++)
        if (strncmp(*variable, "LD_PRELOAD=", 11) != 0 && strncmp(*variable, "JAVA_TOOL_OPTIONS=", 18) != 0 &&
            strncmp(*variable, "ASSAY_RECORD=", 13) != 0)
            printf("  %s\n", *variable);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    char *one[] = {"ONLY=1", NULL}, *none[] = {NULL}, *words[] = {argv[0], "child", NULL};
    char **given[] = {one, none, NULL};
    if (argc > 1) {
        burn(0.01);
        tell();
        return 0;
    }
    for (int i = 0; i < 4; i++) {
        printf("environment %d:\n", i);
        fflush(stdout);
        if (fork() == 0) {
            burn(0.01);
            if (i < 3)
                execve("/proc/self/exe", words, given[i]);
            clearenv();
            tell();
            execv("/proc/self/exe", words);
            _exit(1);
        }
        wait(NULL);
    }
    clearenv();
    printf("system: %d\n", system("exit 4"));
    return 0;
}

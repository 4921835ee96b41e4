/*
 * assay-x86-linux - what Valgrind's launcher starts for 32-bit programs, since there is no tool for them: the program
 * itself, unmeasured. Its command line is a tool's: OPTION... PROGRAM ARGUMENT...
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int program = 1;
    while (program < argc && argv[program][0] == '-')
        program++;
    if (program >= argc) {
        fputs("assay-x86-linux: only Valgrind's launcher may start this\n", stderr);
        return 2;
    }
    /* As in the environment of other unmeasured programs. */
    unsetenv("VALGRIND_LAUNCHER");
    unsetenv("VALGRIND_LIB");
    execv(argv[program], argv + program);
    fprintf(stderr, "assay: %s: %s\n", argv[program], strerror(errno));
    return 127;
}

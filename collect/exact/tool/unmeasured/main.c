/*
 * assay-x86-linux - what Valgrind's launcher starts in place of a tool for 32-bit programs, of which there is none: the
 * program itself, not measured. Its command line is a tool's: OPTION... PROGRAM ARGUMENT...
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
    /* As in the environment of other programs that are not measured. */
    unsetenv("VALGRIND_LAUNCHER");
    unsetenv("VALGRIND_LIB");
    execv(argv[program], argv + program);
    fprintf(stderr, "assay: %s: %s\n", argv[program], strerror(errno));
    return 127;
}

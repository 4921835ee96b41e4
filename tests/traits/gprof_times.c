/* gprof's own sampling with SIGPROF: a child of the same program is profiled, and the parent says whether gmon.out
 * holds about as many ticks as are due.
 * flags: -pg */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

int main(int argc, char **argv)
{
    if (argc > 1) {
        burn(1);
        return 0;
    }
    int status = -1;
    unlink("gmon.out");
    pid_t child = fork();
    if (child == 0) {
        execl(argv[0], argv[0], "profiled", (char *)NULL);
        _exit(127);
    }
    waitpid(child, &status, 0);
    printf("child's status %d\n", status);
    FILE *file = fopen("gmon.out", "rb");
    if (!file) {
        puts("no gmon.out");
        return 1;
    }
    /* A header of 20 bytes, the tag, two addresses, the number of counts. */
    int32_t counts = 0;
    uint16_t count;
    long sum = 0;
    fseek(file, 20 + 1 + 16, SEEK_SET);
    fread(&counts, sizeof counts, 1, file);
    fseek(file, 20 + 1 + 40, SEEK_SET);
    for (int i = 0; i < counts && fread(&count, sizeof count, 1, file) == 1; i++)
        sum += count;
    fclose(file);
    unlink("gmon.out");
    /* 100 are due; a busy machine loses some. */
    puts(sum < 10 ? "too few" : sum > 200 ? "too many" : "about right");
    return 0;
}

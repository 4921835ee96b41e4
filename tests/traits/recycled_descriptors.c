/* Closes all descriptors at once and opens files in their place, which get the numbers that anything closed had: what a
 * recorder writes to a descriptor it believes its own would end up in them. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "burn.h"

enum { FILES = 300 };

int main(void)
{
    int strange = 0, in_order = 0, descriptors[FILES];
    burn(0.05);
    printf("closed: %ld\n", syscall(SYS_close_range, 3U, ~0U, 0U));
    for (int i = 0; i < FILES; i++) {
        descriptors[i] = open(".", O_TMPFILE | O_RDWR, 0600);
        if (descriptors[i] < 0) {
            char name[32];
            snprintf(name, sizeof name, "file%d", i);
            descriptors[i] = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
        }
        in_order += descriptors[i] == 3 + i;
        /* High numbers too. */
        if (i % 3 == 0)
            dup2(descriptors[i], 500 + i);
    }
    burn(0.1);
    for (int i = 0; i < FILES; i++) {
        struct stat status = {0};
        strange += fstat(descriptors[i], &status) || status.st_size;
    }
    printf("in order %d, strange %d\n", in_order, strange);
    return 0;
}

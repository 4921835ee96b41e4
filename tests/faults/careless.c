/*
 * A program that takes failing allocations as badly as can be, each in another way: tests/faults/every must notice.
 * Its first allocations, in order: a line left out in silence, a crash, status 1 without a line, half a file under its
 * final name, a file left behind, and, as it should be, status 1 with a line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <fcntl.h>

static void careless_write(const char *name, const char *text, size_t length)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, text, length) != (ssize_t)length)
        _exit(1);
    close(fd);
}

int main(void)
{
    static const char text[] = "main;f 10\nmain;g 20\n";
    char *volatile line = malloc(100);
    if (line)
        dprintf(STDOUT_FILENO, "one line\n");
    char *volatile unchecked = malloc(100);
    *unchecked = 'x';
    char *volatile silent = malloc(100);
    if (!silent)
        _exit(1);
    char *volatile half = malloc(100);
    careless_write("out.folded", text, half ? sizeof text - 1 : 5);
    char *volatile behind = malloc(100);
    if (!behind) {
        careless_write("out.folded.x7Kq2a", text, 5);
        dprintf(STDERR_FILENO, "out of memory\n");
        _exit(1);
    }
    char *volatile good = malloc(100);
    if (!good) {
        dprintf(STDERR_FILENO, "out of memory\n");
        _exit(1);
    }
    dprintf(STDOUT_FILENO, "another line\n");
    return 0;
}

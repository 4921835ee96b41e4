/* A mapped file that is cut ends the program with a line that names the file. */
#include "base/shrunk_file.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"

static _Noreturn void read_beyond_the_end(int fd)
{
    const volatile char *bytes = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE, fd, 0);
    shrunk_file_watch("reader");
    if (ftruncate(fd, 100) != 0)
        _exit(3);
    _exit(bytes[4096] ? 4 : 5);
}

int main(void)
{
    char path[] = "/tmp/shrunk\033XXXXXX", expected[256], got[1024];
    int ends[2], status, fd = mkstemp(path);
    if (!ok(fd >= 0 && ftruncate(fd, 8192) == 0 && pipe(ends) == 0, "a file and a pipe to try it with"))
        return done_testing();
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        read_beyond_the_end(fd);
    }
    close(ends[1]);
    ssize_t length = 0, more;
    while ((more = read(ends[0], got + length, sizeof got - 1 - (size_t)length)) > 0)
        length += more;
    got[length] = '\0';
    waitpid(child, &status, 0);
    unlink(path);
    ok(WIFEXITED(status) && WEXITSTATUS(status) == 1, "the program ends with status 1");
    path[11] = '?';
    snprintf(expected, sizeof expected,
             "reader: %s: became shorter while it was read, or its disk can't be read; run this again\n", path);
    is_text(got, expected, "  and names the file, tame");
    return done_testing();
}

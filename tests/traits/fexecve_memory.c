/* Copies itself into memory, deletes nothing it was told to keep, and executes the copy by its descriptor, which has no
 * name; then a copy on disk that is deleted before it is executed. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "burn.h"

extern char **environ;

int main(int argc, char **argv)
{
    burn(0.08);
    printf("%s ran as %s\n", argc > 1 ? argv[1] : "the file", argv[0]);
    fflush(stdout);
    if (argc > 1 && argv[1][0] == 'd')
        return 7;
    struct stat status;
    int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    fstat(self, &status);
    int copy =
        argc == 1 ? memfd_create("copy", MFD_CLOEXEC) : open("copy", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
    for (off_t done = 0; done < status.st_size;)
        if (sendfile(copy, self, &done, (size_t)(status.st_size - done)) <= 0)
            return 1;
    char *arguments[] = {"another", argc == 1 ? "memory" : "deleted", NULL};
    if (argc == 1)
        fexecve(copy, arguments, environ);
    close(copy);
    copy = open("copy", O_RDONLY | O_CLOEXEC);
    unlink("copy");
    fexecve(copy, arguments, environ);
    perror("fexecve");
    return 1;
}

/* Code that is written through one mapping of a file in memory and executed through another, as compilers at run time
 * do. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
int main(void)
{
    int fd = memfd_create("code", 0), sum = 0;
    if (ftruncate(fd, 4096) != 0)
        return 1;
    unsigned char *w = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    int (*x)(void) = (int (*)(void))mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
    for (int i = 0; i < 1000; i++) {
        unsigned char code[] = {0xb8, (unsigned char)i, (unsigned char)(i >> 8), 0, 0, 0xc3}; /* mov $i, %eax; ret */
        memcpy(w, code, sizeof code);
        sum += x() == i;
    }
    printf("%d\n", sum);
    return 0;
}

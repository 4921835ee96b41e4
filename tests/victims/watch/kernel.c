/*
 * kernel HOW ROUNDS - accesses of system calls between those of the program, with waste derived on paper. In every
 * round victim_fill() stores 7 into each byte of a buffer, 8 at a time; then
 *   written      write(2) reads it: no store is dead
 *   unread       nothing reads it: every store is dead but those of the last round
 *   overwritten  read(2) stores zeros there, and the program loads them: every store is dead, none is silent
 *   same         read(2) stores sevens there, and the program loads them: every store is dead, and every one is silent
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BYTES = 4096 };
static char buffer[BYTES] __attribute__((aligned(4096))), other[BYTES];

__attribute__((noipa)) static void victim_fill(void)
{
    uint64_t n = BYTES / 8, at = (uint64_t)(uintptr_t)buffer;
    __asm__ volatile("1: movq %[seven], (%[at])\n\tadd $8, %[at]\n\tdec %[n]\n\tjnz 1b"
                     : [n] "+r"(n), [at] "+r"(at)
                     : [seven] "r"(UINT64_C(0x0707070707070707))
                     : "memory", "cc");
}

__attribute__((noipa)) static void victim_load(void)
{
    uint64_t n = BYTES / 8, at = (uint64_t)(uintptr_t)buffer;
    __asm__ volatile("1: movq (%[at]), %%rax\n\tadd $8, %[at]\n\tdec %[n]\n\tjnz 1b"
                     : [n] "+r"(n), [at] "+r"(at)
                     :
                     : "rax", "memory", "cc");
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    int file = memfd_create("kernel", 0);
    unsigned long rounds = strtoul(argv[2], NULL, 10);
    memset(other, strcmp(argv[1], "same") == 0 ? 7 : 0, sizeof other);
    if (file < 0 || write(file, other, sizeof other) != (ssize_t)sizeof other)
        return 1;
    for (unsigned long i = 0; i < rounds; i++) {
        victim_fill();
        if (strcmp(argv[1], "unread") == 0)
            continue;
        lseek(file, 0, SEEK_SET);
        if (strcmp(argv[1], "written") == 0) {
            if (write(file, buffer, sizeof buffer) != (ssize_t)sizeof buffer)
                return 1;
            continue;
        }
        if (read(file, buffer, sizeof buffer) != (ssize_t)sizeof buffer)
            return 1;
        victim_load();
    }
    puts("done");
    return 0;
}

/*
 * For -finstrument-functions: `touch` is the first to access 100 pages, `again` accesses them once more, `doze` waits
 * five times, and a child of a fork accesses 100 pages of its own.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PAGES = 100, PAGE = 4096 };
static volatile char *memory;

__attribute__((noinline)) static void again(void)
{
    for (int i = 0; i < PAGES; i++)
        memory[i * PAGE] = 1;
}

__attribute__((noinline)) static void touch(void)
{
    for (int i = 0; i < PAGES; i++)
        memory[i * PAGE] = 1;
}

__attribute__((noinline)) static void doze(void)
{
    for (int i = 0; i < 5; i++)
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

static volatile char *pages(void)
{
    char *made = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED || madvise(made, PAGES * PAGE, MADV_NOHUGEPAGE))
        _exit(1);
    return made;
}

int main(void)
{
    memory = pages();
    touch();
    again();
    doze();
    if (fork() == 0) {
        memory = pages();
        touch();
        _exit(0);
    }
    wait(NULL);
    return 0;
}

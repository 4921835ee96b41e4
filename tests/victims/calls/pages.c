/* Each call of touch() has the same page faults: 64 pages that are new. Each call of nap() gives its processor away
 * once. Argument: how many calls of each. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

enum { PAGE = 4096, PAGES = 64 };

static volatile uint64_t sink;

__attribute__((noinline)) void spin(void)
{
    for (unsigned i = 0; i < 50000; i++)
        sink = sink * 6364136223846793005u + 1;
}

__attribute__((noinline)) void touch(void)
{
    volatile char *pages = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise((void *)pages, PAGES * PAGE, MADV_NOHUGEPAGE);
    for (int i = 0; i < PAGES; i++)
        pages[i * PAGE] = 1;
    munmap((void *)pages, PAGES * PAGE);
    spin();
}

__attribute__((noinline)) void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    spin();
}

int main(int argc, char **argv)
{
    unsigned count = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1000;
    for (unsigned i = 0; i < count; i++) {
        touch();
        nap();
    }
    return 0;
}

/* plugin - a library to load and unload: work() burns 400 ms of CPU time in it. */
#include <time.h>

void work(void);
void work(void)
{
    static volatile unsigned sink;
    struct timespec now, end;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    end.tv_nsec += 400000000;
    do {
        for (unsigned i = 0; i < 100000; i++)
            sink += i;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        now.tv_nsec += (now.tv_sec - end.tv_sec) * 1000000000;
    } while (now.tv_nsec < end.tv_nsec);
}

/* spin.c - spin SECONDS: uses this much CPU time, or SPIN_TIMES times as much if the environment has that. */
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv)
{
    const char *times = getenv("SPIN_TIMES");
    double seconds = (argc > 1 ? atof(argv[1]) : 0.1) * (times ? atof(times) : 1);
    struct timespec now;
    do {
        for (volatile int i = 0; i < 100000; i++)
            ;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    } while ((double)now.tv_sec + (double)now.tv_nsec / 1e9 < seconds);
    return 0;
}

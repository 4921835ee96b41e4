/* Opens files until a small limit of descriptors is reached, and goes on with threads and work when none is left: a
 * recorder's descriptors would take some away, and its own opens fail. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "burn.h"

static void *work(void *nothing)
{
    (void)nothing;
    burn(0.02);
    return NULL;
}

int main(int argc, char **argv)
{
    struct rlimit limit = {24, 24};
    pthread_t thread;
    int opened = 0, last = -1;
    if (argc == 1) {
        /* Without what this was given. */
        close_range(3, ~0U, 0);
        execl("/proc/self/exe", argv[0], "alone", (char *)NULL);
        return 1;
    }
    burn(0.02);
    setrlimit(RLIMIT_NOFILE, &limit);
    for (int descriptor; (descriptor = open("/dev/null", O_RDONLY)) >= 0; opened++)
        last = descriptor;
    printf("EMFILE: %d, opened %d, last %d\n", errno == EMFILE, opened, last);
    for (int i = 0; i < 5; i++) {
        pthread_create(&thread, NULL, work, NULL);
        burn(0.01);
        pthread_join(thread, NULL);
    }
    close(last);
    printf("again: %d\n", open("/dev/null", O_RDONLY) == last);
    return 0;
}

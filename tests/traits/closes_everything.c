/* Closes every descriptor above 2, by closefrom, close_range and a loop, between pieces of work in threads, and then
 * opens files: all its descriptors must be its own, and its files hold only what it wrote. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "burn.h"

static void *work(void *nothing)
{
    burn(0.03);
    return nothing;
}

int main(void)
{
    int files[700], wrong = 0;
    long bytes = 0;
    for (int round = 0; round < 3; round++) {
        pthread_t threads[4];
        for (int i = 0; i < 4; i++)
            pthread_create(&threads[i], NULL, work, NULL);
        burn(0.02);
        if (round == 0)
            closefrom(3);
        else if (round == 1)
            close_range(3, ~0U, 0);
        else
            for (int fd = 3; fd < 1024; fd++)
                close(fd);
        for (int i = 0; i < 700; i++) {
            char name[16];
            snprintf(name, sizeof name, "file%d", i);
            files[i] = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
            wrong += files[i] < 0 || (size_t)write(files[i], "12345", 5) != 5;
        }
        burn(0.05);
        for (int i = 0; i < 4; i++)
            pthread_join(threads[i], NULL);
        for (int i = 0; i < 700; i++) {
            struct stat status = {0};
            wrong += fstat(files[i], &status) != 0;
            bytes += status.st_size;
            close(files[i]);
        }
    }
    printf("bytes %ld, wrong %d\n", bytes, wrong);
    return 0;
}

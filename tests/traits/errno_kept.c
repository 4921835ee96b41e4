/* errno stays what it was set to while threads burn and ticks come: a handler that makes calls must put it back. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

#include "burn.h"

static volatile int changed;

static void *work(void *given)
{
    int own = *(int *)given;
    errno = own;
    for (int i = 0; i < 2000; i++) {
        burn_rounds(30000);
        if (errno != own) {
            changed++;
            errno = own;
        }
    }
    return NULL;
}

int main(void)
{
    int numbers[] = {77, 78, 79};
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, work, &numbers[0]);
    pthread_create(&threads[1], NULL, work, &numbers[1]);
    work(&numbers[2]);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    printf("changed %d\n", changed);
    return 0;
}

/* Burns, locks itself into an empty folder, and burns on in a thread: nothing of the system can be opened then, and
 * nothing may appear in the folder.
 * needs: test "$(id -u)" = 0 */
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "burn.h"

static void *work(void *nothing)
{
    burn(0.05);
    return nothing;
}

int main(void)
{
    pthread_t thread;
    int entries = 0;
    burn(0.05);
    mkdir("empty", 0700);
    if (chroot("empty") || chdir("/")) {
        perror("chroot");
        return 2;
    }
    burn(0.05);
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    DIR *folder = opendir("/");
    while (readdir(folder))
        entries++;
    closedir(folder);
    printf("ok, entries %d\n", entries - 2);
    return 0;
}

/* A program with one thread counts its threads, as sandboxes do before they fork or change identity: a recorder's would
 * make it more. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "burn.h"

static void tell(void)
{
    char line[256];
    int tasks = 0;
    DIR *folder = opendir("/proc/self/task");
    while (readdir(folder))
        tasks++;
    closedir(folder);
    printf("tasks %d, ", tasks - 2);
    FILE *file = fopen("/proc/self/status", "r");
    while (fgets(line, sizeof line, file))
        if (strncmp(line, "Threads:", 8) == 0)
            fputs(line, stdout);
    fclose(file);
}

int main(void)
{
    tell();
    burn(0.1);
    tell();
    return 0;
}

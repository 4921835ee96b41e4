/* A new mount namespace in which an empty file system covers the current folder: only the program's own file must
 * appear in it.
 * needs: unshare -m true */
#define _GNU_SOURCE
#include <dirent.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <unistd.h>

#include "burn.h"

int main(void)
{
    char here[PATH_MAX];
    burn(0.03);
    int failed = unshare(CLONE_NEWNS);
    getcwd(here, sizeof here);
    failed |= mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
    failed |= mount("tmpfs", here, "tmpfs", 0, NULL);
    failed |= chdir(here);
    printf("failed %d\n", failed);
    burn(0.05);
    fclose(fopen("own", "w"));
    DIR *folder = opendir(".");
    for (struct dirent *entry; (entry = readdir(folder));)
        if (entry->d_name[0] != '.')
            puts(entry->d_name);
    closedir(folder);
    return 0;
}

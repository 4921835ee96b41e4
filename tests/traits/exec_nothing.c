/* Executes programs with an empty environment, with none at all, with a name of its own, and from a folder that is
 * gone; and fails to execute what can't be, after which it must be as it was. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

extern char **environ;

static void run(int how, const char *self)
{
    char *arguments[] = {"a name of its own", "child", NULL}, *nothing[] = {NULL};
    int status;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        if (how == 2) {
            mkdir("gone", 0700);
            chdir("gone");
            rmdir("../gone");
        }
        execve(self, arguments, how == 0 ? nothing : how == 1 ? NULL : environ);
        _exit(99);
    }
    waitpid(child, &status, 0);
    printf("%d: status %d\n", how, WEXITSTATUS(status));
}

int main(int argc, char **argv)
{
    char self[4096] = "", where[4096];
    if (argc > 1) {
        int count = 0;
        for (char **word = environ; word && *word; word++)
            count += strncmp(*word, "LANG", 4) != 0;
        burn(0.06);
        printf("%s, environment %s, folder %s\n", argv[0], count ? "full" : "empty",
               getcwd(where, sizeof where) ? "there" : "gone");
        return 5;
    }
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    (void)length;
    for (int how = 0; how < 3; how++)
        run(how, self);
    burn(0.03);
    for (int i = 0; i < 3; i++) {
        static char *const bad[] = {"/nonexistent", "/etc/passwd", "/"};
        execl(bad[i], "bad", (char *)NULL);
        printf("%s: %s\n", bad[i], strerror(errno));
        burn(0.02);
    }
    return 0;
}

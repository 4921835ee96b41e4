/* Signals that a parent shell ignores must be ignored still in the program, and be seen as such: nohup and shells'
 * background jobs build on it. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "burn.h"

int main(int argc, char **argv)
{
    if (argc == 1) {
        execl("/bin/sh", "sh", "-c", "trap '' CHLD INT TERM URG PROF TRAP HUP; exec \"$0\" seen", argv[0],
              (char *)NULL);
        return 127;
    }
    burn(0.02);
    for (int number = 1; number <= 31; number++) {
        struct sigaction action;
        if (number == SIGKILL || number == SIGSTOP || sigaction(number, NULL, &action))
            continue;
        if (action.sa_handler != SIG_DFL)
            printf("%d is %s\n", number, action.sa_handler == SIG_IGN ? "ignored" : "handled");
    }
    fflush(stdout);
    kill(getpid(), SIGINT);
    kill(getpid(), SIGTERM);
    kill(getpid(), SIGURG);
    kill(getpid(), SIGPROF);
    burn(0.05);
    printf("system: %d\n", system("exit 3"));
    return 0;
}

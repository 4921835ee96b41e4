/*
 * kept CONFIGURATION COMMAND...: runs the command with the environment variable that the native agent reads, while
 * another process writes the traces, as assay-record does. CONFIGURATION is a JSON object. The status is the command's,
 * or 128 + the signal that ended it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collect/keep/keep.h"
#include "collect/sample/sampler.h"

int main(int count, char **arguments)
{
    struct keep *keep;
    int status = 0;
    json_t *configuration = count > 2 ? json_loads(arguments[1], 0, NULL) : NULL;
    if (!configuration || (errno = keep_begin(configuration, &keep)) != 0) {
        perror("kept");
        return 2;
    }
    json_object_set_new(configuration, "pool", json_string(keep_path(keep)));
    setenv(SAMPLER_ENVIRONMENT, json_dumps(configuration, JSON_COMPACT), 1);
    pid_t pid = fork();
    if (pid == 0) {
        execvp(arguments[2], arguments + 2);
        perror(arguments[2]);
        _exit(127);
    }
    waitpid(pid, &status, 0);
    keep_end(keep);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

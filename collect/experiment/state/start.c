#include "collect/experiment/state/start.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/temporary.h"
#include "base/transfer.h"

const char *start_program(struct obstack *memory, const char *verb)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(path, '/');
    return memory_print(memory, "%.*s/assay-%s", slash ? (int)(slash - path) : 0, path, verb);
}

bool start_has_program(struct obstack *memory, const char *verb)
{
    return *verb && strspn(verb, "abcdefghijklmnopqrstuvwxyz") == strlen(verb) &&
           access(start_program(memory, verb), X_OK) == 0;
}

int start_status(const struct launch_result *result)
{
    if (result->exec_error)
        return result->exec_error == ENOENT ? 127 : 126;
    return WIFSIGNALED(result->status) ? 128 + WTERMSIG(result->status) : WEXITSTATUS(result->status);
}

static void start_ignore_pid(void *user, pid_t pid)
{
    (void)user;
    (void)pid;
}

int start_run(struct obstack *memory, struct launcher *launcher, const struct start_job *job,
              struct launch_result *result, struct error_text *message)
{
    size_t count = job->environment ? job->environment->count : 0;
    const char *(*pairs)[2] = memory_allocate(memory, count + 1, sizeof *pairs);
    for (size_t i = 0; i < count; i++) {
        pairs[i][0] = job->environment->names[i];
        pairs[i][1] = job->environment->values[i];
    }
    char **command = memory_allocate(memory, job->command->count + 1, sizeof *command);
    for (size_t i = 0; i < job->command->count; i++)
        command[i] = memory_print(memory, "%s", job->command->list[i]);
    int back = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (back < 0 || (job->directory && chdir(job->directory) != 0)) {
        int error = errno;
        if (back >= 0)
            close(back);
        return error_set(message, STATUS_BAD, "%.300s: %s", job->directory ? job->directory : ".", strerror(error));
    }
    struct launch_job launch = {.command = command,
                                .environment = (const char *const(*)[2])pairs,
                                .input = open("/dev/null", O_RDONLY | O_CLOEXEC),
                                .output = job->output,
                                .errors = job->errors,
                                .on_start = job->on_start ? job->on_start : start_ignore_pid,
                                .on_progress = job->on_progress,
                                .user = job->user};
    int error = launch_run(launcher, &launch, result);
    if (fchdir(back) != 0 && !error)
        error = errno;
    close(back);
    if (!error && result->exec_error)
        error = result->exec_error;
    return error ? error_set(message, STATUS_BAD, "%.300s: %s", command[0], strerror(error)) : STATUS_GOOD;
}

const char *start_read(struct obstack *memory, struct launcher *launcher, const struct words *command,
                       const struct spec_environment *environment, int *status)
{
    enum { READ_MAX = 1 << 16 };
    struct launch_result result;
    struct error_text message;
    int fd = temporary_file();
    if (fd < 0)
        return NULL;
    const struct start_job job = {.command = command, .environment = environment, .output = fd, .errors = fd};
    char *text = NULL;
    if (start_run(memory, launcher, &job, &result, &message) == 0) {
        text = memory_allocate(memory, READ_MAX, 1);
        ssize_t length = transfer_read_at(fd, text, READ_MAX - 1, 0);
        text[length > 0 ? length : 0] = '\0';
        *status = start_status(&result);
    }
    close(fd);
    return text;
}

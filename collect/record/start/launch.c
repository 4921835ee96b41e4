#include "collect/record/start/launch.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/transfer.h"
#include "collect/record/start/budget.h"

/* A sender like timeout(1) signals the process and then its group: this is one request, not two. */
enum { SAME_WISH_NS = 200000000 };

void launch_init(struct launcher *launcher)
{
    static const int STOPPING[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    *launcher = (struct launcher){0};
    struct sigaction normal = {.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDSTOP}, action;
    sigaction(SIGCHLD, &normal, &launcher->original_child); /* ignored, it would make wait() fail */
    sigemptyset(&launcher->waited);
    sigaddset(&launcher->waited, SIGCHLD);
    for (size_t i = 0; i < sizeof STOPPING / sizeof *STOPPING; i++)
        if (sigaction(STOPPING[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(&launcher->waited, STOPPING[i]);
    sigprocmask(SIG_BLOCK, &launcher->waited, &launcher->original);
}

/* Signals a process after its descendants, so that none of them is reparented before it is found; while stopped, it
 * can't start others when those end. */
void launch_signal_tree(pid_t pid, int signal)
{
    char path[64];
    kill(pid, SIGSTOP);
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
    FILE *children = fopen(path, "re");
    int child;
    while (children && fscanf(children, "%d", &child) == 1)
        launch_signal_tree(child, signal);
    if (children)
        fclose(children);
    kill(pid, signal);
    kill(pid, SIGCONT);
}

static void launch_handle_signal(struct launcher *launcher, const siginfo_t *info, pid_t pid)
{
    bool sent_to_all = info->si_code == SI_KERNEL; /* by the terminal, to the whole foreground group */
    if (info->si_signo == SIGCHLD)
        return;
    if (info->si_signo == SIGQUIT) { /* a JVM prints its threads and continues: no reason to stop */
        if (!sent_to_all && pid > 0)
            kill(pid, SIGQUIT);
        return;
    }
    if (!launcher->interrupted_by) {
        launcher->interrupted_by = info->si_signo;
        launcher->interrupted_ns = clock_ns(CLOCK_MONOTONIC);
        if (!sent_to_all && pid > 0)
            kill(pid, info->si_signo);
    } else if (pid > 0 && clock_ns(CLOCK_MONOTONIC) - launcher->interrupted_ns > SAME_WISH_NS) {
        launch_signal_tree(pid, SIGKILL);
    }
}

int launch_interrupted(struct launcher *launcher)
{
    static const struct timespec AT_ONCE = {0, 0};
    siginfo_t info;
    while (sigtimedwait(&launcher->waited, &info, &AT_ONCE) > 0)
        launch_handle_signal(launcher, &info, 0);
    return launcher->interrupted_by;
}

/* What the command shall have of its environment, descriptors, limits and signals, but for the signal mask. 0 or an
 * errno value. */
static int launch_set_up(const struct launcher *launcher, const struct launch_job *job)
{
    for (const char *const(*pair)[2] = job->environment; (*pair)[0]; pair++)
        if (setenv((*pair)[0], (*pair)[1], 1) != 0)
            return errno;
    if (job->input >= 0 && dup2(job->input, STDIN_FILENO) < 0)
        return errno;
    if ((job->output > 0 && dup2(job->output, STDOUT_FILENO) < 0) ||
        (job->errors > 0 && dup2(job->errors, STDERR_FILENO) < 0))
        return errno;
    sigaction(SIGCHLD, &launcher->original_child, NULL);
    budget_give_back(!job->keeps_memory);
    return 0;
}

/* Becomes the small program, whose child waits for permission and becomes the command. Returns if that is impossible;
 * then this process goes on as the command. */
static void launch_become_small(const struct launcher *launcher, const struct launch_job *job, int go, int report)
{
    char texts[3][24];
    const uint64_t *mask = (const uint64_t *)&launcher->original; /* all of the kernel's 64 signals */
    size_t count = 0;
    while (job->command[count])
        count++;
    const char **words = calloc(count + 5, sizeof *words);
    snprintf(texts[0], sizeof texts[0], "%d", go);
    snprintf(texts[1], sizeof texts[1], "%d", report);
    snprintf(texts[2], sizeof texts[2], "%" PRIx64, *mask);
    if (words && launch_set_up(launcher, job) == 0) {
        const char *const first[] = {job->small, texts[0], texts[1], texts[2]};
        memcpy(words, first, sizeof first);
        memcpy(words + 4, job->command, count * sizeof *words);
        fcntl(go, F_SETFD, 0);
        fcntl(report, F_SETFD, 0);
        execv(job->small, (char **)(uintptr_t)words);
        fcntl(go, F_SETFD, FD_CLOEXEC);
        fcntl(report, F_SETFD, FD_CLOEXEC);
    }
    free(words);
    pid_t own = getpid();
    if (!transfer_write(report, &own, sizeof own))
        _exit(126);
}

/* Waits for permission to start; none comes if the recorder dies. Then becomes the command, or reports why not. */
_Noreturn static void launch_become_command(const struct launcher *launcher, const struct launch_job *job, int go,
                                            int report)
{
    char word;
    ssize_t length = transfer_read_some(go, &word, 1);
    if (length == 0)
        _exit(127);
    int error = length < 0 ? errno : launch_set_up(launcher, job);
    if (!error) {
        sigprocmask(SIG_SETMASK, &launcher->original, NULL);
        execvp(job->command[0], job->command);
        error = errno;
    }
    _exit(transfer_write(report, &error, sizeof error) ? 127 : 126);
}

/* A number that the child sends in one write; its size, less at the end, or -1 and errno. */
static ssize_t launch_read_number(int report, int *number)
{
    size_t done = 0;
    ssize_t got = 1;
    while (done < sizeof *number && got > 0) {
        got = transfer_read_some(report, (char *)number + done, sizeof *number - done);
        done += got > 0 ? (size_t)got : 0;
    }
    return got < 0 ? got : (ssize_t)done;
}

/* Permits the command to start. False: its process is gone, or errno. SIGPIPE, which that would raise, is for the
 * recorder's own output. */
static bool launch_permit(int go)
{
    static const struct timespec AT_ONCE = {0, 0};
    sigset_t pipe, pending, before;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    bool was_pending = sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE);
    sigprocmask(SIG_BLOCK, &pipe, &before);
    bool permitted = transfer_write(go, "", 1);
    if (!permitted && errno == EPIPE && !was_pending)
        sigtimedwait(&pipe, NULL, &AT_ONCE);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return permitted;
}

/* The process that becomes the command: a child that the small program has made, which then has ended, or the small
 * program's own process. 0 or an errno value. */
static int launch_find_command(pid_t child, int report, pid_t *command)
{
    int number = 0;
    ssize_t length = launch_read_number(report, &number);
    if (length != sizeof number || number != child)
        waitpid(child, NULL, 0);
    if (length != sizeof number)
        return EPIPE;
    *command = number;
    return number > 0 ? 0 : -number;
}

/* The command, waiting for permission through *go; errors of its execution are reported through *report. */
static int launch_start(const struct launcher *launcher, const struct launch_job *job, pid_t *pid, int *go, int *report)
{
    int going[2], reporting[2];
    if (pipe2(going, O_CLOEXEC) != 0)
        return errno;
    if (pipe2(reporting, O_CLOEXEC) != 0) {
        int error = errno;
        close(going[0]);
        close(going[1]);
        return error;
    }
    pid_t child = fork();
    int error = errno;
    if (child == 0) {
        close(going[1]);
        if (job->small)
            launch_become_small(launcher, job, going[0], reporting[1]);
        launch_become_command(launcher, job, going[0], reporting[1]);
    }
    close(going[0]);
    close(reporting[1]);
    if (child < 0) {
        close(going[1]);
        close(reporting[0]);
        return error;
    }
    *pid = child;
    if (job->small)
        error = launch_find_command(child, reporting[0], pid);
    else
        error = 0;
    if (error) {
        close(going[1]);
        close(reporting[0]);
        return error;
    }
    *go = going[1];
    *report = reporting[0];
    return 0;
}

/* Since the machine started; 0 if the kernel does not report it. */
static uint64_t launch_stolen_ns(void)
{
    unsigned long long steal = 0;
    FILE *file = fopen("/proc/stat", "re");
    if (file && fscanf(file, "cpu %*u %*u %*u %*u %*u %*u %*u %llu", &steal) != 1)
        steal = 0;
    if (file)
        fclose(file);
    return steal * (1000000000u / (uint64_t)sysconf(_SC_CLK_TCK));
}

int launch_run(struct launcher *launcher, const struct launch_job *job, struct launch_result *result)
{
    assert(job->command && *job->command && job->environment && job->on_start);
    pid_t pid = -1;
    int go = -1, report = -1, error = launch_start(launcher, job, &pid, &go, &report);
    if (job->input >= 0)
        close(job->input);
    if (error)
        return error;
    static const struct timespec SECOND = {1, 0};
    siginfo_t info;
    struct launch_result got = {0};
    job->on_start(job->user, pid);
    uint64_t begin = clock_ns(CLOCK_MONOTONIC), stolen = launch_stolen_ns();
    bool permitted = launch_permit(go);
    close(go);
    ssize_t reported = launch_read_number(report, &got.exec_error); /* returns when the execution has begun */
    close(report);
    while (wait4(pid, &got.status, WNOHANG, &got.usage) == 0) {
        int caught =
            job->on_progress ? sigtimedwait(&launcher->waited, &info, &SECOND) : sigwaitinfo(&launcher->waited, &info);
        if (caught > 0)
            launch_handle_signal(launcher, &info, pid);
        else if (errno == EAGAIN)
            job->on_progress(job->user);
    }
    got.wall_ns = clock_ns(CLOCK_MONOTONIC) - begin;
    got.stolen_ns = launch_stolen_ns() - stolen;
    if (!permitted || (reported != 0 && reported != sizeof got.exec_error))
        return EPIPE;
    *result = got;
    return 0;
}

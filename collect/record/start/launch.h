/*
 * launch.h - runs the command once and waits for it, forwarding the signals meant for it.
 *
 * The recorder receives signals synchronously, while it waits. A signal from the terminal reaches the command directly;
 * one that another process sent only to the recorder is forwarded. Either way the recorder waits for the command to
 * exit; a second signal kills the command and its descendants.
 */
#ifndef ASSAY_RECORD_START_LAUNCH_H
#define ASSAY_RECORD_START_LAUNCH_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

struct launcher {
    sigset_t waited;   /* the signals that launch_run() waits for: not those that were ignored when we began */
    sigset_t original; /* the command's signal mask */
    struct sigaction original_child; /* the command's disposition of SIGCHLD */
    int interrupted_by;              /* the first signal that asked us to stop, or 0 */
    uint64_t interrupted_ns;         /* when */
};

struct launch_job {
    char *const *command;
    const char *const (*environment)[2]; /* name, value pairs to set; ends with a NULL name */
    int input;          /* becomes the command's standard input, and is closed here; −1: as the recorder's */
    int output, errors; /* become its standard output and error; 0: as the recorder's */
    const char *small;  /* assay-exec, so that the usage leaves out what this process needs; NULL: it does not */
    bool keeps_memory;  /* it applies the command's limits of memory itself, and keeps the recorder's */
    void (*on_start)(void *user, pid_t pid); /* before the command is executed, which waits meanwhile */
    void (*on_progress)(void *user);         /* about every second while it runs; NULL: not */
    void *user;
};

struct launch_result {
    int exec_error; /* errno value of the failed execution; 0: it ran, and the rest holds */
    int status;     /* as from wait() */
    uint64_t wall_ns;
    uint64_t stolen_ns; /* that the host took from all processors of a virtual machine meanwhile, as far as known */
    struct rusage usage;
};

/* Blocks the signals that launch_run() waits for. Once, before anything else runs. */
void launch_init(struct launcher *launcher);

/* Runs the job to its end. Returns 0 and *result, or an errno value if no process could be created. */
int launch_run(struct launcher *launcher, const struct launch_job *job, struct launch_result *result);

/* Sends a signal that ends processes to one and its descendants; a second signal to the recorder does so with SIGKILL.
 * From on_progress. */
void launch_signal_tree(pid_t pid, int signal);

/* Receives signals that came while no command was running; returns interrupted_by. */
int launch_interrupted(struct launcher *launcher);

#endif

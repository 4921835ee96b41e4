/*
 * Before this process executes another program, the trace is completed and the clocks are stopped.
 * A child of vfork shares the parent's memory, so there these functions only call exec.
 */
#include "collect/agents/native/native.h"

#include <errno.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/program_file.h"

extern char **environ;

enum { RECORDED_MAX = 64 };

static const char recorded_name[] = SAMPLER_RECORDED_ENVIRONMENT "=";
static size_t exec_count_strings(char *const *strings)
{
    size_t count = 0;
    while (strings && strings[count])
        count++;
    return count;
}

static const char preload_name[] = "LD_PRELOAD=", configuration_name[] = SAMPLER_ENVIRONMENT "=";

/* What a program's environment has that the caller does not know of. */
struct changes {
    char *recorded;  /* the variable "NAME=VALUE" that lists what is recorded already; "": none */
    char *preload;   /* instead of the preload; "": none; NULL: as it is */
    bool unrecorded; /* it gets no configuration */
};

static bool exec_variable_has_name(const char *variable, const char *name)
{
    return strncmp(variable, name, strlen(name)) == 0;
}

/* out has space for the number of variables + 2. */
static void exec_copy_environment(char *const *from, const struct changes *changes, char **out)
{
    for (; from && *from; from++) {
        if (exec_variable_has_name(*from, recorded_name) ||
            (changes->unrecorded && exec_variable_has_name(*from, configuration_name)))
            continue;
        char *variable = changes->preload && exec_variable_has_name(*from, preload_name) ? changes->preload : *from;
        if (*variable)
            *out++ = variable;
    }
    if (*changes->recorded)
        *out++ = changes->recorded;
    *out = NULL;
}

struct program {
    const char *file; /* NULL: fd */
    int fd;
    bool search; /* along PATH */
    char *const *arguments;
};

static int exec_call(const struct program *program, char *const *environment)
{
    if (program->search) {
        int (*next)(const char *, char *const *, char *const *) =
            (int (*)(const char *, char *const *, char *const *))interpose_next("execvpe");
        return next(program->file, program->arguments, environment);
    }
    if (program->file) {
        int (*next)(const char *, char *const *, char *const *) =
            (int (*)(const char *, char *const *, char *const *))interpose_next("execve");
        return next(program->file, program->arguments, environment);
    }
    int (*next)(int, char *const *, char *const *) =
        (int (*)(int, char *const *, char *const *))interpose_next("fexecve");
    return next(program->fd, program->arguments, environment);
}

/* ---------------------------------------------------------------------------- programs that take no agent -- */

/* The variable without the agent among its words; "" if nothing else is in it. out has space for the variable. */
static void exec_copy_without_agent(const char *variable, char *out)
{
    size_t length = strlen(preload_name), agent = strlen(agent_path());
    memcpy(out, variable, length);
    char *end = out + length;
    for (const char *word = variable + length; *word;) {
        size_t bytes = strcspn(word, ": ");
        if (bytes > 0 && (bytes != agent || memcmp(word, agent_path(), agent) != 0)) {
            memcpy(end, word, bytes);
            end += bytes;
            *end++ = ':';
        }
        word += bytes + (word[bytes] != '\0');
    }
    bool any = end > out + length;
    *(any ? end - 1 : out) = '\0';
}

/* The preload in this environment, if it has the agent; else NULL. */
static const char *exec_find_preload(char *const *environment)
{
    for (; environment && *environment; environment++)
        if (exec_variable_has_name(*environment, preload_name) && *agent_path() && strstr(*environment, agent_path()))
            return *environment;
    return NULL;
}

/* Whether this environment is for one of Valgrind's tools. The programs that it runs must not have the agent: the tool
 * would report what that does, allocates and loses as theirs. */
static bool exec_is_for_valgrind(char *const *environment)
{
    for (; environment && *environment; environment++)
        if (exec_variable_has_name(*environment, "VALGRIND_LAUNCHER="))
            return true;
    return false;
}

/* The preload that has to be replaced since the program must not get the agent; else NULL. Notes a program that is not
 * recorded. */
static const char *exec_refused_preload(const struct program *program, char *const *environment)
{
    const char *why, *preload = sampler_is_recording() ? exec_find_preload(environment) : NULL;
    char path[64], text[256];
    if (!preload)
        return NULL;
    snprintf(path, sizeof path, "/proc/self/fd/%d", program->fd);
    enum program_preload result = program->search ? program_file_preload_of_name(program->file, &why)
                                                  : program_file_preload(program->file ? program->file : path, &why);
    /* Nor could the programs that a statically linked one starts: each would print an error. */
    if (result != PROGRAM_REFUSES && access(agent_path(), R_OK) != 0) {
        why = result == PROGRAM_PRELOADS ? "the agent's file can't be seen from there" : why;
        result = PROGRAM_REFUSES;
    }
    if (result == PROGRAM_IGNORES && exec_is_for_valgrind(environment)) {
        result = PROGRAM_REFUSES;
        why = "it is run by Valgrind";
    }
    if (result == PROGRAM_PRELOADS)
        return NULL;
    const char *name = program->file                                 ? program->file
                       : program->arguments && program->arguments[0] ? program->arguments[0]
                                                                     : "a program";
    snprintf(text, sizeof text, "starts %.128s, which is not recorded: %s", name, why);
    sampler_note(text);
    return result == PROGRAM_REFUSES ? preload : NULL;
}

static int exec_execute(const struct program *program, char *const *environment)
{
    char recorded[sizeof recorded_name + RECORDED_MAX] = "", *copy[exec_count_strings(environment) + 2];
    bool over = agent_has_ended_for_good(); /* then even looking at the program may be forbidden */
    const char *refused = over ? exec_find_preload(environment) : exec_refused_preload(program, environment);
    char preload[refused ? strlen(refused) + 1 : 1];
    struct changes changes = {.recorded = recorded, .preload = refused ? preload : NULL};
    if (refused)
        exec_copy_without_agent(refused, preload);
    if (over) {
        changes.unrecorded = true;
        exec_copy_environment(environment, &changes, copy);
        return exec_call(program, copy);
    }
    methods_before_exec();
    sampler_before_exec(recorded + sizeof recorded_name - 1, RECORDED_MAX);
    int pool = refused || !sampler_is_outside() || !exec_find_preload(environment) ? -1 : pool_hand_down();
    if (pool >= 0)
        snprintf(recorded + sizeof recorded_name - 1, RECORDED_MAX, SAMPLER_RECORDED_POOL, pool);
    if (recorded[sizeof recorded_name - 1] != '\0')
        memcpy(recorded, recorded_name, sizeof recorded_name - 1);
    exec_copy_environment(environment, &changes, copy);
    mask_close();
    unsigned long closed = chain_close();
    int result = exec_call(program, copy), error = errno;
    chain_open(closed);
    pool_take_back(pool);
    sampler_exec_failed();
    mask_open();
    methods_exec_failed();
    errno = error;
    return result;
}

typedef int spawn_function(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
                           char *const *, char *const *);

/* Starts a program in a new process by the C library's function of this name. */
static int exec_spawn(const char *name, pid_t *pid, const struct program *program,
                      const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
                      char *const *environment)
{
    spawn_function *next = (spawn_function *)interpose_next(name);
    char none[] = "", *copy[exec_count_strings(environment) + 2];
    const char *refused = exec_refused_preload(program, environment);
    char preload[refused ? strlen(refused) + 1 : 1];
    if (refused) {
        exec_copy_without_agent(refused, preload);
        exec_copy_environment(environment, &(struct changes){.recorded = none, .preload = preload}, copy);
    }
    mask_close();
    unsigned long closed = chain_close();
    int result =
        next(pid, program->file, actions, attributes, program->arguments, refused ? copy : (char **)environment);
    chain_open(closed);
    mask_open();
    return result;
}

EXPORT int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                       const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[])
{
    return exec_spawn("posix_spawn", pid, &(struct program){.file = path, .arguments = arguments}, actions, attributes,
                      environment);
}

EXPORT int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                        const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[])
{
    return exec_spawn("posix_spawnp", pid, &(struct program){.file = file, .search = true, .arguments = arguments},
                      actions, attributes, environment);
}

EXPORT int execve(const char *path, char *const arguments[], char *const environment[])
{
    return exec_execute(&(struct program){.file = path, .arguments = arguments}, environment);
}

EXPORT int execv(const char *path, char *const arguments[])
{
    return execve(path, arguments, environ);
}

EXPORT int execvpe(const char *file, char *const arguments[], char *const environment[])
{
    return exec_execute(&(struct program){.file = file, .search = true, .arguments = arguments}, environment);
}

EXPORT int execvp(const char *file, char *const arguments[])
{
    return execvpe(file, arguments, environ);
}

EXPORT int fexecve(int fd, char *const arguments[], char *const environment[])
{
    return exec_execute(&(struct program){.fd = fd, .arguments = arguments}, environment);
}

/* Makes an array of the arguments of execl() and its kin: `first`, then those in the list up to its NULL. */
#define COLLECT(name, first)                                                                                           \
    va_list list;                                                                                                      \
    size_t name##_count = 1;                                                                                           \
    va_start(list, first);                                                                                             \
    while (va_arg(list, char *))                                                                                       \
        name##_count++;                                                                                                \
    va_end(list);                                                                                                      \
    char *name[name##_count + 1];                                                                                      \
    va_start(list, first);                                                                                             \
    name[0] = (char *)(uintptr_t)first;                                                                                \
    for (size_t i = 1; i <= name##_count; i++)                                                                         \
    name[i] = va_arg(list, char *)

EXPORT int execl(const char *path, const char *first, ...)
{
    COLLECT(arguments, first);
    va_end(list);
    return execve(path, arguments, environ);
}

EXPORT int execlp(const char *file, const char *first, ...)
{
    COLLECT(arguments, first);
    va_end(list);
    return execvpe(file, arguments, environ);
}

EXPORT int execle(const char *path, const char *first, ...)
{
    COLLECT(arguments, first);
    char *const *environment = va_arg(list, char *const *);
    va_end(list);
    return execve(path, arguments, environment);
}

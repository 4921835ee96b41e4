/*
 * Before this process executes another program, the trace is completed and the clocks are stopped.
 * A child of vfork shares the parent's memory, so there these functions only call exec.
 */
#include "collect/native/native.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

enum { RECORDED_MAX = 64 };

static const char recorded_name[] = SAMPLER_RECORDED_ENVIRONMENT "=";

static size_t count_strings(char *const *strings)
{
    size_t count = 0;
    while (strings && strings[count])
        count++;
    return count;
}

/* Copies the environment, with `entry` instead of any variable of the same name; out has room for count + 2. */
static void copy_environment(char *const *from, char *entry, char **out)
{
    for (; from && *from; from++)
        if (strncmp(*from, recorded_name, sizeof recorded_name - 1) != 0)
            *out++ = *from;
    *out++ = entry;
    *out = NULL;
}

struct program {
    const char *file; /* NULL: fd */
    int fd;
    bool search; /* along PATH */
    char *const *arguments;
};

static int call(const struct program *program, char *const *environment)
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

static int execute(const struct program *program, char *const *environment)
{
    char entry[sizeof recorded_name + RECORDED_MAX];
    memcpy(entry, recorded_name, sizeof recorded_name);
    methods_end();
    sampler_before_exec(entry + sizeof recorded_name - 1, RECORDED_MAX);
    mask_close();
    int result;
    if (entry[sizeof recorded_name - 1] == '\0') {
        result = call(program, environment);
    } else {
        char *copy[count_strings(environment) + 2];
        copy_environment(environment, entry, copy);
        result = call(program, copy);
    }
    int error = errno;
    sampler_exec_failed();
    mask_open();
    methods_resume();
    errno = error;
    return result;
}

EXPORT int execve(const char *path, char *const arguments[], char *const environment[])
{
    return execute(&(struct program){.file = path, .arguments = arguments}, environment);
}

EXPORT int execv(const char *path, char *const arguments[])
{
    return execve(path, arguments, environ);
}

EXPORT int execvpe(const char *file, char *const arguments[], char *const environment[])
{
    return execute(&(struct program){.file = file, .search = true, .arguments = arguments}, environment);
}

EXPORT int execvp(const char *file, char *const arguments[])
{
    return execvpe(file, arguments, environ);
}

EXPORT int fexecve(int fd, char *const arguments[], char *const environment[])
{
    return execute(&(struct program){.fd = fd, .arguments = arguments}, environment);
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

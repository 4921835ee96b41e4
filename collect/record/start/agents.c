#include "collect/record/start/agents.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int agents_path(const char *name, char path[RECORD_PATH_MAX])
{
    char joined[RECORD_PATH_MAX + 64], program[RECORD_PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length < 0)
        return errno;
    program[length] = '\0';
    *strrchr(program, '/') = '\0';
    snprintf(joined, sizeof joined, "%s/../../lib/assay/%s", program, name);
    char *real = realpath(joined, NULL);
    if (!real)
        return errno;
    int error = strlen(real) < RECORD_PATH_MAX ? 0 : ENAMETOOLONG;
    if (!error)
        strcpy(path, real);
    free(real);
    return error;
}

int agents_find(struct agents *agents, struct error_text *message)
{
    *agents = (struct agents){0};
    int error = agents_path("libassay-native.so", agents->native);
    if (error)
        return error_set(message, STATUS_BAD, "lib/assay/libassay-native.so: %s; is assay completely installed?",
                         strerror(error));
    agents_path("libassay-jvm.so", agents->jvm); /* a build without a JDK has none */
    agents_path("libassay-accesses.so", agents->accesses);
    agents_path("libassay-inspect.so", agents->inspect);
    /* The dynamic linker does not support quoting in LD_PRELOAD; the JVM does, so the path may hold one kind of quotes.
     */
    if (strpbrk(agents->native, " :\t\n"))
        return error_set(
            message, STATUS_BAD,
            "%.300s: LD_PRELOAD can't hold a path with a space or a colon; move assay to another directory",
            agents->native);
    if (strchr(agents->jvm, '\'') && strchr(agents->jvm, '"'))
        return error_set(message, STATUS_BAD,
                         "%.300s: JAVA_TOOL_OPTIONS can't hold a path with both kinds of quotes; move assay to another "
                         "directory",
                         agents->native);
    return STATUS_GOOD;
}

/* JAVA_TOOL_OPTIONS with an agent, and `more` options. */
static char *agents_java_options(const char *agent, const char *more)
{
    const char *before = getenv("JAVA_TOOL_OPTIONS");
    const char *quote = strchr(agent, '\'') ? "\"" : strchr(agent, '"') ? "'" : "";
    char *option, *value = NULL;
    if (asprintf(&option, "-agentpath:%s%s%s%s", quote, agent, quote, more) < 0)
        return NULL;
    if (!before || !*before)
        return option;
    if (strstr(before, option))
        value = strdup(before);
    else if (asprintf(&value, "%s %s", before, option) < 0)
        value = NULL;
    free(option);
    return value;
}

int agents_environment_init(const struct agents *agents, struct agents_environment *environment)
{
    /* LD_PRELOAD stays as it is if the agent is among its words already. */
    const char *before = getenv("LD_PRELOAD");
    size_t length = strlen(agents->native);
    bool there = false;
    for (const char *at = before; at && !there && (at = strstr(at, agents->native)); at++)
        there = (at == before || strchr(" :", at[-1])) && (at[length] == '\0' || strchr(" :", at[length]));
    char *preload = NULL;
    if (!before || !*before || there)
        preload = strdup(there ? before : agents->native);
    else if (asprintf(&preload, "%s:%s", agents->native, before) < 0)
        preload = NULL;

    /* Methods that have grown beyond 8000 bytes must be compiled all the same. */
    struct agents_environment made = {
        .preload = preload,
        .java = *agents->jvm ? agents_java_options(agents->jvm, "") : NULL,
        .rewrite = *agents->accesses ? agents_java_options(agents->accesses, " -XX:-DontCompileHugeMethods") : NULL,
        .inspect = *agents->inspect ? agents_java_options(agents->inspect, "") : NULL};
    if (!made.preload || (*agents->jvm && !made.java) || (*agents->accesses && !made.rewrite) ||
        (*agents->inspect && !made.inspect)) {
        agents_environment_free(&made);
        return -1;
    }
    *environment = made;
    return 0;
}

void agents_environment_free(struct agents_environment *environment)
{
    free(environment->preload);
    free(environment->java);
    free(environment->rewrite);
    free(environment->inspect);
    *environment = (struct agents_environment){0};
}

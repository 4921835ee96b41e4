#include "collect/record/start/exact.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collect/methods/methods.h"
#include "collect/record/finish/leftover.h"
#include "collect/record/run_files.h"
#include "collect/record/start/agents.h"
#include "collect/record/start/budget.h"
#include "collect/record/start/caches.h"
#include "collect/record/start/counters.h"

static const char TOOL[] = "valgrind/assay-amd64-linux", VERSION[] = "valgrind/VERSION";

/* ---------------------------------------------------------------------------- what is here -- */

/* "valgrind-3.19.0\n" and "3.19.0" are the same version. */
static void exact_read_version(FILE *file, char version[32])
{
    static const char NAME[] = "valgrind-";
    char line[64] = "";
    if (!fgets(line, sizeof line, file))
        *line = '\0';
    line[strcspn(line, "\n")] = '\0';
    snprintf(version, 32, "%.31s", strncmp(line, NAME, sizeof NAME - 1) == 0 ? line + sizeof NAME - 1 : line);
}

/* The version that this program reports; "" if none. */
static void exact_launcher_version(const char *program, char version[32])
{
    int ends[2];
    *version = '\0';
    if (pipe(ends) != 0)
        return;
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execl(program, program, "--version", (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    FILE *version_output = fdopen(ends[0], "r");
    if (version_output && child > 0)
        exact_read_version(version_output, version);
    if (version_output)
        fclose(version_output);
    if (child > 0)
        waitpid(child, NULL, 0);
}

static int exact_check_installation(struct record_exact *exact, struct error_text *message)
{
    struct utsname system;
    char built[32];
    /* The version that the tool was built for; "" if there is no tool. */
    char path[RECORD_PATH_MAX];
    *built = '\0';
    FILE *file = agents_path(VERSION, path) == 0 ? fopen(path, "re") : NULL;
    if (file)
        exact_read_version(file, built);
    if (file)
        fclose(file);
    if (agents_path(TOOL, path) != 0)
        *built = '\0';
    else
        snprintf(exact->directory, sizeof exact->directory, "%.*s", (int)(strrchr(path, '/') - path), path);
    if (uname(&system) == 0 && strcmp(system.machine, "x86_64") != 0)
        return error_set(message, STATUS_BAD, "engine exact: it is for x86_64, and this machine is %.64s",
                         system.machine);
    /* Debian's `valgrind` is a script that changes the program's environment before it executes this. */
    char plain[RECORD_PATH_MAX + 8];
    int error = target_in_path("valgrind", exact->launcher);
    snprintf(plain, sizeof plain, "%s.bin", exact->launcher);
    if (error == 0 && access(plain, X_OK) == 0 && strlen(plain) < sizeof exact->launcher)
        strcpy(exact->launcher, plain);
    if (error != 0)
        return error_set(message, STATUS_BAD,
                         "engine exact: valgrind is not installed; run: apt-get install valgrind%s",
                         *built ? "" : ", then build assay again (make)");
    if (!*built)
        return error_set(
            message, STATUS_BAD,
            "engine exact: this build has no Valgrind tool, but valgrind is installed now: build assay again (make)");
    exact_launcher_version(exact->launcher, exact->version);
    if (strcmp(exact->version, built) != 0)
        return error_set(message, STATUS_BAD,
                         "engine exact: %.200s is version %s, and the tool was built for %s; build assay again (make)",
                         exact->launcher, *exact->version ? exact->version : "unknown", built);
    return STATUS_GOOD;
}

const char *exact_obstacle(const struct target *target)
{
    return target->error          ? NULL
           : target->is_foreign   ? "it is not for x86-64"
           : target->is_32_bit    ? "it is a 32-bit program, and the tool sees 64-bit ones; build it without -m32"
           : target->is_sanitized ? "it was compiled with a sanitizer, which does not work under Valgrind"
           : target->is_recorder  ? "it records programs itself"
           : target->is_set_id ? "it is set-user-ID, set-group-ID or has file capabilities, which it would lose under "
                                 "Valgrind; record a "
                                 "copy of it"
                               : NULL;
}

int exact_prepare(const struct record_options *options, struct record_exact *exact, struct error_text *message)
{
    *exact = (struct record_exact){0};
    /* Valgrind's core and the tool reserve 3.5 GB before the program begins. */
    enum { GIGABYTES = 4 };
    static const struct {
        enum __rlimit_resource resource;
        char letter;
    } limits[] = {{RLIMIT_AS, 'v'}, {RLIMIT_DATA, 'd'}};
    struct rlimit limit;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (getrlimit(limits[i].resource, &limit) == 0 && limit.rlim_max < (rlim_t)GIGABYTES << 30)
            return error_set(message, STATUS_BAD,
                             "engine exact: Valgrind needs %d GB of memory addresses, and the hard limit (ulimit -H "
                             "-%c) permits %llu KB; raise it, or take another engine",
                             GIGABYTES, limits[i].letter, (unsigned long long)limit.rlim_max >> 10);
    if (exact_check_installation(exact, message) != 0)
        return STATUS_BAD;
    target_find(options->command[0], &exact->target);
    if (exact->target.error)
        return 0;
    if (exact->target.is_java && strcmp(options->mode, "methods") == 0)
        return error_set(message, STATUS_BAD,
                         "%.300s is a Java virtual machine, and simulated counters are for native programs",
                         exact->target.program);
    bool rewritable = strcmp(options->mode, "waste") == 0 || strcmp(options->mode, "dead-store") == 0 ||
                      strncmp(options->mode, "silent-", 7) == 0 || strcmp(options->mode, "memory") == 0;
    if (exact->target.is_java)
        return error_set(message, STATUS_BAD,
                         "engine exact: %.300s is a Java virtual machine, and mode %s with this engine is for native "
                         "programs; record "
                         "it with %s",
                         exact->target.program, options->mode, rewritable ? "--engine rewrite" : "--mode cpu");
    const char *why = exact_obstacle(&exact->target);
    if (why && strcmp(options->mode, "methods") == 0)
        return error_set(message, STATUS_BAD, "%.300s can't run under Valgrind: %s", exact->target.program, why);
    return STATUS_GOOD;
}

const char *exact_warning(const struct record_exact *exact)
{
    return exact->target.error || !exact->target.is_static || !exact->target.is_stripped
               ? NULL
               : "is statically linked and stripped: its malloc and free can't be found, so memory that is freed and "
                 "reused counts as one object, and there are no heap objects; use an unstripped or dynamically linked "
                 "program to have them";
}

/* ---------------------------------------------------------------------------- the command -- */

enum { WORDS_MAX = 20 }; /* before the command's own; the last one is "--" */

/* JVMs would take forever: they run unmeasured when the command executes them, as do those that the tool leaves alone
 * (collect/exact/tool/process/execute.h). */
#define SKIPPED "*/java,*/javac,*/jar,*/jshell,*/jvm/*"

static char *exact_format_word(const char *format, ...) __attribute__((format(printf, 1, 2)));
static char *exact_format_word(const char *format, ...)
{
    char *text;
    va_list args;
    va_start(args, format);
    int length = vasprintf(&text, format, args);
    va_end(args);
    return length < 0 ? NULL : text;
}

/* Valgrind does not parse exponents. */
static char *exact_tolerance_option(double tolerance)
{
    char *text = exact_format_word("--assay-fp-tolerance=%.15f", tolerance);
    size_t length = text ? strlen(text) : 0;
    while (length && text[length - 1] == '0')
        text[--length] = '\0';
    if (length && text[length - 1] == '.')
        text[length - 1] = '\0';
    return text;
}

/* What the command may use, as options; returns the number of words. */
static size_t exact_limit_options(char **words)
{
    /* By default Valgrind gives the program at most 16 MB of stack. */
    enum { DEFAULT_BYTES = 16 << 20, MOST_BYTES = 2000000000 };
    unsigned long long stack = budget_of_command(RLIMIT_STACK).rlim_cur;
    stack = stack < DEFAULT_BYTES ? DEFAULT_BYTES : stack > MOST_BYTES ? MOST_BYTES : stack;
    words[0] = exact_format_word("--main-stacksize=%llu", stack);
    /* The command's limits, which the tool applies to it (collect/exact/tool/process/limits.h). */
    struct rlimit files = budget_of_command(RLIMIT_NOFILE), space = budget_of_command(RLIMIT_AS),
                  data = budget_of_command(RLIMIT_DATA);
    words[1] = exact_format_word("--assay-limits=%lu:%lu:%lu:%lu:%lu:%lu", files.rlim_cur, files.rlim_max,
                                 space.rlim_cur, space.rlim_max, data.rlim_cur, data.rlim_max);
    return 2;
}

/* What is recorded, and of which programs, as options; returns the number of words. */
static size_t exact_selection_options(const struct record_options *options, char **words)
{
    const json_t *item, *counters = json_object_get(options->selection, "counters");
    size_t count = 0, i;
    if (options->methods || options->calls) { /* the simulated parts of the processor */
        if (counters_want_caches(counters))
            words[count++] = exact_format_word("--assay-caches=%s", options->caches ? options->caches : caches_here());
        if (counters_want_branches(counters))
            words[count++] = strdup("--assay-branches=yes");
    }
    if (options->calls) {
        char names[256] = "";
        size_t length = 0;
        json_array_foreach(json_object_get(options->selection, "functions"), i, item)
        {
            words[count++] = exact_format_word("--assay-function=%s", json_string_value(item));
        }
        json_array_foreach(counters, i, item)
        {
            length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", i > 0 ? "," : "",
                                       methods_simulated_name(item));
        }
        words[count++] = exact_format_word("--assay-counters=%s", names);
        if (json_is_true(json_object_get(options->selection, "arguments")))
            words[count++] = strdup("--assay-arguments=yes");
    }
    static const char *const keys[] = {"only", "skip"};
    for (size_t key = 0; options->exact && key < sizeof keys / sizeof *keys; key++)
        json_array_foreach(json_object_get(options->chosen, keys[key]), i, item)
        {
            words[count++] = exact_format_word("--assay-%s=%s", keys[key], json_string_value(item));
        }
    return count;
}

char **exact_command(const struct record_exact *exact, const struct record_options *options, const char *directory,
                     const char *prefix)
{
    size_t count = 0, own = 0;
    while (options->command[count])
        count++;
    size_t chosen = json_array_size(json_object_get(options->chosen, "only")) +
                    json_array_size(json_object_get(options->chosen, "skip")) +
                    json_array_size(json_object_get(options->selection, "functions"));
    char **words = calloc(WORDS_MAX + chosen + count + 1, sizeof *words);
    if (!words)
        return NULL;
    words[own++] = strdup(exact->launcher);
    words[own++] = strdup("--tool=assay");
    words[own++] = strdup("--command-line-only=yes");
    words[own++] = strdup("--vgdb=no");
    words[own++] = strdup("-q");
    words[own++] = strdup("--trace-children=yes");
    words[own++] = strdup("--trace-children-skip=" SKIPPED);
    own += exact_limit_options(words + own);
    words[own++] = exact_format_word("--assay-mode=%s", options->mode);
    words[own++] = exact_format_word("--assay-out=%s/%s", directory, prefix);
    own += exact_selection_options(options, words + own);
    if (options->exact && !options->calls)
        words[own++] = exact_tolerance_option(options->fp_tolerance);
    if (options->burst_auto)
        words[own++] = exact_format_word("--assay-burst=auto");
    else if (options->burst_enable)
        words[own++] = exact_format_word("--assay-burst=%llu:%llu", (unsigned long long)options->burst_enable,
                                         (unsigned long long)options->burst_disable);
    if (options->memory)
        words[own++] = exact_format_word("--assay-reader=%d", (int)getpid());
    if (options->values)
        words[own++] = strdup("--assay-values=yes");
    if (options->fetches)
        words[own++] = strdup("--assay-fetches=yes");
    words[own++] = strdup("--");
    assert(own <= WORDS_MAX + chosen);
    for (size_t i = 0; i < own; i++)
        if (!words[i]) {
            exact_command_free(words); /* what follows the gap is lost: no memory is left */
            return NULL;
        }
    memcpy(words + own, options->command, count * sizeof *words);
    return words;
}

void exact_command_free(char **words)
{
    bool more = true;
    for (size_t i = 0; words && words[i] && more; i++) {
        more = strcmp(words[i], "--") != 0;
        free(words[i]);
    }
    free(words);
}

/* ---------------------------------------------------------------------------- what Valgrind said -- */

/* A line "==123== assay: …" and the like is about Valgrind or the tool; others are about the program, which reports
 * them itself. */
size_t exact_failures(const char *directory, const char *prefix, struct error_text *first)
{
    static const char *const SIGNS[] = {"assay: ", "valgrind: ", "unhandled instruction", "Valgrind has to exit"};
    struct run_files_list logs;
    size_t failures = 0;
    *first = (struct error_text){""};
    if (run_files_list_of(directory, prefix, RUN_FILES_LOGS, &logs) != 0)
        return 0;
    for (size_t i = 0; i < logs.count; i++) {
        char path[RECORD_PATH_MAX + 512];
        snprintf(path, sizeof path, "%s/%s", directory, logs.names[i]);
        if (leftover_has_open(run_files_pid(logs.names[i]), path))
            continue;
        char text[512];
        bool failed = false;
        FILE *file = fopen(path, "re");
        while (file && !failed && fgets(text, sizeof text, file))
            for (size_t s = 0; s < sizeof SIGNS / sizeof *SIGNS; s++)
                failed |= strstr(text, SIGNS[s]) != NULL;
        if (file)
            fclose(file);
        if (!failed) {
            unlink(path);
            continue;
        }
        failures++;
        text[strcspn(text, "\n")] = '\0';
        const char *head = strncmp(text, "==", 2) == 0 ? strstr(text + 2, "== ") : NULL;
        if (!*first->text)
            error_set(first, STATUS_BAD, "%.400s (%.400s)", head ? head + 3 : text, path);
    }
    run_files_free(&logs);
    return failures;
}

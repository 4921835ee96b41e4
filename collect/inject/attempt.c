#include "collect/inject/attempt.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <jansson.h>

#include "base/clock.h"
#include "base/program_file.h"
#include "base/text_stream.h"
#include "collect/inject/jit_decisions.h"
#include "collect/inject/native_side.h"
#include "collect/record/inject_environment.h"

/* ---------------------------------------------------------------------------------------- the command -- */

static void attempt_free_words(char **words)
{
    for (size_t i = 0; words && words[i]; i++)
        free(words[i]);
    free(words);
}

/* The command with {amount}, {run} and {method} replaced in each word. */
static char **attempt_fill_command(const struct inject_options *options, uint32_t amount, uint64_t run)
{
    char numbers[2][32];
    snprintf(numbers[0], sizeof numbers[0], "%" PRIu32, amount);
    snprintf(numbers[1], sizeof numbers[1], "%" PRIu64, run);
    const char *const names[] = {"{amount}", "{run}", "{method}"};
    const char *const values[] = {numbers[0], numbers[1], options->method};

    size_t count = 0;
    while (options->command[count])
        count++;
    char **words = calloc(count + 1, sizeof *words);
    for (size_t w = 0; words && w < count; w++) {
        size_t size = 0;
        FILE *out = text_stream_open(&words[w], &size);
        for (const char *at = options->command[w]; out && *at;) {
            size_t i = 0;
            while (i < 3 && strncmp(at, names[i], strlen(names[i])) != 0)
                i++;
            if (i < 3)
                fputs(values[i], out);
            else
                putc(*at, out);
            at += i < 3 ? strlen(names[i]) : 1;
        }
        if (!text_stream_close(out, &words[w])) {
            attempt_free_words(words);
            return NULL;
        }
    }
    return words;
}

/* ---------------------------------------------------------------------------------------- its reports -- */

/* The reports of all JVMs' agents, and of native processes. */
struct gathered {
    struct native_gathered native;
    size_t jvms;
    json_int_t classes, calls, wall_ns, cpu_ns, java_cpu_ns, start_java_ns, bytes_before, bytes_after;
    struct error_text refused; /* the method can't be given work, in one of them */
    struct jit_decisions decisions;
};

static json_int_t attempt_report_integer(const json_t *report, const char *key)
{
    return json_integer_value(json_object_get(report, key));
}

static void attempt_add_report(const char *path, struct gathered *all)
{
    json_t *report = json_load_file(path, 0, NULL);
    const char *why = json_string_value(json_object_get(report, "why"));
    all->jvms += report != NULL;
    all->classes += attempt_report_integer(report, "classes");
    if (why)
        error_set(&all->refused, STATUS_BAD, "%s", why);
    if (attempt_report_integer(report, "methods") > 0) {
        all->calls += attempt_report_integer(report, "calls");
        all->wall_ns += attempt_report_integer(report, "wall_ns");
        all->cpu_ns += attempt_report_integer(report, "cpu_ns");
        all->java_cpu_ns += attempt_report_integer(report, "java_cpu_ns");
        all->start_java_ns += attempt_report_integer(report, "start_java_ns");
        if (attempt_report_integer(report, "bytes_before") > all->bytes_before) {
            all->bytes_before = attempt_report_integer(report, "bytes_before");
            all->bytes_after = attempt_report_integer(report, "bytes_after");
        }
    }
    json_decref(report);
}

/* Reads and removes all that is in the directory. 0 or an errno value. */
static int attempt_read_reports(const char *directory, const char *method, struct gathered *all)
{
    int error = 0;
    const struct dirent *entry;
    DIR *files = opendir(directory);
    if (!files)
        return errno;
    while ((entry = readdir(files))) {
        char path[4096 + 256];
        const char *end = strrchr(entry->d_name, '.');
        snprintf(path, sizeof path, "%.4095s/%s", directory, entry->d_name);
        if (end && strcmp(end, ".json") == 0)
            attempt_add_report(path, all);
        else if (end && strcmp(end, NATIVE_REPORT_SUFFIX) == 0)
            native_read_report(path, &all->native);
        else if (end && strcmp(end, ".log") == 0 && !error)
            error = jit_decisions_read(path, method, &all->decisions);
        unlink(path);
    }
    closedir(files);
    return error;
}

/* ---------------------------------------------------------------------------------------------- a row -- */

static double attempt_timeval_ms(const struct timeval *time)
{
    return (double)time->tv_sec * 1e3 + (double)time->tv_usec / 1e3;
}

static bool attempt_make_row(const struct attempt *attempt, uint32_t amount, uint64_t run,
                             const struct launch_result *result, const struct gathered *all, struct inject_row *row)
{
    uint64_t calls = (uint64_t)all->calls + all->native.calls;
    struct inject_row made = {.method = strdup(attempt->options->method),
                              .work = strdup(attempt->options->work),
                              .command = strdup(attempt->command),
                              .amount = amount,
                              .run = run,
                              .program_ms = (double)result->wall_ns / 1e6,
                              .cpu_ms = attempt_timeval_ms(&result->usage.ru_utime) +
                                        attempt_timeval_ms(&result->usage.ru_stime),
                              .jvm_ms = all->classes ? (double)all->wall_ns / 1e6 : NAN,
                              .jvm_cpu_ms = all->classes ? (double)all->cpu_ns / 1e6 : NAN,
                              .java_cpu_ms = all->classes ? (double)all->java_cpu_ns / 1e6 : NAN,
                              .start_java_ms = all->classes ? (double)all->start_java_ns / 1e6 : NAN,
                              .calls = calls,
                              .injected_ms = (double)calls * amount * attempt->round_ns / 1e6,
                              .bytes = (uint32_t)all->bytes_after};
    jit_decisions_describe(&all->decisions, &made);
    native_describe(&all->native, &made);
    size_t size = sizeof made.status;
    if (WIFSIGNALED(result->status))
        snprintf(made.status, size, "signal %d", WTERMSIG(result->status));
    else if (WEXITSTATUS(result->status) != 0)
        snprintf(made.status, size, "exit %d", WEXITSTATUS(result->status));
    else if (made.amount > 0 && made.calls == 0)
        snprintf(made.status, size, "never ran");
    else
        snprintf(made.status, size, "ok");
    *row = made;
    return made.method && made.work && made.command;
}

/* STATUS_BAD: a problem that no other run would change: there is no such method. */
static int attempt_check_result(const struct inject_options *options, const struct launch_result *result,
                                const struct gathered *all, uint32_t amount, struct error_text *message)
{
    const char *method = options->method;
    if (native_is_name(method))
        return native_check_report(method, &all->native, result->status == 0, message);
    if (*all->refused.text)
        return error_set(message, STATUS_BAD, "%.200s: %.200s", method, all->refused.text);
    if (result->status != 0)
        return STATUS_GOOD; /* it may not have got that far */
    if (all->jvms == 0)
        return error_set(
            message, STATUS_BAD,
            "the command starts no JVM that exits normally (name a function of a native program without a dot, or "
            "as FILE:NAME)");
    if (all->classes == 0)
        return error_set(
            message, STATUS_BAD,
            "%.200s: its class is in none of the command's JVMs; assay hot prints method names in the form needed "
            "here (package.Class.method)",
            method);
    if (amount > 0 && all->calls == 0)
        return error_set(message, STATUS_BAD,
                         "%.200s: the method is not called in this command; assay hot lists methods that are", method);
    return STATUS_GOOD;
}

/* ---------------------------------------------------------------------------------------------- the run -- */

static void attempt_ignore_start(void *user, pid_t pid)
{
    (void)user, (void)pid;
}

static int attempt_launch(const struct attempt *attempt, char **words, const char *directory, uint32_t amount,
                          uint64_t run, struct launch_result *result)
{
    bool native = native_is_name(attempt->options->method);
    char *loads = NULL;
    if (native) {
        loads = native_preload(attempt->library);
    } else { /* The user's own options come before ours. */
        const char *before = getenv("JAVA_TOOL_OPTIONS");
        const char *quote = strpbrk(attempt->agent, " '") ? "\"" : "";
        if (asprintf(&loads, "%s%s-agentpath:%s%s%s " JIT_LOG "%s/jit.%%p.log" JIT_LOG_OPTIONS, before ? before : "",
                     before && *before ? " " : "", quote, attempt->agent, quote, directory) < 0)
            loads = NULL;
    }
    json_t *all =
        json_pack("{s:s, s:s, s:I, s:I, s:s}", "method", attempt->options->method, "work", attempt->options->work,
                  "amount", (json_int_t)amount, "run", (json_int_t)run, "report", directory);
    char *settings = all ? json_dumps(all, JSON_COMPACT) : NULL;
    json_decref(all);
    const char *const environment[][2] = {
        {native ? "LD_PRELOAD" : "JAVA_TOOL_OPTIONS", loads}, {INJECT_ENVIRONMENT, settings}, {NULL, NULL}};
    const struct launch_job job = {
        .command = words, .environment = environment, .input = -1, .on_start = attempt_ignore_start};
    int error = loads && settings ? launch_run(attempt->launcher, &job, result) : ENOMEM;
    free(loads);
    free(settings);
    return error;
}

static enum attempt_outcome attempt_run_in(const struct attempt *attempt, const char *directory, uint32_t amount,
                                           uint64_t run, struct inject_row *row, struct error_text *message)
{
    struct launch_result result;
    struct gathered all = {0};
    char **words = attempt_fill_command(attempt->options, amount, run);
    const char *why;
    /* The program would not start with the library, or not be itself. */
    if (words && native_is_name(attempt->options->method) &&
        program_file_preload_of_name(words[0], &why) == PROGRAM_REFUSES) {
        error_set(message, STATUS_BAD, "%.300s: %s: no work can be injected into it", words[0], why);
        attempt_free_words(words);
        return ATTEMPT_IMPOSSIBLE;
    }
    int error = words ? attempt_launch(attempt, words, directory, amount, run, &result) : ENOMEM;
    attempt_free_words(words);
    if (!error && launch_interrupted(attempt->launcher)) {
        attempt_read_reports(directory, attempt->options->method, &all);
        return ATTEMPT_INTERRUPTED;
    }
    if (!error && result.exec_error) {
        error_set(message, ATTEMPT_FAILED, "%.300s: %s", attempt->options->command[0], strerror(result.exec_error));
        return ATTEMPT_FAILED;
    }
    if (!error)
        error = attempt_read_reports(directory, attempt->options->method, &all);
    if (!error && attempt_check_result(attempt->options, &result, &all, amount, message) != 0)
        return ATTEMPT_IMPOSSIBLE;
    if (!error && !attempt_make_row(attempt, amount, run, &result, &all, row))
        error = ENOMEM;
    if (error)
        error_set(message, ATTEMPT_FAILED, "%s", strerror(error));
    return error ? ATTEMPT_FAILED : ATTEMPT_ROW;
}

enum attempt_outcome attempt_run(const struct attempt *attempt, uint32_t amount, uint64_t run, struct inject_row *row,
                                 struct error_text *message)
{
    const char *temporary = getenv("TMPDIR");
    char directory[4096];
    bool plain = temporary && *temporary == '/' && !strpbrk(temporary, " ,:'\"%\\"); /* in an option of the JVM */
    snprintf(directory, sizeof directory, "%.4000s/assay-inject.XXXXXX", plain ? temporary : "/tmp");
    if (!mkdtemp(directory)) {
        error_set(message, ATTEMPT_FAILED, "%.300s: %s", directory, strerror(errno));
        return ATTEMPT_FAILED;
    }
    enum attempt_outcome outcome = attempt_run_in(attempt, directory, amount, run, row, message);
    rmdir(directory);
    return outcome;
}

/* ------------------------------------------------------------------------------------------ calibration -- */

double attempt_calibrate(const char *work)
{
    enum { ROUNDS = 2000000, TIMES = 20 };
    double best = INFINITY;
    if (strcmp(work, "fib") != 0)
        return NAN;
    for (int i = 0; i < TIMES; i++) {
        uint32_t a = 0, b = 1;
        double start = (double)clock_ns(CLOCK_MONOTONIC);
        for (uint32_t left = ROUNDS / 2; left > 0; left--) { /* two rounds, as in an unrolled loop */
            a += b;
            b += a;
            __asm__ volatile("" : "+r"(a), "+r"(b));
        }
        best = fmin(best, ((double)clock_ns(CLOCK_MONOTONIC) - start) / (double)ROUNDS);
    }
    return best;
}

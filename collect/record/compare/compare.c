#include "collect/record/compare/compare.h"

#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/temporary.h"
#include "collect/record/log.h"
#include "collect/record/start/input.h"
#include "collect/record/start/backend.h"

enum { RUNS = 4, TEXTS = 2 }; /* plain and recorded in turn; output and errors */
static const char *const text_names[TEXTS] = {"output", "errors"};

struct outcome {
    struct launch_result result;
    FILE *texts[TEXTS];
};

struct comparison {
    const struct record_options *options;
    struct backend backend;
    struct launcher launcher;
    struct input *input;
    char directory[RECORD_PATH_MAX];
    struct outcome outcomes[RUNS];
};

/* ---------------------------------------------------------------------------- the runs -- */

static void compare_ignore_start(void *user, pid_t pid)
{
    (void)user;
    (void)pid;
}

/* Returns 0 or an errno value. */
static int compare_run_once(struct comparison *comparison, size_t number)
{
    struct outcome *outcome = &comparison->outcomes[number];
    struct launch_job job = {.on_start = compare_ignore_start, .input = -1};
    for (size_t i = 0; i < TEXTS; i++) {
        int fd = temporary_file();
        if (fd < 0 || !(outcome->texts[i] = fdopen(fd, "w+")))
            return errno;
    }
    job.output = fileno(outcome->texts[0]);
    job.errors = fileno(outcome->texts[1]);
    int error = input_begin(comparison->input, &job.input);
    if (!error) {
        static const char *const nothing[][2] = {{NULL, NULL}};
        struct metadata_location location = {comparison->directory, "run-001", "check"};
        struct record_run run = {.clock = &comparison->options->clocks[0], .number = 1};
        if (number % 2 == 1)
            error =
                backend_launch(&comparison->backend, &comparison->launcher, &run, &location, &job, &outcome->result);
        else {
            job.command = comparison->options->command;
            job.environment = nothing;
            error = launch_run(&comparison->launcher, &job, &outcome->result);
        }
    }
    int input_error = input_end(comparison->input);
    if (!error && outcome->result.exec_error)
        error = outcome->result.exec_error;
    return error ? error : input_error;
}

static int compare_run_all(struct comparison *comparison)
{
    for (size_t i = 0; i < RUNS; i++) {
        log_progress("%zu/%d  %s", i + 1, RUNS, i % 2 ? "recorded" : "plain");
        int error = compare_run_once(comparison, i);
        if (error)
            return error;
        if (launch_interrupted(&comparison->launcher))
            return EINTR;
    }
    log_clear_progress();
    return 0;
}

/* ---------------------------------------------------------------------------- two texts -- */

enum { DIFFERENCE_SHOWN = 80 };

struct difference {
    uint64_t line;                                                 /* the first is 1 */
    char one[DIFFERENCE_SHOWN + 32], other[DIFFERENCE_SHOWN + 32]; /* that line of both, as far as it is shown */
};

static long difference_bytes(FILE *file)
{
    return fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
}

/* The line around the position where they differ begins `back` bytes before it in a long one. */
static void difference_show_line(const char *line, ssize_t length, size_t from, char out[DIFFERENCE_SHOWN + 32])
{
    size_t at = 0;
    if (length < 0) {
        strcpy(out, "(ends before)");
        return;
    }
    if (from > 0)
        at = (size_t)sprintf(out, "...");
    for (ssize_t i = (ssize_t)from; i < length && line[i] != '\n' && at < DIFFERENCE_SHOWN; i++) {
        unsigned char byte = (unsigned char)line[i];
        at += (size_t)sprintf(out + at, byte >= ' ' && byte < 0x7f ? "%c" : "\\x%02x", byte);
    }
    out[at] = '\0';
}

/* Puts one byte that no text has in place of each sequence of digits; returns the new length. */
static ssize_t difference_mask_numbers(char *line, ssize_t length)
{
    static const char NUMBER = '\1';
    ssize_t out = 0;
    for (ssize_t i = 0; i < length; i++) {
        bool digit = line[i] >= '0' && line[i] <= '9';
        if (!digit || out == 0 || line[out - 1] != NUMBER)
            line[out++] = digit ? NUMBER : line[i];
    }
    return length < 0 ? length : out;
}

/* Whether the files differ, both from their beginnings; and where. `numbers` false: sequences of digits count as equal.
 * Bytes that can't be printed are shown as \xNN, a line that is not there as "(ends before)". */
static bool difference_find(FILE *one, FILE *other, bool numbers, struct difference *found)
{
    enum { BEFORE = 40 };
    char *lines[2] = {NULL, NULL};
    size_t sizes[2] = {0, 0};
    ssize_t lengths[2];
    bool same = true;
    rewind(one);
    rewind(other);
    found->line = 0;
    do {
        found->line++;
        lengths[0] = getline(&lines[0], &sizes[0], one);
        lengths[1] = getline(&lines[1], &sizes[1], other);
        for (size_t i = 0; i < 2 && !numbers; i++)
            lengths[i] = difference_mask_numbers(lines[i], lengths[i]);
        same = lengths[0] == lengths[1] && (lengths[0] < 0 || memcmp(lines[0], lines[1], (size_t)lengths[0]) == 0);
    } while (same && lengths[0] >= 0);
    if (!same) {
        size_t at = 0;
        while ((ssize_t)at < lengths[0] && (ssize_t)at < lengths[1] && lines[0][at] == lines[1][at])
            at++;
        size_t from = at > BEFORE ? at - BEFORE : 0;
        difference_show_line(lines[0], lengths[0], from, found->one);
        difference_show_line(lines[1], lengths[1], from, found->other);
    }
    free(lines[0]);
    free(lines[1]);
    return !same;
}

/* ---------------------------------------------------------------------------- the table -- */

static void compare_print_table(const struct comparison *comparison)
{
    printf("%-12s %-8s %14s %14s %10s %10s\n", "run", "status", "output bytes", "error bytes", "wall s", "CPU s");
    for (size_t i = 0; i < RUNS; i++) {
        const struct outcome *outcome = &comparison->outcomes[i];
        const struct rusage *usage = &outcome->result.usage;
        int ended = outcome->result.status;
        char status[16], name[16];
        double cpu_seconds = (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
                             (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1e6;
        if (WIFSIGNALED(ended))
            snprintf(status, sizeof status, "SIG%s",
                     sigabbrev_np(WTERMSIG(ended)) ? sigabbrev_np(WTERMSIG(ended)) : "?");
        else
            snprintf(status, sizeof status, "%d", WEXITSTATUS(ended));
        snprintf(name, sizeof name, "%s %zu", i % 2 ? "recorded" : "plain", i / 2 + 1);
        printf("%-12s %-8s %14ld %14ld %10.3f %10.3f\n", name, status, difference_bytes(outcome->texts[0]),
               difference_bytes(outcome->texts[1]), (double)outcome->result.wall_ns / 1e9, cpu_seconds);
    }
}

/* ---------------------------------------------------------------------------- the verdict -- */

/* Prints where a recorded run differs from both plain ones; whether it does. What the plain runs disagree about is left
 * out: first numbers (of processes, of seconds), then the text. */
static bool compare_print_text_verdict(const struct comparison *comparison, size_t text)
{
    const struct outcome *outcomes = comparison->outcomes;
    struct difference found;
    bool numbers = !difference_find(outcomes[0].texts[text], outcomes[2].texts[text], true, &found);
    if (!numbers && difference_find(outcomes[0].texts[text], outcomes[2].texts[text], false, &found)) {
        printf("%s: the plain runs differ from each other, so recorded ones can't be compared with them (line %" PRIu64
               ")\n",
               text_names[text], found.line);
        return false;
    }
    for (size_t i = 1; i < RUNS; i += 2)
        if (difference_find(outcomes[0].texts[text], outcomes[i].texts[text], numbers, &found)) {
            printf("%s: changed, in line %" PRIu64 " first\n  plain:    %s\n  recorded: %s\n", text_names[text],
                   found.line, found.one, found.other);
            return true;
        }
    printf("%s: the same%s\n", text_names[text], numbers ? "" : " except for numbers, in which plain runs differ, too");
    return false;
}

static double compare_wall_ns(const struct comparison *comparison, size_t first)
{
    return (double)(comparison->outcomes[first].result.wall_ns + comparison->outcomes[first + 2].result.wall_ns);
}

static int compare_print_verdict(const struct comparison *comparison)
{
    const struct outcome *outcomes = comparison->outcomes;
    int plain = outcomes[0].result.status;
    bool changed = false;
    for (size_t i = 0; i < TEXTS; i++)
        changed |= compare_print_text_verdict(comparison, i);
    if (plain != outcomes[2].result.status) {
        puts("status: the plain runs differ from each other, so recorded ones can't be compared with them");
    } else {
        bool other = plain != outcomes[1].result.status || plain != outcomes[3].result.status;
        puts(other ? "status: changed" : "status: the same");
        changed |= other;
    }
    printf("time: recorded runs took %.2f times as long (two of each: no interval)\n",
           compare_wall_ns(comparison, 1) / compare_wall_ns(comparison, 0));
    puts(changed ? "recording changes what this command does" : "recording changed nothing of what could be compared");
    return changed ? STATUS_BAD : STATUS_GOOD;
}

/* ---------------------------------------------------------------------------- all of it -- */

static int compare_remove_entry(const char *path, const struct stat *status, int kind, struct FTW *location)
{
    (void)status;
    (void)kind;
    (void)location;
    return remove(path);
}

int compare_main(const struct record_options *options)
{
    enum { DEPTH = 8 };
    struct comparison comparison = {.options = options};
    struct error_text message;
    int status = STATUS_BAD;
    log_init(options->quiet, "");
    launch_init(&comparison.launcher);
    const char *where = getenv("TMPDIR");
    snprintf(comparison.directory, RECORD_PATH_MAX, "%s/assay-check-XXXXXX", where && *where ? where : "/tmp");
    int error = mkdtemp(comparison.directory) ? 0 : errno;
    bool made = error == 0;
    if (error)
        error_set(&message, STATUS_BAD, "%.300s: %s", comparison.directory, strerror(error));
    if (error || backend_prepare(options, &comparison.backend, &message) != 0 ||
        input_open(options->input, true, &comparison.input, &message) != 0) {
        log_error("%s", message.text);
        goto out;
    }
    backend_report(&comparison.backend);
    error = compare_run_all(&comparison);
    if (error) {
        log_clear_progress();
        if (comparison.launcher.interrupted_by) {
            status = 128 + comparison.launcher.interrupted_by;
        } else {
            log_error("%s: %s", options->command[0], strerror(error));
            status = error == ENOENT ? 127 : error == EACCES || error == ENOEXEC ? 126 : STATUS_BAD;
        }
        goto out;
    }
    compare_print_table(&comparison);
    status = compare_print_verdict(&comparison);
    if (fflush(stdout) != 0) {
        log_error("standard output: %s", strerror(errno));
        status = STATUS_BAD;
    }
out:
    if (made)
        nftw(comparison.directory, compare_remove_entry, DEPTH, FTW_DEPTH | FTW_PHYS);
    for (size_t i = 0; i < RUNS; i++)
        for (size_t text = 0; text < TEXTS; text++)
            if (comparison.outcomes[i].texts[text])
                fclose(comparison.outcomes[i].texts[text]);
    input_close(comparison.input);
    backend_free(&comparison.backend);
    return status;
}

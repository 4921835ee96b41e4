#include "collect/record/series/profile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/program_file.h"
#include "base/shell_word.h"
#include "collect/record/finish/check.h"
#include "collect/record/log.h"
#include "collect/record/run_files.h"
#include "collect/record/series/progress.h"
#include "collect/record/series/run_entry.h"
#include "collect/record/start/backend.h"

/* A mean of that many samples has an interval of at most ± 7 percentage points. */
enum { ENOUGH_SAMPLES = 200, RUNS_MAX = 20 };
enum { WORDS_MAX = RECORD_PATH_MAX + 512 }; /* of an advised command line */
enum { NEGLIGIBLE_NS = 50000000 };          /* less CPU time than that may have no sample */

struct profile {
    const struct record_options *asked; /* of the recording */
    struct record_options options;      /* of the profile */
    struct record_run run;
    struct backend backend;
    struct launcher *launcher;
    struct input *input;
    const struct series_file *recording;
    struct series_file series;
    uint64_t begin_ns, limit_ns; /* CLOCK_MONOTONIC */
    pid_t pid;
    bool too_short;           /* for a sample */
    bool untraced;            /* some run was too short for a trace: a series of more runs would end there */
    bool too_long;            /* the limit was exceeded */
    struct error_text reason; /* why there is no profile; "": there is one */
};

/* Sets why there is no profile; the first reason stays. Returns −1. */
static int profile_refuse(struct profile *profile, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int profile_refuse(struct profile *profile, const char *format, ...)
{
    va_list args;
    if (*profile->reason.text)
        return -1;
    va_start(args, format);
    vsnprintf(profile->reason.text, sizeof profile->reason.text, format, args);
    va_end(args);
    return -1;
}

/* ---------------------------------------------------------------------------- before the run -- */

/* "out/profile": where the profile goes, as the user would name it. */
static void profile_name_folder(const struct record_options *asked, char folder[RECORD_PATH_MAX + 16])
{
    size_t length = strlen(asked->output);
    while (length > 1 && asked->output[length - 1] == '/')
        length--;
    snprintf(folder, RECORD_PATH_MAX + 16, "%.*s/" RUN_SERIES_PROFILE, (int)length, asked->output);
}

/* The time of the longest run, or with `cpu` its CPU time, in ns. */
static uint64_t profile_longest_ns(const struct series_file *recording, bool cpu)
{
    const json_t *entry;
    uint64_t longest = 0;
    size_t i;
    json_array_foreach(series_file_done(recording), i, entry)
    {
        uint64_t ns = (uint64_t)(cpu ? series_file_ending(entry, "user_ns") + series_file_ending(entry, "system_ns")
                                     : series_file_ending(entry, "wall_ns"));
        longest = ns > longest ? ns : longest;
    }
    return longest;
}

/*
 * The longest interval, up to the recorder's own, with which a thousand samples can be expected; and at least 250 us,
 * the interval of perf record. The command takes less CPU time than in the recording, by the factors in docs/waste.md.
 */
static uint64_t profile_choose_period(const struct record_options *asked, const struct series_file *recording)
{
    static const uint64_t PERIODS[] = {10000000, 5000000, 2000000, 1000000, 500000, 250000};
    enum { COUNT = sizeof PERIODS / sizeof *PERIODS };
    static const double SAMPLES = 1000;
    bool bursts = asked->burst_auto || asked->burst_enable;
    double slower = asked->rewrite ? bursts ? 3.7 : 15.5 : bursts ? 10.8 : 49;
    double cpu_ns = (double)profile_longest_ns(recording, true) / slower;
    size_t i = 0;
    while (i < COUNT - 1 && (double)PERIODS[i] * SAMPLES > cpu_ns)
        i++;
    return PERIODS[i];
}

/* Options of a recording of mode cpu, as by `assay record -p PERIOD -o out/profile -- COMMAND`. */
static void profile_set_options(struct profile *profile, const char *folder)
{
    static const uint64_t SPREAD_PERCENT = 30;
    const struct record_options *asked = profile->asked;
    uint64_t period = profile_choose_period(asked, profile->recording);
    profile->options = (struct record_options){
        .mode = "cpu",
        .engine = "auto",
        .clocks = {{.name = "random", .period = period, .spread = period / 100 * SPREAD_PERCENT}},
        .clock_count = 1,
        .max_cost = 0.1,
        .runs = 1,
        .input = asked->input,
        .output = folder,
        .overwrite = true,
        .quiet = asked->quiet,
        .chosen = asked->chosen,
        .command = asked->command};
    profile->run = (struct record_run){.clock = profile->options.clocks};
}

/* Whether the folder has a profile: one that was completed for this series, or that the user recorded. */
static bool profile_exists(const struct series_file *recording)
{
    char path[RECORD_PATH_MAX + 64];
    struct run_files_list traces;
    snprintf(path, sizeof path, "%s/" RUN_SERIES_PROFILE, recording->directory);
    if (run_files_list(path, NULL, &traces) != 0)
        return false;
    size_t count = traces.count;
    run_files_free(&traces);
    snprintf(path, sizeof path, "%s/" RUN_SERIES_PROFILE "/series.json", recording->directory);
    json_t *state = json_load_file(path, 0, NULL);
    const char *of = json_string_value(json_object_get(state, RUN_SERIES_PROFILE_OF));
    bool complete = json_array_size(json_object_get(state, "done")) > 0;
    bool exists = count > 0 && (!of || (complete && strcmp(of, series_file_id(recording)) == 0));
    json_decref(state);
    return exists;
}

/* 0, or −1 if the command can't be run again, or can't be sampled: nothing is run then. */
static int profile_check_command(struct profile *profile)
{
    const char *why;
    if (profile->asked->output_is_file)
        return profile_refuse(profile, "-o %.200s is for one trace; with -o DIR it goes into DIR/" RUN_SERIES_PROFILE,
                              profile->asked->output);
    if (input_can_repeat(profile->input) == INPUT_GONE)
        return profile_refuse(profile, "the command's standard input is a pipe, which can be read only once; give it a "
                                       "file (--input FILE, or </dev/null)");
    if (program_file_preload_of_name(profile->asked->command[0], &why) != PROGRAM_PRELOADS)
        return profile_refuse(profile, "%.200s can't be sampled: %.200s", profile->asked->command[0], why);
    return 0;
}

/* Chooses the clock, and begins the series of the profile. 0, or −1 with a reason. */
static int profile_begin(struct profile *profile)
{
    char folder[RECORD_PATH_MAX + 16];
    struct error_text message;
    snprintf(folder, sizeof folder, "%s/" RUN_SERIES_PROFILE, profile->recording->directory);
    if (backend_prepare(&profile->options, &profile->backend, &message) != 0)
        return profile_refuse(profile, "%.900s", message.text);
    json_t *configuration = metadata_configuration(&profile->options, &profile->backend.engine, &message);
    int status = configuration ? series_file_open(&profile->series, folder, configuration, &profile->options, &message)
                               : STATUS_BAD;
    if (status == STATUS_GOOD) {
        profile->options.seed = (uint64_t)json_integer_value(json_object_get(configuration, "seed"));
        json_object_set_new(profile->series.root, RUN_SERIES_PROFILE_OF,
                            json_string(series_file_id(profile->recording)));
        status = series_file_save(&profile->series, &message);
    }
    json_decref(configuration);
    return status == STATUS_GOOD ? 0 : profile_refuse(profile, "%.900s", message.text);
}

/* ---------------------------------------------------------------------------- the run -- */

static void profile_on_start(void *user, pid_t pid)
{
    struct profile *profile = user;
    struct error_text message;
    profile->pid = pid;
    profile->begin_ns = clock_ns(CLOCK_MONOTONIC);
    if (series_file_begin(&profile->series, &profile->run, pid, &message) != 0)
        profile_refuse(profile, "%.900s", message.text);
}

/* A command that waits for something that came only once would run forever. */
static void profile_on_progress(void *user)
{
    static const uint64_t PATIENCE_NS = UINT64_C(5000000000);
    struct profile *profile = user;
    char elapsed[32];
    uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
    if (log_shows_progress())
        log_progress("CPU profile  elapsed %s", progress_time(now_ns - profile->begin_ns, elapsed));
    if (now_ns < profile->begin_ns + profile->limit_ns)
        return;
    if (!profile->too_long)
        launch_signal_tree(profile->pid, SIGTERM);
    else if (now_ns >= profile->begin_ns + profile->limit_ns + PATIENCE_NS)
        launch_signal_tree(profile->pid, SIGKILL);
    profile->too_long = true;
}

/*
 * A descriptor for output that nobody reads, above those of standard input, output and error. It is /dev/zero, which
 * ignores what is written to it: programs such as grep recognize /dev/null, and do less.
 */
static int profile_discard_output(void)
{
    int zero = open("/dev/zero", O_WRONLY | O_CLOEXEC);
    int fd = fcntl(zero, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close(zero);
    return fd;
}

/* Runs the command. Returns its entry (new), or NULL with a reason. */
static json_t *profile_run(struct profile *profile)
{
    struct launch_result result;
    struct launch_job job = {
        .input = -1, .on_start = profile_on_start, .on_progress = profile_on_progress, .user = profile};
    json_t *started = series_file_time(), *entry = NULL;
    char prefix[RECORD_PREFIX_MAX];
    run_files_prefix(&profile->run, prefix);
    const struct metadata_location location = {profile->series.directory, prefix, series_file_id(&profile->series)};
    job.output = job.errors = profile_discard_output();
    int error = job.output < 0 ? errno : input_begin_again(profile->input, &job.input);
    if (!error)
        error = backend_launch(&profile->backend, profile->launcher, &profile->run, &location, &job, &result);
    int input_error = input_end(profile->input);
    if (!error && !input_error)
        error = result.exec_error;
    if (!error && !input_error)
        entry = run_entry_make(&profile->backend, &profile->run, &location, started, &result,
                               launch_interrupted(profile->launcher) != 0, &error);
    if (error || input_error)
        profile_refuse(profile, "%s%s", error ? "" : "standard input: ", strerror(error ? error : input_error));
    if (job.output >= 0)
        close(job.output);
    json_decref(started);
    log_clear_progress();
    return entry;
}

/* ---------------------------------------------------------------------------- after the run -- */

/* "exit status 3", "signal 9". */
static void profile_describe_ending(const json_t *entry, char text[64])
{
    int number = (int)series_file_ending(entry, "signal");
    snprintf(text, 64, "%s %d", number ? "signal" : "exit status",
             number ? number : (int)series_file_ending(entry, "status"));
}

/* 0, or −1 if the run has not done what the runs of the recording have. */
static int profile_check_ending(struct profile *profile, const json_t *entry)
{
    char here[64], there[64] = "";
    const json_t *other;
    size_t i;
    if (profile->launcher->interrupted_by)
        return profile_refuse(profile, "it was interrupted");
    if (profile->too_long)
        return profile_refuse(profile,
                              "the command was ended, since it ran for %.0f s, longer than when it was "
                              "recorded",
                              (double)series_file_ending(entry, "wall_ns") / 1e9);
    if (input_line_was_read(profile->input))
        return profile_refuse(profile, "the command reads standard input, a terminal; give it a file (--input FILE)");
    profile_describe_ending(entry, here);
    json_array_foreach(series_file_done(profile->recording), i, other)
    {
        profile_describe_ending(other, there);
        if (strcmp(here, there) == 0)
            return 0;
    }
    return profile_refuse(profile, "the command ended with %s, but with %s when it was recorded", here, there);
}

/* Appends the options that a recording into the folder needs, and the folder: "--only NAME -o out/profile". */
static void profile_print_options(const struct profile *profile, const char *folder, char *text, size_t size)
{
    static const char *const KEYS[] = {"only", "skip"};
    const struct record_options *options = &profile->options;
    for (size_t k = 0; k < sizeof KEYS / sizeof *KEYS; k++) {
        const json_t *name;
        size_t i;
        json_array_foreach(json_object_get(options->chosen, KEYS[k]), i, name)
        {
            shell_word_append(text, size, k == 0 ? "--only" : "--skip");
            shell_word_append(text, size, json_string_value(name));
        }
    }
    if (options->input) {
        shell_word_append(text, size, "--input");
        shell_word_append(text, size, options->input);
    }
    shell_word_append(text, size, "-o");
    shell_word_append(text, size, folder);
}

/* Few samples leave wide intervals; the same command line with more runs adds to them. */
static void profile_report(const struct profile *profile, const char *folder, uint64_t samples)
{
    uint64_t period_us = profile->options.clocks[0].period / 1000, runs = profile->options.runs;
    char of_runs[40] = "", words[WORDS_MAX] = "", more[WORDS_MAX + 160] = "", recording[WORDS_MAX] = "";
    char *end = stpcpy(words, folder) - sizeof RUN_SERIES_PROFILE;
    *end = '\0';
    shell_word_append(recording, sizeof recording, words);
    *words = '\0';
    profile_print_options(profile, folder, words, sizeof words);
    if (runs > 1)
        snprintf(of_runs, sizeof of_runs, " of %" PRIu64 " runs", runs);
    if (samples < ENOUGH_SAMPLES && profile->untraced)
        strcpy(more, "; they are few, since the command is too short for a sample in each run");
    else if (samples < ENOUGH_SAMPLES)
        snprintf(more, sizeof more,
                 "; they are few, and more runs add to them: assay record -p %" PRIu64 "us --runs %" PRIu64
                 " %s -- COMMAND",
                 period_us, runs + RUNS_MAX, words);
    log_note("CPU profile: %" PRIu64 " samples%s in %s, for assay waste --hot %s%s", samples, of_runs, folder,
             recording, more);
}

static void profile_drop(struct profile *profile, const char *folder)
{
    char words[WORDS_MAX] = "";
    profile_print_options(profile, folder, words, sizeof words);
    if (profile->launcher->interrupted_by)
        log_note("interrupted; the recording in %s is complete, but has no CPU profile; the same command line takes it",
                 profile->recording->directory);
    else if (profile->too_short)
        log_note("no CPU profile: %s", profile->reason.text);
    else
        log_error("no CPU profile: %s; to record one: assay record %s -- COMMAND", profile->reason.text, words);
    if (profile->series.root)
        series_file_discard(&profile->series);
}

/* Runs the command and keeps its traces, or sets the reason. Without a sample the next run may still have one. */
static void profile_record_run(struct profile *profile, uint64_t *samples)
{
    struct error_text message;
    json_t *entry = profile_run(profile);
    if (entry && profile_check_ending(profile, entry) == 0) {
        double cpu_ns = (double)(series_file_ending(entry, "user_ns") + series_file_ending(entry, "system_ns"));
        json_t *traces = json_object_get(entry, "traces");
        bool traced = json_array_size(traces) > 0;
        profile->untraced |= !traced;
        *samples += check_count_samples(profile->series.directory, traces);
        profile->too_short = *samples == 0 && cpu_ns < NEGLIGIBLE_NS;
        if (profile->too_short && profile->run.number == RUNS_MAX)
            profile_refuse(profile, "the command is too short for a sample (%.1f ms of CPU time)", cpu_ns / 1e6);
        else if (*samples == 0 && !profile->too_short)
            profile_refuse(profile, "nothing of the command could be sampled");
        else if (series_file_end(&profile->series, traced ? json_incref(entry) : NULL, &message) != 0)
            profile_refuse(profile, "%.900s", message.text);
    }
    json_decref(entry);
}

/* As many runs as have enough samples, if those to come have as many as those so far. */
static void profile_choose_runs(struct profile *profile, uint64_t samples)
{
    uint64_t number = profile->run.number,
             runs = samples ? (ENOUGH_SAMPLES * number + samples - 1) / samples : RUNS_MAX;
    profile->options.runs = runs < number ? number : runs < RUNS_MAX ? runs : RUNS_MAX;
    json_object_set_new(profile->series.root, "runs", json_integer((json_int_t)profile->options.runs));
}

/* A short command is run again until there are enough samples. Returns their number. */
static uint64_t profile_record(struct profile *profile)
{
    struct record_options *options = &profile->options;
    const struct record_clock clock = engine_bearable(&profile->backend.engine, options->clocks, options->max_cost);
    uint64_t samples = 0;
    log_note("CPU profile: the command runs again, sampled every %g ms; its output is discarded (--no-profile: not)",
             (double)clock.period / 1e6);
    while (!*profile->reason.text && profile->run.number < options->runs) {
        if (launch_interrupted(profile->launcher)) {
            profile_refuse(profile, "it was interrupted");
            break;
        }
        bool chosen = samples > 0;
        profile->run.number++;
        profile_record_run(profile, &samples);
        if (!chosen && samples < ENOUGH_SAMPLES)
            profile_choose_runs(profile, samples);
    }
    return samples;
}

void profile_take(const struct record_options *options, struct launcher *launcher, struct input *input,
                  const struct series_file *recording)
{
    static const uint64_t GRACE_NS = UINT64_C(10000000000);
    char folder[RECORD_PATH_MAX + 16];
    struct profile profile = {.asked = options,
                              .launcher = launcher,
                              .input = input,
                              .recording = recording,
                              .series = {.lock = -1},
                              .limit_ns = 2 * profile_longest_ns(recording, false) + GRACE_NS};
    if (launch_interrupted(launcher) || profile_exists(recording))
        return;
    if (profile_check_command(&profile) != 0) {
        log_note("no CPU profile: %s", profile.reason.text);
        return;
    }
    profile_name_folder(options, folder);
    profile_set_options(&profile, folder);
    uint64_t samples = profile_begin(&profile) == 0 ? profile_record(&profile) : 0;
    if (*profile.reason.text)
        profile_drop(&profile, folder);
    else
        profile_report(&profile, folder, samples);
    series_file_close(&profile.series);
    backend_free(&profile.backend);
}

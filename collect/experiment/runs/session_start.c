#include "collect/experiment/runs/session_start.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/replace.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/transfer.h"
#include "collect/experiment/runs/cell_keys.h"
#include "collect/experiment/state/estimate.h"
#include "collect/experiment/state/machine.h"
#include "collect/experiment/state/start.h"
#include "collect/record/directory.h"
#include "collect/record/log.h"
#include "collect/record/series_file.h"

enum { SESSION_TRIES_MAX = 6 };

uint64_t session_rounds(const struct session *session, size_t cell)
{
    const struct experiment *experiment = session->experiment;
    return experiment->spec.recordings[experiment->plan.cells[cell].recording].rounds;
}

uint64_t session_missing(const struct session *session, size_t cell)
{
    uint64_t missing = 0;
    for (uint64_t round = 1; round <= session_rounds(session, cell); round++)
        missing += !cell_runs_have(&session->experiment->runs[cell], round);
    return missing;
}

uint64_t session_cold(const struct session *session, size_t cell)
{
    const struct experiment *experiment = session->experiment;
    bool is_cold = !session->warm[cell] && session_missing(session, cell) > 0;
    return is_cold ? experiment->spec.recordings[experiment->plan.cells[cell].recording].warmup : 0;
}

/* ------------------------------------------------------------------------------------------------ progress -- */

double session_left_s(const struct session *session)
{
    const struct experiment *experiment = session->experiment;
    double left = 0;
    for (size_t cell = 0; cell < experiment->plan.cell_count; cell++)
        if (session->failures[cell] < SESSION_FAILURES_MAX && session_missing(session, cell) > 0)
            left += (double)(session_missing(session, cell) + session_cold(session, cell)) *
                    estimate_cell(&experiment->state, &experiment->plan, &experiment->plan.cells[cell]).wall_s;
    return left;
}

static void session_print_progress(void *user)
{
    const struct session *session = user;
    char elapsed[ESTIMATE_TEXT], left[ESTIMATE_TEXT], round[40];
    double left_s = session_left_s(session);
    if (session->round == 0)
        snprintf(round, sizeof round, "warm-up");
    else
        snprintf(round, sizeof round, "round %" PRIu64, session->round);
    log_progress("%zu/%zu  %s  %.100s  elapsed %s  ETA %s", session->done + 1, session->total, round, session->current,
                 estimate_time_text((double)(clock_ns(CLOCK_MONOTONIC) - session->begin_ns) / 1e9, elapsed),
                 isnan(left_s) ? "unknown" : estimate_time_text(left_s, left));
}

/* -------------------------------------------------------------------------------------------------- one start -- */

uint64_t session_directory_bytes(const char *path)
{
    char name[RECORD_PATH_MAX], *const paths[] = {name, NULL};
    uint64_t bytes = 0;
    snprintf(name, sizeof name, "%s", path);
    FTS *walk = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    const FTSENT *entry;
    while (walk && (entry = fts_read(walk)))
        if (entry->fts_info == FTS_F)
            bytes += (uint64_t)entry->fts_statp->st_size;
    if (walk)
        fts_close(walk);
    return bytes;
}

void session_wait_for_orphans(struct experiment *experiment, const char *directory)
{
    bool noted = false;
    while (!launch_interrupted(&experiment->launcher)) {
        char path[RECORD_PATH_MAX];
        int lock = -1, error = directory_lock(directory, &lock);
        if (!error)
            close(lock);
        snprintf(path, sizeof path, "%s/series.json", directory);
        json_t *root = json_load_file(path, 0, NULL);
        pid_t running = series_file_running(root);
        json_decref(root);
        if (error != EWOULDBLOCK && running == 0 && !state_is_running(&experiment->state))
            return;
        if (!noted)
            log_note("%s: waits for a run that an earlier experiment has started", directory);
        noted = true;
        nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
    }
}

static void session_add_labels(const struct experiment *experiment, const struct plan_cell *cell, struct words *words)
{
    struct words_value labels[SPEC_VARIABLES_MAX];
    size_t count = plan_values(&experiment->spec, cell, labels, true);
    for (size_t i = 0; i < count; i++)
        words_add(experiment->spec.memory, words,
                  memory_print(experiment->spec.memory, "--label=%s=%s", labels[i].name, labels[i].text));
}

/* The program of the recording and its own options. */
static void session_add_line(struct obstack *memory, const struct words *line, struct words *words)
{
    words_add(memory, words, start_program(memory, line->list[0]));
    for (size_t i = 1; i < line->count; i++)
        words_add(memory, words, line->list[i]);
}

/* assay inject or assay audit profiler with all runs; `output` is absolute. */
static void session_add_whole(const struct session *session, const struct plan_cell *cell, const char *output,
                              uint64_t seed, struct words *words)
{
    enum { INJECT_SEED_END = 1000000000 };
    struct experiment *experiment = session->experiment;
    struct obstack *memory = &experiment->memory;
    const struct spec_recording *recording = &experiment->spec.recordings[cell->recording];
    words_add(memory, words, memory_print(memory, "--runs=%" PRIu64, cell->runs));
    if (recording->recorder == SPEC_AUDIT) {
        words_add(memory, words, memory_print(memory, "--output=%s", output));
        return;
    }
    words_add(memory, words, memory_print(memory, "--seed=%" PRIu64, seed % INJECT_SEED_END));
    words_add(memory, words, memory_print(memory, "--output=%s/%s", output, CELL_RUNS_INJECTED));
    if (recording->profile.count == 0)
        return;
    words_add(memory, words, "--");
    session_add_line(memory, &recording->profile, words);
    session_add_labels(experiment, cell, words);
    words_add(memory, words, "--overwrite");
    words_add(memory, words, memory_print(memory, "--output=%s/traces/{method}/{run}-{amount}", output));
}

/* assay record with one run more, or the warm-up runs in a directory of their own. */
static void session_add_record(const struct session *session, const struct plan_cell *cell, const char *output,
                               const char *here, uint64_t seed, uint64_t runs, bool warmup, struct words *words)
{
    struct experiment *experiment = session->experiment;
    struct obstack *memory = &experiment->memory;
    session_add_labels(experiment, cell, words);
    words_add(memory, words, memory_print(memory, "--seed=%" PRIu64, seed));
    words_add(memory, words, memory_print(memory, "--runs=%" PRIu64, runs));
    words_add(memory, words, memory_print(memory, "--output=%s", output));
    if (cell->input)
        words_add(memory, words,
                  memory_print(memory, "--input=%s%s%s", *cell->input == '/' ? "" : here,
                               *cell->input == '/' ? "" : "/", cell->input));
    if (warmup)
        words_add(memory, words, "--overwrite");
}

static void session_command(const struct session *session, const struct plan_cell *cell, const char *output,
                            uint64_t runs, bool warmup, struct words *words)
{
    struct experiment *experiment = session->experiment;
    struct obstack *memory = &experiment->memory;
    uint64_t seed = hash_text(cell->id, experiment->state.seed) >> 1;
    char here[RECORD_PATH_MAX];
    if (!getcwd(here, sizeof here))
        snprintf(here, sizeof here, ".");
    output = memory_print(memory, "%s/%s", here, output);
    session_add_line(memory, &experiment->spec.recordings[cell->recording].line, words);
    if (cell->runs > 0)
        session_add_whole(session, cell, output, seed, words);
    else
        session_add_record(session, cell, output, here, seed, runs, warmup, words);
    words_add(memory, words, "--");
    for (size_t i = 0; i < cell->command.count; i++)
        words_add(memory, words, cell->command.list[i]);
}

static int session_open_log(const struct session *session, const char *directory, struct error_text *message)
{
    char path[RECORD_PATH_MAX];
    int error = directory_make(directory);
    snprintf(path, sizeof path, "%s/log", directory);
    int fd = error ? -1 : replace_append(path, O_RDWR);
    if (fd < 0) {
        error_set(message, STATUS_BAD, "%.400s: %s", path, strerror(error ? error : errno));
        return -1;
    }
    if (session->round == 0)
        dprintf(fd, "== %s, warm-up\n", session->current);
    else
        dprintf(fd, "== %s, round %" PRIu64 "\n", session->current, session->round);
    return fd;
}

static void session_stop(struct session *session, const char *text)
{
    log_error("%s", text);
    session->status = STATUS_BAD;
    session->stop = true;
}

/* The last line of assay record's own in the log from `from` on, without the program's name; "" if there is none. */
static const char *session_read_reason(struct obstack *memory, int log, off_t from)
{
    static const char mark[] = "\nassay-";
    char text[8192], *last = NULL;
    off_t size = lseek(log, 0, SEEK_END), least = size - (off_t)sizeof text + 1;
    ssize_t length = transfer_read_at(log, text, sizeof text - 1, from > least ? from : least);
    text[length > 0 ? length : 0] = '\0';
    for (char *at = text; (at = strstr(at, mark)); at++)
        last = at + strlen(mark);
    if (last && strchr(last, ':') && strncmp(strchr(last, ':'), ": ", 2) == 0)
        last = strchr(last, ':') + 2;
    return last ? memory_print(memory, "%.*s", (int)strcspn(last, "\n"), last) : "";
}

/* Notes the start, so that it is known if it outlives this process. */
static void session_note_start(void *user, pid_t pid)
{
    struct session *session = user;
    struct error_text message;
    if (state_note_running(&session->experiment->state, &session->start, pid, &message) != 0)
        session_stop(session, message.text);
}

/* Runs assay record for a cell. Returns its status, or −1 if the experiment can't go on. *reason is what it printed
 * last. */
static int session_record(struct session *session, const struct plan_cell *cell, const char *directory,
                          const char *output, uint64_t runs, bool warmup, double *wall_s, const char **reason)
{
    struct experiment *experiment = session->experiment;
    struct error_text message;
    struct launch_result result;
    struct words words = {0};
    session_command(session, cell, output, runs, warmup, &words);
    int log = session_open_log(session, directory, &message);
    if (log < 0) {
        session_stop(session, message.text);
        return -1;
    }
    const struct start_job job = {.command = &words,
                                  .environment = &cell->environment,
                                  .directory = cell->directory,
                                  .output = log,
                                  .errors = log,
                                  .on_start = session_note_start,
                                  .on_progress = log_shows_progress() ? session_print_progress : NULL,
                                  .user = session};
    off_t from = lseek(log, 0, SEEK_END) - 1;
    session_print_progress(session);
    int status = start_run(&experiment->memory, &experiment->launcher, &job, &result, &message);
    *reason = session_read_reason(&experiment->memory, log, from);
    close(log);
    if (status != 0) {
        session_stop(session, message.text);
        return -1;
    }
    *wall_s = (double)result.wall_ns / 1e9;
    return start_status(&result);
}

/* Whether assay record chose another clock than for the earlier runs of the cell, as it may on a busy machine. */
static bool session_chose_otherwise(const char *reason)
{
    static const char *const parts[] = {" series: its source ", " series: its engine ", " series: its clocks "};
    bool found = false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        found |= strstr(reason, parts[i]) != NULL;
    return found;
}

static void session_report_failure(struct session *session, size_t cell, const char *directory, int status,
                                   const char *reason)
{
    const struct plan_cell *failed = &session->experiment->plan.cells[cell];
    session->failures[cell]++;
    session->failed++;
    session->status = STATUS_BAD;
    log_error("%s, round %" PRIu64 ": %s%sstatus %d; see %s/log", failed->id, session->round, reason,
              *reason ? "; " : "", status, directory);
    if (session->failures[cell] == SESSION_FAILURES_MAX && session_missing(session, cell) > 0)
        log_error("%s failed twice in a row and is not started again; the other cells go on", failed->id);
}

void session_start_cell(struct session *session, size_t cell, uint64_t round)
{
    struct experiment *experiment = session->experiment;
    struct obstack *memory = &experiment->memory;
    const struct plan_cell *of = &experiment->plan.cells[cell];
    const char *directory = memory_print(memory, "%s/recordings/%s", experiment->spec.data, of->id);
    struct error_text message;
    session->round = round;
    session->current = of->id;
    session_wait_for_orphans(experiment, directory);
    uint64_t before = session_directory_bytes(directory);
    bool first = experiment->runs[cell].count == 0;
    struct state_start start = {
        .cell = of->id, .round = round, .machine = experiment->state.machine, .load = machine_load()};
    const char *reason = "";
    session->start = start;
    session->start.bytes = before;
    for (int tries = 0; tries < SESSION_TRIES_MAX; tries++) {
        start.status = session_record(session, of, directory, directory, round, false, &start.wall_s, &reason);
        if (start.status <= 0 || !session_chose_otherwise(reason))
            break;
        sleep(1);
    }
    bool interrupted = launch_interrupted(&experiment->launcher) != 0;
    if (start.status < 0)
        return;
    if (start.status == 0 && of->runs > 0 && cell_runs_note_whole(directory, of, start.wall_s, &message) != 0) {
        session_stop(session, message.text);
        return;
    }
    if (cell_runs_read(experiment->spec.data, of, &experiment->runs[cell], &message) != 0) {
        session_stop(session, message.text);
        return;
    }
    bool have = cell_runs_have(&experiment->runs[cell], round);
    if (first)
        cell_keys_forget_written(experiment, cell);
    if (!have && interrupted)
        return;
    uint64_t after = session_directory_bytes(directory);
    start.bytes = after > before ? after - before : 0;
    if (!have && start.status == 0)
        start.status = STATUS_BAD;
    if (state_add_start(memory, &experiment->state, &start, &message) != 0)
        session_stop(session, message.text);
    state_forget_running(&experiment->state);
    session->done++;
    if (start.status != 0)
        session_report_failure(session, cell, directory, start.status, reason);
    else
        session->failures[cell] = 0;
}

void session_warm_up(struct session *session, size_t cell)
{
    struct experiment *experiment = session->experiment;
    const struct plan_cell *of = &experiment->plan.cells[cell];
    uint64_t warmup = session_cold(session, cell);
    const char *output = memory_print(&experiment->memory, "%s/warmup", experiment->spec.data);
    const char *reason;
    struct error_text message;
    struct state_start start = {
        .cell = of->id, .warmup = warmup, .machine = experiment->state.machine, .load = machine_load()};
    if (warmup == 0)
        return;
    session->round = 0;
    session->current = of->id;
    session->start = (struct state_start){.cell = "", .load = -1};
    session_wait_for_orphans(experiment, output);
    start.status = session_record(session, of, output, output, warmup, true, &start.wall_s, &reason);
    if (start.status > 0)
        log_note("%s: a warm-up run failed: %s; see %s/log", of->id, reason, output);
    state_forget_running(&experiment->state);
    if (start.status < 0 || launch_interrupted(&experiment->launcher) != 0)
        return;
    if (state_add_start(&experiment->memory, &experiment->state, &start, &message) != 0)
        session_stop(session, message.text);
    session->warm[cell] = true;
    session->done += (size_t)warmup;
}

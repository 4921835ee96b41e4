/*
 * session.c - rounds of all cells, each in random order, one start of assay record at a time.
 */
#include "collect/experiment/runs/session.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "collect/experiment/runs/cell_keys.h"
#include "collect/experiment/state/estimate.h"
#include "collect/experiment/state/machine.h"
#include "collect/experiment/state/start.h"
#include "collect/experiment/runs/until.h"
#include "collect/record/directory.h"
#include "collect/record/log.h"
#include "collect/record/series_file.h"

enum { SESSION_FAILURES_MAX = 2, SESSION_TRIES_MAX = 6 };

struct session {
    struct experiment *experiment;
    size_t *failures;   /* by cell: failed starts in a row */
    size_t done, total; /* starts, without warm-up */
    uint64_t begin_ns;
    uint64_t round;      /* of the current start */
    const char *current; /* its cell */
    size_t failed;
    bool stop;
    int status;
};

static uint64_t session_rounds(const struct session *session, size_t cell)
{
    const struct experiment *experiment = session->experiment;
    return experiment->spec.recordings[experiment->plan.cells[cell].recording].rounds;
}

static uint64_t session_missing(const struct session *session, size_t cell)
{
    uint64_t missing = 0;
    for (uint64_t round = 1; round <= session_rounds(session, cell); round++)
        missing += !cell_runs_have(&session->experiment->runs[cell], round);
    return missing;
}

/* ------------------------------------------------------------------------------------------------ progress -- */

/* The time of the starts that are left, s; NaN if a cell has never run, nor another of its recording. */
static double session_left_s(const struct session *session)
{
    const struct experiment *experiment = session->experiment;
    double left = 0;
    for (size_t cell = 0; cell < experiment->plan.cell_count; cell++)
        if (session->failures[cell] < SESSION_FAILURES_MAX && session_missing(session, cell) > 0)
            left += (double)session_missing(session, cell) *
                    estimate_cell(&experiment->state, &experiment->plan, &experiment->plan.cells[cell]).wall_s;
    return left;
}

static void session_print_progress(void *user)
{
    const struct session *session = user;
    char elapsed[ESTIMATE_TEXT], left[ESTIMATE_TEXT];
    double left_s = session_left_s(session);
    log_progress("%zu/%zu  round %" PRIu64 "  %.100s  elapsed %s  ETA %s", session->done + 1, session->total,
                 session->round, session->current,
                 estimate_time_text((double)(clock_ns(CLOCK_MONOTONIC) - session->begin_ns) / 1e9, elapsed),
                 isnan(left_s) ? "unknown" : estimate_time_text(left_s, left));
}

/* -------------------------------------------------------------------------------------------------- one start -- */

static uint64_t session_directory_bytes(const char *path)
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

/* After a kill, assay record or its command may still be at work there: waits until they have ended. */
static void session_wait_for_orphans(struct session *session, const char *directory)
{
    struct experiment *experiment = session->experiment;
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
        if (error != EWOULDBLOCK && running == 0)
            return;
        if (!noted)
            log_note("%s: waits for a run that an earlier experiment has started", directory);
        noted = true;
        nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
    }
}

/* assay record with one run more, or the warm-up runs in a directory of their own. */
static void session_command(const struct session *session, const struct plan_cell *cell, const char *output,
                            uint64_t runs, bool warmup, struct words *words)
{
    struct experiment *experiment = session->experiment;
    struct obstack *memory = &experiment->memory;
    const struct words *line = &experiment->spec.recordings[cell->recording].line;
    uint64_t seed = hash_text(cell->id, experiment->state.seed) >> 1;
    char here[RECORD_PATH_MAX];
    words_add(memory, words, start_program(memory, "record"));
    for (size_t i = 1; i < line->count; i++)
        words_add(memory, words, line->list[i]);
    words_add(memory, words, memory_print(memory, "--seed=%" PRIu64, seed));
    words_add(memory, words, memory_print(memory, "--runs=%" PRIu64, runs));
    words_add(memory, words, memory_print(memory, "--output=%s/%s", getcwd(here, sizeof here) ? here : ".", output));
    if (cell->input)
        words_add(memory, words,
                  memory_print(memory, "--input=%s%s%s", *cell->input == '/' ? "" : here,
                               *cell->input == '/' ? "" : "/", cell->input));
    if (warmup)
        words_add(memory, words, "--overwrite");
    words_add(memory, words, "--");
    for (size_t i = 0; i < cell->command.count; i++)
        words_add(memory, words, cell->command.list[i]);
}

static int session_open_log(const struct session *session, const char *directory, struct error_text *message)
{
    char path[RECORD_PATH_MAX];
    int error = directory_make(directory);
    snprintf(path, sizeof path, "%s/log", directory);
    int fd = error ? -1 : open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0) {
        error_set(message, STATUS_BAD, "%.400s: %s", path, strerror(error ? error : errno));
        return -1;
    }
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
    static const char mark[] = "\nassay-record: ";
    char text[8192], *last = NULL;
    off_t size = lseek(log, 0, SEEK_END), least = size - (off_t)sizeof text + 1;
    ssize_t length = pread(log, text, sizeof text - 1, from > least ? from : least);
    text[length > 0 ? length : 0] = '\0';
    for (char *at = text; (at = strstr(at, mark)); at++)
        last = at + strlen(mark);
    return last ? memory_print(memory, "%.*s", (int)strcspn(last, "\n"), last) : "";
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

/* One run more of this cell: number `round`. */
static void session_start_cell(struct session *session, size_t cell, uint64_t round)
{
    struct experiment *experiment = session->experiment;
    struct obstack *memory = &experiment->memory;
    const struct plan_cell *of = &experiment->plan.cells[cell];
    const char *directory = memory_print(memory, "%s/recordings/%s", experiment->spec.data, of->id);
    struct error_text message;
    session->round = round;
    session->current = of->id;
    session_wait_for_orphans(session, directory);
    uint64_t before = session_directory_bytes(directory);
    bool first = experiment->runs[cell].count == 0;
    struct state_start start = {
        .cell = of->id, .round = round, .machine = experiment->state.machine, .load = machine_load()};
    const char *reason = "";
    for (int tries = 0; tries < SESSION_TRIES_MAX; tries++) {
        start.status = session_record(session, of, directory, directory, round, false, &start.wall_s, &reason);
        if (start.status <= 0 || !session_chose_otherwise(reason))
            break;
        sleep(1);
    }
    bool interrupted = launch_interrupted(&experiment->launcher) != 0;
    if (start.status < 0)
        return;
    if (cell_runs_read(memory, experiment->spec.data, of, &experiment->runs[cell], &message) != 0) {
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
    session->done++;
    if (start.status != 0)
        session_report_failure(session, cell, directory, start.status, reason);
    else
        session->failures[cell] = 0;
}

/* The traces of warm-up runs are of no use. */
static void session_warm_up(struct session *session, size_t cell)
{
    struct experiment *experiment = session->experiment;
    const struct plan_cell *of = &experiment->plan.cells[cell];
    uint64_t warmup = experiment->spec.recordings[of->recording].warmup;
    const char *output = memory_print(&experiment->memory, "%s/warmup", experiment->spec.data);
    const char *reason;
    double wall_s;
    session->round = 0;
    session->current = of->id;
    if (warmup > 0 && session_record(session, of, output, output, warmup, true, &wall_s, &reason) > 0)
        log_note("%s: a warm-up run failed: %s; see %s/log", of->id, reason, output);
}

/* ------------------------------------------------------------------------------------------------- rounds -- */

/* The cells that a round starts, in its order, which does not depend on what exists already. */
static size_t session_plan_round(const struct session *session, uint64_t round, size_t *order)
{
    const struct plan *plan = &session->experiment->plan;
    size_t count = 0, left = 0;
    for (size_t cell = 0; cell < plan->cell_count; cell++)
        if (session_rounds(session, cell) >= round)
            order[count++] = cell;
    plan_shuffle(session->experiment->state.seed, round, order, count);
    for (size_t i = 0; i < count; i++)
        if (!cell_runs_have(&session->experiment->runs[order[i]], round))
            order[left++] = order[i];
    return left;
}

static void session_end_round(const struct session *session, uint64_t round, uint64_t rounds)
{
    char left[ESTIMATE_TEXT];
    double left_s = session_left_s(session);
    if (!log_shows_progress() && session->done < session->total && !session->stop)
        log_note("round %" PRIu64 " of %" PRIu64 ": %zu of %zu starts, %s left", round, rounds, session->done,
                 session->total, isnan(left_s) ? "unknown time" : estimate_time_text(left_s, left));
}

static uint64_t session_most_rounds(struct session *session)
{
    uint64_t rounds = 0;
    session->total = session->done;
    for (size_t cell = 0; cell < session->experiment->plan.cell_count; cell++) {
        session->total += session_missing(session, cell);
        rounds = session_rounds(session, cell) > rounds ? session_rounds(session, cell) : rounds;
    }
    return rounds;
}

/* Makes the missing runs of all rounds. */
static void session_run_rounds(struct session *session, size_t *order)
{
    struct launcher *launcher = &session->experiment->launcher;
    uint64_t rounds = session_most_rounds(session);
    for (uint64_t round = 1; round <= rounds && !session->stop; round++) {
        size_t starts = session_plan_round(session, round, order);
        for (size_t i = 0; i < starts && !session->stop; i++) {
            if (session->failures[order[i]] < SESSION_FAILURES_MAX)
                session_start_cell(session, order[i], round);
            session->stop |= launch_interrupted(launcher) != 0;
        }
        if (starts > 0)
            session_end_round(session, round, rounds);
    }
}

/* Adds a round to the recordings whose intervals are too wide; one with a failing cell has none to wait for. */
static bool session_add_rounds(struct session *session)
{
    struct experiment *experiment = session->experiment;
    bool added = false;
    for (size_t r = 0; r < experiment->spec.recording_count && !session->stop; r++) {
        bool broken = false;
        for (size_t cell = 0; cell < experiment->plan.cell_count; cell++)
            broken |= experiment->plan.cells[cell].recording == r && session_missing(session, cell) > 0;
        if (!broken)
            added |= until_add_round(experiment, r, &session->status);
        session->stop |= launch_interrupted(&experiment->launcher) != 0;
    }
    return added && !session->stop;
}

int session_make_runs(struct experiment *experiment)
{
    struct session session = {.experiment = experiment, .begin_ns = clock_ns(CLOCK_MONOTONIC)};
    size_t count = experiment->plan.cell_count;
    size_t *order = memory_allocate(&experiment->memory, count, sizeof *order);
    session.failures = memory_allocate(&experiment->memory, count, sizeof *session.failures);
    session_most_rounds(&session);
    for (size_t cell = 0; cell < count && !session.stop; cell++) {
        if (session_missing(&session, cell) > 0)
            session_warm_up(&session, cell);
        session.stop |= launch_interrupted(&experiment->launcher) != 0;
    }
    do
        session_run_rounds(&session, order);
    while (session_add_rounds(&session));
    log_clear_progress();
    if (experiment->launcher.interrupted_by) {
        log_note("interrupted; finished runs are kept in %s, and the same command line resumes", experiment->spec.data);
        return 128 + experiment->launcher.interrupted_by;
    }
    if (session.failed > 0)
        log_error("%zu of %zu starts failed", session.failed, session.done);
    return session.status;
}

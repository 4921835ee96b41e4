/*
 * session.c - rounds of all cells, each in random order, one start of assay record at a time.
 */
#include "collect/experiment/runs/session.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "collect/experiment/runs/session_start.h"
#include "collect/experiment/runs/until.h"
#include "collect/experiment/state/estimate.h"
#include "collect/record/log.h"

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
    if (!log_shows_progress() && !session->stop)
        log_note("round %" PRIu64 " of %" PRIu64 ": %zu of %zu runs, %s left", round, rounds, session->done,
                 session->total, isnan(left_s) ? "unknown time" : estimate_time_text(left_s, left));
}

/* What is ahead, for a log without a progress line. */
static void session_print_plan(const struct session *session, uint64_t rounds)
{
    char text[ESTIMATE_TEXT];
    size_t warmup = 0;
    double left_s = session_left_s(session);
    for (size_t cell = 0; cell < session->experiment->plan.cell_count; cell++)
        warmup += (size_t)session_cold(session, cell);
    if (!log_shows_progress() && session->total > 0)
        log_note("%zu run%s to make, with %zu to warm up, up to round %" PRIu64 " of %zu cell%s: %s%s", session->total,
                 session->total == 1 ? "" : "s", warmup, rounds, session->experiment->plan.cell_count,
                 session->experiment->plan.cell_count == 1 ? "" : "s", isnan(left_s) ? "" : "about ",
                 isnan(left_s) ? "the time is known once each recording has run" : estimate_time_text(left_s, text));
}

static uint64_t session_most_rounds(struct session *session)
{
    uint64_t rounds = 0;
    session->total = session->done;
    for (size_t cell = 0; cell < session->experiment->plan.cell_count; cell++) {
        session->total += session_missing(session, cell) + session_cold(session, cell);
        rounds = session_rounds(session, cell) > rounds ? session_rounds(session, cell) : rounds;
    }
    return rounds;
}

/* The first round that lacks a cell which has not failed twice in a row; 0: there is none. *order has those cells. */
static uint64_t session_next_round(struct session *session, size_t *order, size_t *count)
{
    uint64_t rounds = session_most_rounds(session);
    for (uint64_t round = 1; round <= rounds; round++) {
        size_t starts = session_plan_round(session, round, order);
        *count = 0;
        for (size_t i = 0; i < starts; i++)
            if (session->failures[order[i]] < SESSION_FAILURES_MAX)
                order[(*count)++] = order[i];
        if (*count > 0)
            return round;
    }
    return 0;
}

/* Starts the cells of a round. */
static void session_start_cells(struct session *session, uint64_t round, const size_t *order, size_t count)
{
    for (size_t i = 0; i < count && !session->stop; i++) {
        if (session->failures[order[i]] < SESSION_FAILURES_MAX)
            session_start_cell(session, order[i], round);
        session->stop |= launch_interrupted(&session->experiment->launcher) != 0;
    }
}

/* Makes the missing runs of all rounds. */
static void session_run_rounds(struct session *session, size_t *order)
{
    uint64_t rounds = session_most_rounds(session);
    for (uint64_t round = 1; round <= rounds && !session->stop; round++) {
        size_t starts = session_plan_round(session, round, order);
        session_start_cells(session, round, order, starts);
        if (starts > 0)
            session_end_round(session, round, rounds);
        if (starts > 0 && !session->stop)
            session->check(session->user);
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

static void session_warm_up_cells(struct session *session, const size_t *cells, size_t count)
{
    for (size_t i = 0; i < count && !session->stop; i++) {
        if (session_missing(session, cells[i]) > 0)
            session_warm_up(session, cells[i]);
        session->stop |= launch_interrupted(&session->experiment->launcher) != 0;
    }
}

/* Cells whose last starts failed, in this session or an earlier one. */
static void session_count_earlier_failures(struct session *session)
{
    const struct experiment *experiment = session->experiment;
    for (size_t cell = 0; cell < experiment->plan.cell_count; cell++)
        session->failures[cell] = state_count_failures(&experiment->state, experiment->plan.cells[cell].id);
}

/* Makes the first round that is missing, or a round more if intervals are too wide. */
static void session_make_one_round(struct session *session, size_t *order)
{
    size_t count, left = 0;
    session_count_earlier_failures(session);
    uint64_t round = session_next_round(session, order, &count);
    if (round == 0 && session_add_rounds(session))
        round = session_next_round(session, order, &count);
    if (round > 0) {
        session->total = session->done + count;
        for (size_t i = 0; i < count; i++)
            session->total += (size_t)session_cold(session, order[i]);
        session_warm_up_cells(session, order, count);
        session_start_cells(session, round, order, count);
        if (!session->stop)
            session->check(session->user);
    }
    for (uint64_t each = 1, most = session_most_rounds(session); each <= most; each++)
        left += session_plan_round(session, each, order) > 0;
    if (session->stop)
        return;
    if (round > 0)
        log_note("round %" PRIu64 " is made; %zu round%s left", round, left, left == 1 ? " is" : "s are");
    else if (left == 0)
        log_note("all rounds are made");
    for (size_t cell = 0; cell < session->experiment->plan.cell_count; cell++)
        if (round == 0 && session_missing(session, cell) > 0) {
            log_error("%s failed twice in a row, and only a command without --one-round starts it again",
                      session->experiment->plan.cells[cell].id);
            session->status = STATUS_BAD;
        }
}

static void session_make_all_rounds(struct session *session, size_t *order)
{
    size_t count = session->experiment->plan.cell_count;
    session_print_plan(session, session_most_rounds(session));
    for (size_t cell = 0; cell < count; cell++)
        order[cell] = cell;
    session_warm_up_cells(session, order, count);
    do
        session_run_rounds(session, order);
    while (session_add_rounds(session));
}

int session_make_runs(struct experiment *experiment, void (*check)(void *user), void *user)
{
    struct session session = {
        .experiment = experiment, .begin_ns = clock_ns(CLOCK_MONOTONIC), .check = check, .user = user};
    size_t count = experiment->plan.cell_count;
    size_t *order = memory_allocate(&experiment->memory, count, sizeof *order);
    session.failures = memory_allocate(&experiment->memory, count, sizeof *session.failures);
    session.warm = memory_allocate(&experiment->memory, count, sizeof *session.warm);
    check(user);
    if (experiment->options->one_round)
        session_make_one_round(&session, order);
    else
        session_make_all_rounds(&session, order);
    log_clear_progress();
    if (experiment->launcher.interrupted_by) {
        log_note("interrupted; finished runs are kept in %s, and the same command line resumes", experiment->spec.data);
        return 128 + experiment->launcher.interrupted_by;
    }
    if (session.failed > 0)
        log_error("%zu of %zu runs failed", session.failed, session.done);
    return session.status;
}

/* -------------------------------------------------------------------------------------------------- killed -- */

int session_finish_killed(struct experiment *experiment)
{
    struct state_start start;
    struct error_text message;
    size_t cell = 0;
    if (!state_load_running(&experiment->memory, &experiment->state, &start))
        return STATUS_GOOD;
    const char *directory = memory_print(&experiment->memory, *start.cell ? "%s/recordings/%s" : "%s/warmup%s",
                                         experiment->spec.data, start.cell);
    session_wait_for_orphans(experiment, directory);
    if (launch_interrupted(&experiment->launcher))
        return STATUS_GOOD;
    while (cell < experiment->plan.cell_count && strcmp(experiment->plan.cells[cell].id, start.cell) != 0)
        cell++;
    if (cell < experiment->plan.cell_count) {
        struct cell_runs *runs = &experiment->runs[cell];
        int status = cell_runs_read(experiment->spec.data, &experiment->plan.cells[cell], runs, &message);
        uint64_t bytes = session_directory_bytes(directory);
        start.bytes = bytes > start.bytes ? bytes - start.bytes : 0;
        for (size_t i = 0; i < runs->count; i++)
            if (runs->runs[i].number == start.round) {
                start.wall_s += runs->runs[i].wall_s;
                start.status |= runs->runs[i].failed ? STATUS_BAD : 0;
            }
        if (!status && cell_runs_have(runs, start.round) && !state_is_last_start(&experiment->state, &start))
            status = state_add_start(&experiment->memory, &experiment->state, &start, &message);
        if (status) {
            log_error("%s", message.text);
            return STATUS_BAD;
        }
    }
    state_forget_running(&experiment->state);
    return STATUS_GOOD;
}

/* Warnings and notes of the tables of assay agree. */
#include "analyze/agree/tables_parts.h"

#include <math.h>

#include "analyze/cli/number.h"
#include "trace/names/unseen.h"
#include "base/error_text.h"

enum { FEW_RUNS = 5 };

/* The share of missing samples, relative to CPU time and clock period, from which a warning is due. */
static const double COVERAGE_LEAST = 0.9;

const char *tables_verdict(const struct measured *measured)
{
    if (isnan(measured->lo) || isnan(measured->hi))
        return NULL;
    return measured->lo > 0 || measured->hi < 0 ? "differ" : "no difference shown";
}

const char *tables_profiler_name(const struct tables *tables, uint32_t profiler)
{
    const char *name = profiles_text(tables->profiles, profiler);
    return *name ? name : "(no name)";
}

/* The subject of a comparison. */
void tables_note_population(const struct tables *tables, const struct view *view)
{
    char seen[128] = "", names[256];
    for (unsigned role = 0; role < ROLE_COUNT; role++)
        if (view->roles & 1u << role)
            error_list(seen, sizeof seen, trace_role_name(role));
    for (size_t s = 0; s < view->count; s++) {
        const struct view_side *side = &view->side[s];
        const char *name = tables_profiler_name(tables, side->profiler);
        if (side->left_out > 0)
            report_warn(tables->report,
                        "%s also sees other threads (%.2f %% of its samples): profilers are compared on the roles that "
                        "all of them see: %s",
                        name, 100 * side->left_out, seen);
        if (side->roles & 1u << SAMPLE_ROLE_UNKNOWN && !tables->profiles->shares)
            report_warn(tables->report,
                        side->roles == 1u << SAMPLE_ROLE_UNKNOWN
                            ? "%s does not tell its threads apart: it is compared with all threads of the others"
                            : "%s does not know the roles of all its threads: the others are compared with all of "
                              "their threads",
                        name);
        unseen_list(&view->profiles->relations.texts, view->unseen, side->weight, names, sizeof names);
        if (side->unnamed > 0)
            report_warn(tables->report, UNSEEN_WARNING, name, 100 * side->unnamed, names);
    }
}

/* Why there is nothing to compare. */
void tables_warn_of_nothing(const struct tables *tables, const struct view *view)
{
    char names[256] = "";
    for (size_t s = 0; s < view->count; s++)
        if (view->side[s].roles == 0)
            error_list(names, sizeof names, tables_profiler_name(tables, view->side[s].profiler));
    if (*names) {
        report_warn(tables->report, "nothing to compare: no samples of %s", names);
        return;
    }
    for (size_t s = 0; s < view->count; s++)
        error_list(names, sizeof names, tables_profiler_name(tables, view->side[s].profiler));
    report_warn(tables->report, "nothing to compare: %s have no threads in common", names);
}

void tables_warn_of_runs(const struct tables *tables, const struct view_side *side)
{
    const char *name = tables_profiler_name(tables, side->profiler);
    if (side->empty_runs > 0)
        report_warn(tables->report, "%s: the result leaves out %zu of %zu runs: nothing to compare", name,
                    side->empty_runs, side->empty_runs + side->runs);
    if (side->runs == 1)
        report_note(tables->report, "%s: one run gives no interval", name);
    else if (side->runs < FEW_RUNS)
        report_note(tables->report, "%s: %zu runs: intervals from fewer than %d are rough", name, side->runs, FEW_RUNS);
}

/* Whether a profiler has as many samples as expected from its clock and its threads' CPU time. */
void tables_note_coverage(const struct tables *tables)
{
    for (size_t p = 0; p < tables->count; p++) {
        double cpu_ns = 0, sampled_ns = 0;
        for (size_t r = 0; r < profiles_run_count(tables->profiles); r++) {
            const struct profiles_run *run = profiles_run_at(tables->profiles, r);
            cpu_ns += run->profiler == tables->profilers[p] ? (double)run->cpu_ns : 0;
            sampled_ns += run->profiler == tables->profilers[p] ? (double)run->sampled_ns : 0;
        }
        if (cpu_ns > 0 && sampled_ns < COVERAGE_LEAST * cpu_ns)
            report_warn(tables->report,
                        "%s has %.1f %% of the samples that its period and its threads' CPU time call for: the rest "
                        "were dropped or never taken",
                        tables_profiler_name(tables, tables->profilers[p]), 100 * sampled_ns / cpu_ns);
    }
}

void tables_note_method(const struct tables *tables)
{
    char percent[NUMBER_PERCENT_MAX];
    const char *confidence = number_percent(tables->options->intervals.confidence, percent);
    struct report *report = tables->report;
    bool use_z = tables->options->intervals.use_z;
    switch (tables->options->question) {
    case TABLES_UNION:
        report_note(report, "lo-hi: %s %% bootstrap interval over runs%s", confidence,
                    use_z ? "" : ", widened for few runs (Hesterberg 2015)");
        break;
    case TABLES_HOTNESS:
        report_note(report, "self share of a run, mean over runs; lo-hi: %s %% interval by %s", confidence,
                    use_z ? "the normal quantile (z)" : "Student's t");
        break;
    case TABLES_METHODS:
        report_note(report,
                    "difference: b minus a; lo-hi: its %s %% interval by %s; distance: its part of the total variation",
                    confidence, use_z ? "the normal quantile (z)" : "Welch's t");
        break;
    case TABLES_OBSERVER:
        report_note(
            report,
            "distance: total variation of the profiles, noise adds up to `noise`; overhead: mean time of b over that "
            "of a, minus 1 (wall: elapsed; cpu: user and system); %s %% intervals: bootstrap over runs, and "
            "Fieller's, of all ratios that Welch's t test does not reject",
            confidence);
        break;
    default:
        report_note(
            report,
            "overlap and tau: of the %zu hottest methods; distance: total variation of the profiles (0 the same, 1 "
            "nothing in common); lo-hi: its %s %% interval, bootstrap over runs, widened by what noise adds",
            tables->options->top, confidence);
    }
}

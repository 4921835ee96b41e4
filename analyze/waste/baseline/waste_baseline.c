/* assay waste --baseline: whether two versions can be compared, and the report. */
#include "analyze/waste/baseline/waste_baseline.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/cli/number.h"
#include "analyze/waste/tables/waste_notes.h"

static const char *const version_names[WASTE_VERSIONS] = {"baseline", "new version"};

/* ------------------------------------------------------------------------------------------ the versions -- */

static int waste_version_init(struct waste_version_state *version, struct waste *waste,
                              const struct analysis_options *options)
{
    *version = (struct waste_version_state){
        .waste = waste, .lines = {.item_bytes = sizeof(struct waste_line), .key_bytes = sizeof(uint32_t)}};
    int error = waste_group(waste, NULL, &version->groups);
    version->group = version->groups.items;
    return error ? error : waste_kinds(waste, version->group, false, options, &version->kinds);
}

static void waste_version_free(struct waste_version_state *version)
{
    waste_groups_free(&version->groups);
    waste_kinds_free(&version->kinds);
    keyed_free(&version->lines);
    free(version->own);
    free(version->line_of);
    free(version->context_of);
    free(version->amounts);
    free(version->time_runs);
    free(version->times);
    free(version->run_times);
}

static void waste_compared_free(struct waste_compared *compared)
{
    for (size_t i = 0; i < compared->rows.count; i++) {
        const struct waste_compared_row *row = keyed_at(&compared->rows, i);
        for (size_t v = 0; v < WASTE_VERSIONS; v++) {
            free(row->amounts[v]);
            free(row->times[v]);
        }
    }
    keyed_free(&compared->rows);
    keyed_free(&compared->contexts);
    text_set_free(&compared->texts);
    for (size_t v = 0; v < WASTE_VERSIONS; v++) {
        waste_version_free(&compared->versions[v]);
        waste_locations_free(&compared->locations[v]);
    }
}

/* ------------------------------------------------------------------------------------------ checks -- */

/* Whether the version has a process with this label. */
static bool waste_version_has_label(const struct waste_version_state *version, enum run_label label, const char *text)
{
    for (size_t i = 0; i < waste_count(version->waste, WASTE_SOURCE_ROWS); i++) {
        const struct waste_source *source = waste_row(version->waste, WASTE_SOURCE_ROWS, i);
        if (strcmp(waste_text(version->waste, source->labels[label]), text) == 0)
            return true;
    }
    return false;
}

/* A label of one version that the other lacks; NULL: they have the same. */
static const char *waste_label_of_one(const struct waste_compared *compared, enum run_label label, enum waste_version v)
{
    const struct waste_version_state *version = &compared->versions[v],
                                     *other = &compared->versions[WASTE_VERSIONS - 1 - v];
    for (size_t i = 0; i < waste_count(version->waste, WASTE_SOURCE_ROWS); i++) {
        const struct waste_source *source = waste_row(version->waste, WASTE_SOURCE_ROWS, i);
        const char *text = waste_text(version->waste, source->labels[label]);
        if (!waste_version_has_label(other, label, text))
            return text;
    }
    return NULL;
}

/* Whether both count the same accesses. */
static bool waste_check_engines(const struct waste_compared *compared)
{
    for (enum waste_version v = 0; v < WASTE_VERSIONS; v++) {
        const char *engine = waste_label_of_one(compared, RUN_LABEL_ENGINE, v);
        if (!engine)
            continue;
        report_warn(compared->report,
                    "only the %s has runs of engine %s: engines count different accesses; record both with the same",
                    version_names[v], *engine ? engine : "unknown");
        return false;
    }
    return true;
}

static uint32_t waste_version_kinds(const struct waste_version_state *version)
{
    uint32_t kinds = 0;
    for (size_t r = 0; r < version->group->run_count; r++)
        kinds |= version->group->kinds[r];
    return kinds;
}

/* Sets the kinds that are compared. False: there are none. */
static bool waste_check_kinds(struct waste_compared *compared)
{
    uint32_t kinds[WASTE_VERSIONS], wanted = ~UINT32_C(0);
    if (compared->request->kind != WASTE_COUNT)
        wanted = UINT32_C(1) << compared->request->kind;
    for (size_t v = 0; v < WASTE_VERSIONS; v++) {
        kinds[v] = waste_version_kinds(&compared->versions[v]);
        if (waste_count(compared->versions[v].waste, WASTE_SOURCE_ROWS) > 0)
            continue;
        report_warn(compared->report,
                    "no memory accesses of the %s: record them with assay record --engine exact --mode waste",
                    version_names[v]);
        return false;
    }
    compared->recorded = kinds[WASTE_OLD] & kinds[WASTE_CURRENT];
    compared->kinds = compared->recorded & wanted;
    for (unsigned w = 0; w < WASTE_COUNT; w++)
        if (((kinds[WASTE_OLD] ^ kinds[WASTE_CURRENT]) & wanted) >> w & 1)
            report_warn(compared->report, "%s: only the %s recorded it; it is left out", trace_waste_name(w),
                        version_names[kinds[WASTE_CURRENT] >> w & 1]);
    if (compared->kinds == 0)
        report_warn(compared->report, "%s", "both versions recorded no kind of waste that was asked for");
    return compared->kinds != 0;
}

/* What can't be compared run by run: amounts that are those of samples or bursts. */
static void waste_check_amounts(struct waste_compared *compared)
{
    for (size_t v = 0; v < WASTE_VERSIONS; v++) {
        const struct waste *waste = compared->versions[v].waste;
        compared->sampled |= waste_is_sampled(waste);
        for (size_t i = 0; i < waste_count(waste, WASTE_RECORDING_ROWS); i++)
            compared->bursts |=
                ((const struct waste_recording *)waste_row(waste, WASTE_RECORDING_ROWS, i))->burst_disable > 0;
    }
    if (compared->sampled || compared->bursts)
        report_warn(compared->report,
                    "%s: bytes and accesses depend on how long that was, so only fractions are compared, and no "
                    "functions, lines or pairs; engine exact or rewrite without bursts counts all",
                    compared->sampled ? "accesses were sampled" : "runs were recorded in bursts");
    if (compared->sampled)
        report_note(compared->report,
                    "lo-hi of sampled kinds is the sampling error: the clock's bias of both versions is assumed alike");
}

/* Warns of recordings that define waste in different ways. */
static void waste_check_definitions(const struct waste_compared *compared)
{
    double tolerance[2] = {INFINITY, -INFINITY};
    size_t lengths[2] = {0}, between[2] = {0};
    for (size_t v = 0; v < WASTE_VERSIONS; v++)
        for (size_t i = 0; i < waste_count(compared->versions[v].waste, WASTE_RECORDING_ROWS); i++) {
            const struct waste_recording *recording = waste_row(compared->versions[v].waste, WASTE_RECORDING_ROWS, i);
            tolerance[0] = fmin(tolerance[0], recording->fp_tolerance);
            tolerance[1] = fmax(tolerance[1], recording->fp_tolerance);
            lengths[recording->array_lengths]++;
            between[recording->between_threads]++;
        }
    if (tolerance[0] < tolerance[1])
        report_warn(compared->report, "the recordings differ in --fp-tolerance, %g %% to %g %%: record both alike",
                    100 * tolerance[0], 100 * tolerance[1]);
    if (lengths[0] > 0 && lengths[1] > 0)
        report_warn(compared->report, "%s", "only some recordings have --array-lengths: record both versions alike");
    if (between[0] > 0 && between[1] > 0)
        report_warn(compared->report, "%s", "only some recordings have --between-threads: record both versions alike");
}

/* Functions and lines add up kinds, which takes runs that recorded all of them. */
static bool waste_check_runs(const struct waste_compared *compared)
{
    for (size_t v = 0; v < WASTE_VERSIONS; v++) {
        const struct waste_group *group = compared->versions[v].group;
        size_t whole = 0;
        for (size_t r = 0; r < group->run_count; r++)
            whole += (group->kinds[r] & compared->kinds) == compared->kinds;
        if (whole == 0) {
            report_warn(compared->report,
                        "no run of the %s recorded all kinds, which functions and lines add up: choose one with "
                        "--kind",
                        version_names[v]);
            return false;
        }
        if (whole < group->run_count)
            report_warn(compared->report, "%zu of %zu runs of the %s did not record all kinds, and are left out",
                        group->run_count - whole, group->run_count, version_names[v]);
    }
    return true;
}

/* CPU times are compared if each run of both profiles has one. */
static void waste_check_times(struct waste_compared *compared)
{
    size_t profiles = 0, timed = 0;
    for (size_t v = 0; v < WASTE_VERSIONS; v++) {
        const struct waste *waste = compared->versions[v].waste;
        size_t known = 0, count = waste_count(waste, WASTE_TIME_ROWS);
        for (size_t i = 0; i < count; i++)
            known += ((const struct waste_time *)waste_row(waste, WASTE_TIME_ROWS, i))->period_ns > 0;
        bool sampled = waste_has_samples(waste);
        profiles += sampled;
        timed += sampled && known == count;
    }
    bool weighted = compared->report->options->selection.weight;
    compared->has_times = timed == WASTE_VERSIONS && !weighted;
    if (profiles == WASTE_VERSIONS && !compared->has_times)
        report_warn(compared->report,
                    weighted ? "--weight: times are not compared, because samples count as something else"
                             : "a profile does not say how much CPU time a sample stands for: times are not compared");
    else if (profiles < WASTE_VERSIONS && compared->request->times)
        report_warn(compared->report, "--hot: there is no CPU profile of %s",
                    profiles == 0 ? "either version" : "one version");
}

/* ------------------------------------------------------------------------------------------ notes -- */

static bool waste_has_note(const json_t *notes, const char *text)
{
    size_t i;
    json_t *note;
    json_array_foreach(notes, i, note) if (strcmp(json_string_value(note), text) == 0) return true;
    return false;
}

/* Adds what one version's recordings need to say; what both say, once. */
static void waste_join_notes(json_t *const notes[WASTE_VERSIONS], json_t *into)
{
    for (enum waste_version v = 0; v < WASTE_VERSIONS; v++) {
        size_t i;
        json_t *note;
        json_array_foreach(notes[v], i, note)
        {
            const char *text = json_string_value(note);
            bool both = waste_has_note(notes[WASTE_VERSIONS - 1 - v], text);
            if (both && v == WASTE_OLD)
                json_array_append(into, note);
            else if (!both)
                json_array_append_new(into, json_sprintf("%s: %s", version_names[v], text));
        }
    }
}

static void waste_note_recordings(const struct waste_compared *compared)
{
    struct report reports[WASTE_VERSIONS];
    for (size_t v = 0; v < WASTE_VERSIONS; v++) {
        const struct waste_version_state *version = &compared->versions[v];
        reports[v] =
            (struct report){.options = compared->report->options, .warnings = json_array(), .notes = json_array()};
        waste_kind_notes(version->group, &version->kinds, &reports[v]);
        waste_notes(version->waste, run_label_name(RUN_LABEL_PROGRAM), &reports[v]);
    }
    waste_join_notes((json_t *const[]){reports[0].notes, reports[1].notes}, compared->report->notes);
    waste_join_notes((json_t *const[]){reports[0].warnings, reports[1].warnings}, compared->report->warnings);
    for (size_t v = 0; v < WASTE_VERSIONS; v++)
        report_free(&reports[v]);
}

/* What the times say, or how they could. */
static void waste_note_speed(const struct waste_compared *compared, bool varies)
{
    const struct waste_change *time = &compared->time;
    const struct ratio *ratio = &time->ratio;
    if (varies && waste_change_is_shown(time) && ratio->ratio > 0 && ratio->low > 0 && isfinite(ratio->high))
        report_note(compared->report,
                    "CPU time: the new version is %.3g times as fast as the baseline [%.3g, %.3g], by %" PRIu64
                    " and %" PRIu64 " runs of the profiles",
                    1 / ratio->ratio, 1 / ratio->high, 1 / ratio->low, time->runs_old, time->runs_new);
    else if (!varies || !waste_change_is_shown(time))
        report_note(compared->report,
                    "CPU time: %" PRIu64 " and %" PRIu64
                    " runs of the profiles show no difference. To learn more, run assay record --runs 15 -o cpu-old -- "
                    "COMMAND with either version, and add its directory: --baseline OLD --baseline cpu-old NEW cpu-new",
                    time->runs_old, time->runs_new);
}

/* A profile says little about runs that hardly have a sample. */
static void waste_note_times(const struct waste_compared *compared)
{
    enum { FEW_SAMPLES = 5 };
    bool varies = true;
    for (size_t v = 0; v < WASTE_VERSIONS; v++) {
        const struct waste_version_state *version = &compared->versions[v];
        double samples = (double)version->samples / (double)version->time_run_count;
        varies &= version->time_run_count > 1;
        if (samples < FEW_SAMPLES)
            report_warn(compared->report,
                        "the CPU profile of the %s has %.1f samples a run: CPU times are rough, and too high if runs "
                        "without any sample have no trace; a longer input gives more",
                        version_names[v], samples);
    }
    report_note(compared->report, "CPU time: samples times their period; time_ratio: new / old%s",
                varies ? ", with Fieller's interval"
                       : "; it has no interval, since a profile has one run, and times differ from run to run");
    waste_note_speed(compared, varies);
}

static void waste_note_commands(const struct waste_compared *compared)
{
    const char *old = waste_label_of_one(compared, RUN_LABEL_COMMAND, WASTE_OLD),
               *new = waste_label_of_one(compared, RUN_LABEL_COMMAND, WASTE_CURRENT);
    if (old && new)
        report_note(compared->report,
                    "the commands differ (%.200s; %.200s): amounts compare only if both do the same work", old, new);
    else if (old || new)
        report_note(compared->report,
                    "only the %s has runs of %.200s: amounts are means over runs, and compare only if both do the same "
                    "work",
                    version_names[old ? WASTE_OLD : WASTE_CURRENT], old ? old : new);
}

static void waste_note_runs(const struct waste_compared *compared)
{
    size_t old = compared->versions[WASTE_OLD].group->run_count,
           new = compared->versions[WASTE_CURRENT].group->run_count;
    if (old > 1 && new > 1)
        return;
    report_note(compared->report,
                "%s%s has one run of accesses, so their amounts have no interval and every difference is listed. "
                "Engines exact and rewrite "
                "count all that a run did: a program that does the same in every run has the same counts. Where it "
                "does not (threads, addresses, times, random numbers), record several runs with assay record --runs",
                old > 1 || new > 1 ? "the " : "",
                old > 1   ? version_names[WASTE_CURRENT]
                : new > 1 ? version_names[WASTE_OLD]
                          : "each version");
}

static void waste_note_matching(const struct waste_compared *compared)
{
    struct report *report = compared->report;
    if (compared->request->view != WASTE_VIEW_FUNCTIONS)
        report_note(report,
                    "moved: lines of one function are aligned in order, by the functions that they call and by equal "
                    "amounts; other lines have the shift of those around them");
    report_note(report,
                "functions are the same if their names are: one that was renamed or inlined is both gone and new");
    if (compared->unaligned > 0)
        report_warn(report, "%zu functions have too many lines to align: there, lines are compared by number",
                    compared->unaligned);
}

static void waste_note_comparison(const struct waste_compared *compared)
{
    struct report *report = compared->report;
    char percent[NUMBER_PERCENT_MAX];
    report_note(report,
                "old, new: means over runs; change: new - old; lo-hi: its %s %% interval by %s; removed: 1 - "
                "new / old",
                number_percent(report->options->confidence, percent),
                report->options->use_z ? "the normal quantile (z)" : "Welch's t");
    waste_note_commands(compared);
    if (compared->has_times)
        waste_note_times(compared);
    else
        report_note(report, "times are compared if both versions include a CPU profile (assay record -o cpu -- "
                            "COMMAND), or by assay compare");
}

/* ------------------------------------------------------------------------------------------ report -- */

static int waste_report_compared(struct waste_compared *compared)
{
    bool amounts = !compared->sampled && !compared->bursts, sums;
    sums = compared->request->view == WASTE_VIEW_FUNCTIONS || compared->request->view == WASTE_VIEW_LINES;
    int error = waste_baseline_lines(compared);
    if (!error)
        error = waste_baseline_totals(compared);
    if (!error && amounts && (!sums || waste_check_runs(compared))) {
        error = waste_baseline_rows(compared);
        if (!error)
            error = waste_baseline_print(compared);
        if (!error)
            waste_note_matching(compared);
    }
    if (!error) {
        waste_note_comparison(compared);
        waste_note_runs(compared);
        waste_note_recordings(compared);
    }
    return error;
}

int waste_report_baseline(const struct waste_request *request, struct waste *old, struct waste *new,
                          struct report *report)
{
    struct waste_compared compared = {.request = request, .report = report};
    int error = waste_version_init(&compared.versions[WASTE_OLD], old, report->options);
    if (!error)
        error = waste_version_init(&compared.versions[WASTE_CURRENT], new, report->options);
    bool comparable = !error && waste_check_kinds(&compared) && waste_check_engines(&compared);
    if (comparable) {
        waste_check_amounts(&compared);
        waste_check_definitions(&compared);
        waste_check_times(&compared);
    }
    if (!error)
        error = waste_baseline_tables(&compared);
    if (!error && comparable)
        error = waste_report_compared(&compared);
    report->no_result = !comparable;
    waste_compared_free(&compared);
    return error;
}

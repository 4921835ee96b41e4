/*
 * Records: event or instance (exact), instance and sample (chosen).
 */
#include "analyze/audit/audit_variance.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/cli/number.h"
#include "analyze/variance/guidance.h"
#include "base/grow.h"
#include "stats/estimates/order.h"

enum side { EXACT, CHOSEN, UNWEIGHTED, SIDES };

/* One program: what its traces of each kind say; NULL: there are none. */
struct subject {
    uint32_t program; /* text; the key */
    struct variance *sides[SIDES];
};

enum { SUBJECTS, AUDIT_VARIANCE_RELATIONS };

static const struct variance_wish weighted, unweighted = {.unweighted = true};
static struct {
    uint64_t least; /* instances that a function needs on either side */
} own = {.least = 30};

enum { KEY_LEAST = 0x100 };

static const struct argp_option options[] = {
    {"exact", 'e', NULL, 0, "documents the command line; changes nothing", 0},
    {"least", KEY_LEAST, "N", 0, "only functions with N instances or more on either side (default: 30)", 0},
    {0}};

static int audit_variance_parse_option(int key, char *arg, void *unused)
{
    (void)unused;
    if (key == KEY_LEAST)
        return number_parse_count(arg, 2, UINT32_MAX, &own.least);
    return key == 'e' ? 0 : ARGP_ERR_UNKNOWN;
}

/* ------------------------------------------------------------------------------------------ state -- */

/* A new side takes what the other one has, which is only freed afterwards: merging and loading alone add these rows. */
static int audit_variance_join_sides(void *object, const void *other)
{
    struct variance **side = object, *more = *(struct variance *const *)other;
    if (!*side && more)
        *side = variance_new(more->wish);
    return !more ? 0 : *side ? variance_merge(*side, more) : ENOMEM;
}

static json_t *audit_variance_save_side(const void *object)
{
    struct variance *side = *(struct variance *const *)object;
    return side ? variance_save(side) : json_null();
}

static int audit_variance_load_side(struct variance **side, const struct variance_wish *wish, const json_t *saved)
{
    if (json_is_null(saved))
        return 0;
    *side = variance_new(wish);
    return *side ? variance_load(*side, saved) : ENOMEM;
}

static int audit_variance_load_weighted(void *object, const json_t *saved)
{
    return audit_variance_load_side(object, &weighted, saved);
}

static int audit_variance_load_unweighted(void *object, const json_t *saved)
{
    return audit_variance_load_side(object, &unweighted, saved);
}

static void audit_variance_free_side(void *object)
{
    struct variance *side = *(struct variance **)object;
    if (side)
        variance_free(side);
}

#define SIDE_CLASS(how)                                                                                                \
    {                                                                                                                  \
        .bytes = sizeof(struct variance *), .join = audit_variance_join_sides, .save = audit_variance_save_side,       \
        .load = (how), .free = audit_variance_free_side                                                                \
    }
static const struct field_class weighted_class = SIDE_CLASS(audit_variance_load_weighted);
static const struct field_class unweighted_class = SIDE_CLASS(audit_variance_load_unweighted);

static const struct field subject_fields[] = {FIELD(subject, program, FIELD_TEXT, JOIN_KEY),
                                              FIELD_OBJECT_OF(subject, sides[EXACT], &weighted_class),
                                              FIELD_OBJECT_OF(subject, sides[CHOSEN], &weighted_class),
                                              FIELD_OBJECT_OF(subject, sides[UNWEIGHTED], &unweighted_class)};

/* Chosen calls are read twice: with and without their weights. */
static bool audit_variance_is_valid(const void *row)
{
    const struct subject *subject = row;
    return !subject->sides[CHOSEN] == !subject->sides[UNWEIGHTED];
}

static const struct relation audit_variance_relations[AUDIT_VARIANCE_RELATIONS] = {
    [SUBJECTS] = {"programs", sizeof(struct subject), sizeof(uint32_t), RELATION_FIELDS(subject_fields),
                  .valid = audit_variance_is_valid}};

static struct subject *audit_variance_subject(const struct relations *relations, size_t i)
{
    return relations_at(relations, SUBJECTS, i);
}

static int audit_variance_feed_side(struct subject *subject, enum side side, const struct analysis_trace *trace,
                                    const struct trace_batch *batch)
{
    struct variance *variance = subject->sides[side];
    if (!variance)
        variance = subject->sides[side] = variance_new(side == UNWEIGHTED ? &unweighted : &weighted);
    return variance ? variance_feed(variance, trace, batch) : ENOMEM;
}

static int audit_variance_feed(void *user, const struct analysis_trace *trace, const struct trace_batch *batch)
{
    const json_t *metadata = trace_metadata(trace->trace);
    const char *mode = json_string_value(json_object_get(metadata, "mode"));
    const char *exe = json_string_value(json_object_get(metadata, "exe")), *slash = exe ? strrchr(exe, '/') : NULL;
    bool every = variance_has_every_call(trace), chosen = mode && strcmp(mode, "calls") == 0 && !every;
    struct subject row = {.program = relations_text(user, slash ? slash + 1 : exe ? exe : "")};
    uint32_t number = row.program == FIELD_NONE ? FIELD_NONE : relations_row(user, SUBJECTS, &row);
    if (number == FIELD_NONE)
        return ENOMEM;
    struct subject *subject = audit_variance_subject(user, number);
    if (!chosen)
        return batch->kind == (every ? TRACE_INSTANCE : TRACE_EVENT)
                   ? audit_variance_feed_side(subject, EXACT, trace, batch)
                   : 0;
    int error = audit_variance_feed_side(subject, CHOSEN, trace, batch);
    return error ? error : audit_variance_feed_side(subject, UNWEIGHTED, trace, batch);
}

static int audit_variance_finalize(void *user, const struct analysis_trace *trace)
{
    int error = 0;
    for (size_t i = 0; i < relations_count(user, SUBJECTS); i++)
        for (size_t side = 0; side < SIDES && !error; side++) {
            struct variance *variance = audit_variance_subject(user, i)->sides[side];
            error = variance ? variance_finalize(variance, trace) : 0;
        }
    return error;
}

/* ------------------------------------------------------------------------------------------ rows -- */

struct chosen_row {
    const char *program, *function, *metric, *guidance_exact, *guidance;
    struct variance_estimate exact, chosen;
    double error_points, cv_unweighted;
    uint64_t good, covered;
};

static const struct column chosen_columns[] = {
    COLUMN(chosen_row, "program", TABLE_TEXT, program, "The program: the name of its executable file."),
    COLUMN(chosen_row, "function", TABLE_TEXT, function, "The function."),
    COLUMN(chosen_row, "metric", TABLE_TEXT, metric,
           "The metric. \"A : B\" means that metric A of the exact runs is compared with B of the others."),
    COLUMN(chosen_row, "n_exact", TABLE_COUNT, exact.n, "The number of instances in the exact runs."),
    COLUMN(chosen_row, "n", TABLE_COUNT, chosen.n, "The number of chosen instances in the other runs."),
    COLUMN(chosen_row, "mean_exact", TABLE_REAL, exact.mean, "The mean of the instances of the exact runs."),
    COLUMN(chosen_row, "mean", TABLE_REAL, chosen.mean, "The mean that the chosen instances yield."),
    COLUMN(chosen_row, "cv_exact", TABLE_SHARE, exact.within.value,
           "The coefficient of variation within threads in the exact runs, as a number, or in percent in the formats "
           "for readers."),
    COLUMN(chosen_row, "cv", TABLE_SHARE, chosen.within.value,
           "The coefficient of variation within threads that the chosen instances yield."),
    COLUMN(chosen_row, "lo", TABLE_SHARE, chosen.within.low, "The lower end of the interval of cv."),
    COLUMN(chosen_row, "hi", TABLE_SHARE, chosen.within.high, "The upper end of this interval."),
    COLUMN(chosen_row, "error_points", TABLE_REAL, error_points, "cv minus cv_exact, in percentage points."),
    COLUMN(chosen_row, "good", TABLE_COUNT, good,
           "1 if the error is within 2 points or 10 % of the exact value, otherwise 0."),
    COLUMN(chosen_row, "covered", TABLE_COUNT, covered, "1 if the interval contains the exact value, otherwise 0."),
    COLUMN(chosen_row, "cv_unweighted", TABLE_SHARE, cv_unweighted,
           "The coefficient without weights, as if a clock in time found each call as often as any other."),
    COLUMN(chosen_row, "share", TABLE_SHARE, exact.share.value,
           "The function's share of the time of the exact runs, with all that it calls."),
    COLUMN(chosen_row, "guidance_exact", TABLE_TEXT, guidance_exact, "The guidance of the exact runs."),
    COLUMN(chosen_row, "guidance", TABLE_TEXT, guidance, "The guidance of the others.")};
static const struct columns chosen_table =
    COLUMNS("assay audit variance: one row for each program, function and metric", chosen_columns);

struct summary {
    double *errors; /* of CoV, absolute */
    size_t count, good, unweighted_good, covered, same_guidance, capacity;
    bool stands_in; /* a metric is compared with another one */
};

/* A function of a program: its cells on each side. */
struct function {
    const struct subject *subject;
    const char *program, *name;
    uint32_t *cells[SIDES];
    size_t counts[SIDES];
};

static bool audit_variance_is_good(double cov, double exact)
{
    return fabs(cov - exact) <= fmax(AUDIT_POINTS, AUDIT_SHARE * exact);
}

/* A row for a metric of the exact runs, and the metric of the chosen runs that is compared with it. */
static int audit_variance_add_row(struct report *report, const struct function *function, const char *metric,
                                  const char *chosen_metric, struct summary *summary)
{
    static const struct variance_thresholds thresholds = {.share = 0.1, .within = 0.2, .between = 0.1};
    const char *basis = variance_basis(function->subject->sides[EXACT]);
    struct variance_estimate estimates[SIDES];
    bool same = strcmp(metric, chosen_metric) == 0;
    char metrics[256];
    for (size_t side = 0; side < SIDES; side++)
        variance_estimate(function->subject->sides[side], function->cells[side], function->counts[side],
                          side == EXACT ? metric : chosen_metric, basis, report->options, &estimates[side]);
    const struct variance_estimate *exact = &estimates[EXACT], *chosen = &estimates[CHOSEN];
    double truth = exact->within.value, cv = chosen->within.value, unweighted_cv = estimates[UNWEIGHTED].within.value;
    if (exact->n < own.least || chosen->n < own.least || isnan(truth) || isnan(cv))
        return 0;
    enum variance_guidance wanted = guidance_of(exact, &thresholds), found = guidance_of(chosen, &thresholds);
    snprintf(metrics, sizeof metrics, "%.100s%s%.100s", metric, same ? "" : " : ", same ? "" : chosen_metric);
    const struct chosen_row row = {.program = function->program,
                                   .function = function->name,
                                   .metric = metrics,
                                   .exact = *exact,
                                   .chosen = *chosen,
                                   .error_points = 100 * (cv - truth),
                                   .good = audit_variance_is_good(cv, truth),
                                   .covered = chosen->within.low <= truth && truth <= chosen->within.high,
                                   .cv_unweighted = unweighted_cv,
                                   .guidance_exact = guidance_name(wanted),
                                   .guidance = guidance_name(found)};
    report_row(report, &row);
    double *grown = grow_unset(summary->errors, &summary->capacity, summary->count, sizeof *grown);
    if (!grown)
        return ENOMEM;
    summary->errors = grown;
    grown[summary->count++] = fabs(cv - truth);
    summary->good += row.good;
    summary->unweighted_good += audit_variance_is_good(unweighted_cv, truth);
    summary->covered += row.covered;
    summary->same_guidance += wanted == found || found == GUIDANCE_UNCLEAR;
    return 0;
}

/* The metric of the chosen runs that is compared with one of the exact runs, which is the same; NULL: there is none. A
 * simulated processor has no time of its own: its instructions are compared with those of the real one, or with CPU
 * time. */
static const char *audit_variance_chosen_metric(const struct variance *chosen, const char *metric)
{
    static const char *const stand_ins[] = {"instructions", "instructions:u", "thread-cpu-ns"};
    const struct variance_run *run = variance_run_at(chosen, 0);
    if (variance_metric(chosen, run, metric) >= 0)
        return metric;
    if (strcmp(metric, "simulated-instructions") == 0)
        for (size_t i = 0; i < sizeof stand_ins / sizeof *stand_ins; i++)
            if (variance_metric(chosen, run, stand_ins[i]) >= 0)
                return stand_ins[i];
    return NULL;
}

/* Every metric of the exact runs that the others can be compared in. */
static int audit_variance_add_function(struct report *report, struct function function, struct summary *summary)
{
    const struct subject *subject = function.subject;
    int error = 0;
    for (size_t side = 0; side < SIDES && !error; side++) {
        const struct variance *variance = subject->sides[side];
        size_t cell_count = variance_cell_count(variance);
        uint32_t *cells = function.cells[side] = calloc(cell_count + 1, sizeof *cells);
        error = cells ? 0 : ENOMEM;
        for (uint32_t i = 0; cells && i < cell_count; i++) {
            const struct variance_node *node = variance_node_at(variance, variance_cell_at(variance, i)->node);
            if (strcmp(variance_text(variance, node->function), function.name) == 0)
                cells[function.counts[side]++] = i;
        }
    }
    const struct variance *exact = subject->sides[EXACT];
    const struct variance_run *run = variance_run_at(exact, 0);
    for (size_t m = 0; m < variance_metric_count(run) && !error; m++) {
        const char *metric = variance_text(exact, run->metrics[m]);
        const char *chosen_metric = audit_variance_chosen_metric(subject->sides[CHOSEN], metric);
        summary->stands_in |= chosen_metric && strcmp(metric, chosen_metric) != 0;
        if (chosen_metric)
            error = audit_variance_add_row(report, &function, metric, chosen_metric, summary);
    }
    for (size_t side = 0; side < SIDES; side++)
        free(function.cells[side]);
    return error;
}

static int audit_variance_compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The functions that the exact runs have, by name. */
static int audit_variance_add_subject(struct report *report, const struct relations *relations,
                                      const struct subject *subject, struct summary *summary)
{
    struct function function = {.subject = subject, .program = relations_text_at(relations, subject->program)};
    const struct variance *exact = subject->sides[EXACT];
    size_t count = variance_node_count(exact);
    const char **names = calloc(count + 1, sizeof *names);
    if (!names)
        return ENOMEM;
    for (size_t i = 0; i < count; i++)
        names[i] = variance_text(exact, variance_node_at(exact, i)->function);
    qsort(names, count, sizeof *names, audit_variance_compare_texts);
    int error = 0;
    for (size_t i = 0; i < count && !error; i++) {
        function.name = names[i];
        if (i == 0 || strcmp(names[i], names[i - 1]) != 0)
            error = audit_variance_add_function(report, function, summary);
    }
    free(names);
    return error;
}

static int audit_variance_compare_subjects(const void *a, const void *b, void *relations)
{
    return strcmp(relations_text_at(relations, ((const struct subject *)a)->program),
                  relations_text_at(relations, ((const struct subject *)b)->program));
}

static void audit_variance_add_notes(const struct relations *relations, const struct summary *summary,
                                     struct report *report)
{
    double median;
    size_t unmatched = 0;
    for (size_t i = 0; i < relations_count(relations, SUBJECTS); i++) {
        const struct subject *subject = audit_variance_subject(relations, i);
        unmatched += !subject->sides[EXACT] || !subject->sides[CHOSEN];
    }
    report->no_result = summary->count == 0;
    if (report->no_result)
        report_warn(
            report,
            "no function has %llu instances and a common metric both in exact runs (mode methods, or mode calls "
            "with engine exact) and in runs of mode calls that chose them",
            (unsigned long long)own.least);
    if (unmatched > 0)
        report_warn(report, "%zu program%s recorded in one way only and left out", unmatched,
                    unmatched == 1 ? " was" : "s were");
    if (summary->count == 0)
        return;
    order_sort(summary->errors, summary->count);
    if (order_quantile(summary->errors, summary->count, 0.5, &median) == STATS_OK)
        report_note(report,
                    "error of cv: median %.2f, largest %.2f points; %zu of %zu within %.0f points or %.0f %% of it "
                    "(unweighted %zu); %zu intervals contain the exact value; guidance differs in %zu",
                    100 * median, 100 * summary->errors[summary->count - 1], summary->good, summary->count,
                    100 * AUDIT_POINTS, 100 * AUDIT_SHARE, summary->unweighted_good, summary->covered,
                    summary->count - summary->same_guidance);
    report_note(report, "exact: every call, by mode methods or engine exact; the others: chosen ones, by mode calls; "
                        "cv_unweighted: as if a clock in time had found each call as often as any other");
    if (summary->stands_in)
        report_note(report,
                    "A : B: metric A of the exact runs is compared with B of the others, whose cv is the same if "
                    "the program executes instructions at a constant rate");
}

static int audit_variance_report(void *user, struct report *report)
{
    struct relations *relations = user;
    size_t count = relations_count(relations, SUBJECTS);
    struct summary summary = {0};
    int error = report_tables(report, &chosen_table, 0);
    if (count > 0)
        qsort_r(audit_variance_subject(relations, 0), count, sizeof(struct subject), audit_variance_compare_subjects,
                relations);
    for (size_t i = 0; i < count && !error; i++) {
        const struct subject *subject = audit_variance_subject(relations, i);
        if (subject->sides[EXACT] && subject->sides[CHOSEN])
            error = audit_variance_add_subject(report, relations, subject, &summary);
    }
    if (!error)
        audit_variance_add_notes(relations, &summary, report);
    free(summary.errors);
    return error;
}

const struct analyzer audit_variance_analyzer = {
    .name = "audit",
    .subject = "variance",
    .doc = "How far are chosen calls from the truth? The variation of calls that were chosen at random, compared with "
           "that of every call of the same program.\v"
           "Examples:\n"
           "  gcc -fpatchable-function-entry=5 -o prog prog.c\n"
           "  assay record --mode methods --max-cost 100% -o exact -- ./prog\n"
           "  assay record --mode calls --runs 5 -o sampled -- ./prog\n"
           "  assay audit variance --exact exact/*.trace sampled/*.trace\n"
           "  assay record -m calls -E exact --functions 'f,g' -o exact -- ./prog\n",
    .options = options,
    .parse = audit_variance_parse_option,
    .inputs = variance_inputs,
    .tables = &chosen_table,
    .table_count = 1,
    .whole_streams = true,
    .relations = audit_variance_relations,
    .relation_count = AUDIT_VARIANCE_RELATIONS,
    .state_bytes = sizeof(struct relations),
    .feed = audit_variance_feed,
    .finalize = audit_variance_finalize,
    .report = audit_variance_report,
};

/* The rows of assay waste --baseline as texts and numbers. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/waste/baseline/waste_baseline.h"
#include "analyze/waste/tables/waste_columns.h"

static const char *const quantities[QUANTITIES] = {
    [QUANTITY_BYTES] = "bytes",         [QUANTITY_ACCESSES] = "accesses",
    [QUANTITY_FRACTION] = "fraction",   [QUANTITY_PAIR_FRACTION] = "pair_fraction",
    [QUANTITY_WASTED] = "wasted_bytes", [QUANTITY_SECONDS] = "seconds",
};

int waste_baseline_tables(struct waste_compared *compared)
{
    enum waste_view view = compared->request->view;
    bool by_kind = view != WASTE_VIEW_FUNCTIONS && view != WASTE_VIEW_LINES;
    unsigned given = 0;
    given |= view == WASTE_VIEW_PAIRS ? BASELINE_WITH_PAIRS : 0;
    given |= by_kind ? BASELINE_WITH_KINDS : 0;
    given |= compared->has_times ? BASELINE_WITH_TIMES : 0;
    return report_tables(compared->report, &waste_tables[WASTE_BASELINE_TABLE], given);
}

/* ------------------------------------------------------------------------------------------ amounts -- */

/* The unit that numbers up to this size are given in, for readers. */
struct amount_unit {
    double size;
    const char *name;
};

static struct amount_unit waste_amount_unit(enum waste_quantity quantity, double most)
{
    static const struct amount_unit bytes[] = {{1e12, " TB"}, {1e9, " GB"}, {1e6, " MB"}, {1e3, " kB"}, {1, " B"}},
                                    counts[] = {{1e12, "e12"}, {1e9, "e9"}, {1e6, "e6"}, {1, ""}},
                                    times[] = {{1, " s"}, {1e-3, " ms"}, {1e-6, " us"}, {1e-9, " ns"}},
                                    shares[] = {{.01, " %"}};
    const struct {
        const struct amount_unit *units;
        size_t count;
    } lists[QUANTITIES] = {
        [QUANTITY_BYTES] = {bytes, 5},          [QUANTITY_ACCESSES] = {counts, 4}, [QUANTITY_FRACTION] = {shares, 1},
        [QUANTITY_PAIR_FRACTION] = {shares, 1}, [QUANTITY_WASTED] = {bytes, 5},    [QUANTITY_SECONDS] = {times, 4}};
    size_t unit = 0;
    while (unit + 1 < lists[quantity].count && most < lists[quantity].units[unit].size)
        unit++;
    return lists[quantity].units[unit];
}

/* "12.3 MB"; "" for NaN. Whole numbers without a prefix stay whole. */
static void waste_amount_text(double value, enum waste_quantity quantity, const char *sign, char text[WASTE_AMOUNT_MAX])
{
    const struct amount_unit unit = waste_amount_unit(quantity, fabs(value));
    double scaled = fabs(value) / unit.size;
    bool whole = unit.size == 1 && scaled == floor(scaled);
    int digits = whole || scaled >= 100 ? 0 : scaled >= 10 ? 1 : 2;
    digits = quantity == QUANTITY_FRACTION || quantity == QUANTITY_PAIR_FRACTION ? 2 : digits;
    if (isnan(value))
        *text = '\0';
    else
        snprintf(text, WASTE_AMOUNT_MAX, "%s%.*f%s", sign, digits, scaled, unit.name);
}

static const char *waste_sign(double value)
{
    return value < 0 ? "-" : value > 0 ? "+" : "";
}

static void waste_set_amounts(struct waste_baseline_row *row, enum waste_quantity quantity,
                              const struct waste_change *change)
{
    char low[WASTE_AMOUNT_MAX], high[WASTE_AMOUNT_MAX];
    bool share = quantity == QUANTITY_FRACTION || quantity == QUANTITY_PAIR_FRACTION;
    row->old = change->old;
    row->new = change->new;
    row->change = change->change;
    row->low = change->low;
    row->high = change->high;
    row->runs_old = change->runs_old;
    row->runs_new = change->runs_new;
    row->removed = share ? NAN : 1 - change->ratio.ratio;
    row->removed_low = share ? NAN : 1 - change->ratio.high;
    row->removed_high = share ? NAN : 1 - change->ratio.low;
    waste_amount_text(row->old, quantity, "", row->old_text);
    waste_amount_text(row->new, quantity, "", row->new_text);
    waste_amount_text(row->change, quantity, waste_sign(row->change), row->change_text);
    waste_amount_text(row->low, quantity, waste_sign(row->low), low);
    waste_amount_text(row->high, quantity, waste_sign(row->high), high);
    snprintf(row->interval_text, sizeof row->interval_text, "%s to %s", low, high);
    row->old_shown = *row->old_text ? row->old_text : NULL;
    row->new_shown = *row->new_text ? row->new_text : NULL;
    row->change_shown = *row->change_text ? row->change_text : NULL;
    row->interval_shown = isnan(row->low) ? NULL : row->interval_text;
}

static struct waste_baseline_row waste_blank_row(void)
{
    return (struct waste_baseline_row){.time_old = NAN, .time_new = NAN, .time_ratio = {NAN, NAN, NAN}};
}

void waste_baseline_add_total(struct waste_compared *compared, const char *name, enum waste_quantity quantity,
                              const struct waste_change *change)
{
    static const char *const remarks[QUANTITIES] = {[QUANTITY_BYTES] = "",
                                                    [QUANTITY_ACCESSES] = ", in pairs",
                                                    [QUANTITY_FRACTION] = ", fraction",
                                                    [QUANTITY_PAIR_FRACTION] = ", pair_fraction",
                                                    [QUANTITY_WASTED] = ", wasted",
                                                    [QUANTITY_SECONDS] = ""};
    struct waste_baseline_row row = waste_blank_row();
    row.level = "total";
    row.status = waste_status_names[waste_change_status(change)];
    row.quantity = quantities[quantity];
    row.name = name;
    row.name_shown = row.brief_name;
    row.kind = trace_waste_named(name) < WASTE_COUNT ? name : NULL;
    snprintf(row.brief_name, sizeof row.brief_name, "%s%s", name, remarks[quantity]);
    waste_set_amounts(&row, quantity, change);
    if (quantity == QUANTITY_SECONDS)
        row.time_ratio = (struct column_estimate){change->ratio.ratio, change->ratio.low, change->ratio.high};
    report_row(compared->report, &row);
}

/* ------------------------------------------------------------------------------------------ rows -- */

/* The names of a row in one version; they are to be freed if `owned`. */
struct row_names {
    char *name, *second, *scope, *object;
    char brief[WASTE_BRIEF_MAX], brief_second[WASTE_BRIEF_MAX];
};

static void row_names_free(struct row_names *names)
{
    free(names->name);
    free(names->second);
    free(names->scope);
    free(names->object);
}

static int row_names_of_line(const struct waste_compared *compared, const struct waste_line *line,
                             struct row_names *names)
{
    bool lines = compared->request->view == WASTE_VIEW_LINES;
    names->name = strdup(compared->texts.texts[lines ? line->text : line->function]);
    if (names->name)
        waste_brief_frame(names->name, names->brief, sizeof names->brief);
    return names->name ? 0 : ENOMEM;
}

/* 0 or ENOMEM; to be freed in either case. */
static int row_names_init(const struct waste_compared *compared, const struct waste_compared_row *row,
                          enum waste_version v, struct row_names *names)
{
    const struct waste_version_state *version = &compared->versions[v];
    enum waste_view view = compared->request->view;
    *names = (struct row_names){0};
    if (view == WASTE_VIEW_FUNCTIONS || view == WASTE_VIEW_LINES)
        return row_names_of_line(compared, keyed_at(&version->lines, row->item[v]), names);
    const struct waste_location *location = keyed_at(&compared->locations[v].rows, row->item[v]);
    const struct waste_object *object = waste_row(version->waste, WASTE_OBJECT_ROWS, location->object);
    bool pairs = view == WASTE_VIEW_PAIRS;
    uint32_t node = pairs ? location->first : view == WASTE_VIEW_SCOPES ? location->scope : object->node;
    bool no_loop = view == WASTE_VIEW_SCOPES && node == 0;
    names->name = no_loop ? strdup("") : waste_chain(version->waste, node);
    names->second = pairs ? waste_chain(version->waste, location->second) : NULL;
    names->scope = pairs && location->scope ? waste_chain(version->waste, location->scope) : NULL;
    names->object = pairs && location->object ? waste_chain(version->waste, object->node) : NULL;
    waste_brief(version->waste, node, names->brief);
    if (no_loop)
        strcpy(names->brief, "(not within a loop)");
    if (pairs)
        waste_brief(version->waste, location->second, names->brief_second);
    bool full = !names->name || (pairs && !names->second) || (pairs && location->scope && !names->scope) ||
                (pairs && location->object && !names->object);
    return full ? ENOMEM : 0;
}

/* "f:34 (30 before)": the old line's number. */
static void waste_set_brief_name(const struct waste_compared *compared, const struct row_names *shown,
                                 const struct row_names *old, struct waste_baseline_row *row)
{
    uint64_t position, reach;
    bool line = row->old_name && compared->request->view == WASTE_VIEW_LINES;
    size_t length = line ? waste_frame_split(old->name, &position, &reach) : 0;
    bool numbered = line && old->name[length];
    snprintf(row->brief_name, sizeof row->brief_name, "%s%s%s%s", shown->brief, numbered ? " (was " : "",
             numbered ? old->name + length + 1 : "", numbered ? ")" : "");
    row->name_shown = row->brief_name;
}

static void waste_set_times(const struct waste_compared *compared, const struct waste_compared_row *from,
                            struct waste_baseline_row *row)
{
    const struct waste_version_state *old = &compared->versions[WASTE_OLD], *new = &compared->versions[WASTE_CURRENT];
    const struct analysis_options *options = compared->report->options;
    size_t n = old->time_run_count, m = new->time_run_count;
    double *none = calloc(n + m + 1, sizeof *none);
    const double *before = from->times[WASTE_OLD] ? from->times[WASTE_OLD] : none,
                 *after = from->times[WASTE_CURRENT] ? from->times[WASTE_CURRENT] : none;
    struct waste_change change;
    if (before && after) {
        waste_change_of_runs(before, n, after, m, options, &change);
        waste_change_add_ratio(before, n, after, m, options->confidence, &change);
        row->time_old = change.old / 1e9;
        row->time_new = change.new / 1e9;
        row->time_ratio = (struct column_estimate){change.ratio.ratio, change.ratio.low, change.ratio.high};
    }
    free(none);
}

/* With the interval of the ratio, which takes time. */
static void waste_set_row_amounts(const struct waste_compared *compared, const struct waste_compared_row *from,
                                  struct waste_baseline_row *row)
{
    const struct waste_version_state *old = &compared->versions[WASTE_OLD], *new = &compared->versions[WASTE_CURRENT];
    uint32_t kinds = from->key[0] == WASTE_COUNT ? compared->kinds : UINT32_C(1) << from->key[0];
    struct waste_change change = from->change;
    double *values = calloc(old->group->run_count + new->group->run_count + 1, sizeof *values);
    if (values) {
        size_t n = waste_baseline_values(old, kinds, from->amounts[WASTE_OLD], values),
               m = waste_baseline_values(new, kinds, from->amounts[WASTE_CURRENT], values + n);
        waste_change_add_ratio(values, n, values + n, m, compared->report->options->confidence, &change);
    }
    free(values);
    waste_set_amounts(row, QUANTITY_WASTED, &change);
}

static int waste_print_row(struct waste_compared *compared, const struct waste_compared_row *from)
{
    static const char *const levels[WASTE_VIEWS] = {[WASTE_VIEW_PAIRS] = "pair",
                                                    [WASTE_VIEW_OBJECTS] = "object",
                                                    [WASTE_VIEW_SCOPES] = "scope",
                                                    [WASTE_VIEW_FUNCTIONS] = "function",
                                                    [WASTE_VIEW_LINES] = "line"};
    struct row_names names[WASTE_VERSIONS] = {0};
    int error = 0;
    for (enum waste_version v = 0; !error && v < WASTE_VERSIONS; v++)
        error = from->item[v] == FIELD_NONE ? 0 : row_names_init(compared, from, v, &names[v]);
    if (!error) {
        const struct row_names *old = &names[WASTE_OLD], *new = &names[WASTE_CURRENT], *shown = new->name ? new : old;
        struct waste_baseline_row row = waste_blank_row();
        row.level = levels[compared->request->view];
        row.status = waste_status_names[from->status];
        row.kind = from->key[0] == WASTE_COUNT ? NULL : trace_waste_name(from->key[0]);
        row.quantity = quantities[QUANTITY_WASTED];
        row.name = shown->name;
        row.second = shown->second;
        row.second_shown = shown->brief_second;
        row.scope = shown->scope;
        row.object = shown->object;
        row.old_name = old->name && strcmp(old->name, shown->name) != 0 ? old->name : NULL;
        row.old_second = old->second && strcmp(old->second, shown->second) != 0 ? old->second : NULL;
        waste_set_brief_name(compared, shown, old, &row);
        waste_set_row_amounts(compared, from, &row);
        if (compared->has_times && from->key[0] == WASTE_COUNT)
            waste_set_times(compared, from, &row);
        report_row(compared->report, &row);
    }
    row_names_free(&names[WASTE_OLD]);
    row_names_free(&names[WASTE_CURRENT]);
    return error;
}

/* ------------------------------------------------------------------------------------------ all of them -- */

static const char *waste_baseline_option(const struct waste_compared *compared)
{
    static const char *const options[WASTE_VIEWS] = {[WASTE_VIEW_PAIRS] = "pairs",
                                                     [WASTE_VIEW_OBJECTS] = "objects",
                                                     [WASTE_VIEW_SCOPES] = "scopes",
                                                     [WASTE_VIEW_FUNCTIONS] = "functions",
                                                     [WASTE_VIEW_LINES] = "lines"};
    return options[compared->request->view];
}

int waste_baseline_print(struct waste_compared *compared)
{
    uint64_t top = compared->request->tops[compared->request->view];
    size_t shown = 0, equal = 0, uncertain = 0, moved = 0, rest = 0;
    int error = 0;
    for (size_t i = 0; !error && i < compared->rows.count; i++) {
        const struct waste_compared_row *row = keyed_at(&compared->rows, i);
        if (waste_status_is_quiet(row->status) && compared->report->options->human_readable) {
            equal += row->change.change == 0;
            uncertain += row->change.change != 0;
        } else if (top > 0 && shown >= top) {
            moved += row->status == WASTE_MOVED;
            rest += row->status != WASTE_MOVED;
        } else {
            error = waste_print_row(compared, row);
            shown++;
        }
    }
    struct report *report = compared->report;
    const char *what = waste_baseline_option(compared);
    size_t all = compared->rows.count;
    if (equal > 0)
        report_note(report, "not shown: %zu of %zu %s with the same amount in both versions", equal, all, what);
    if (uncertain > 0)
        report_note(report, "not shown: %zu of %zu %s whose change is within its interval (--format csv has all)",
                    uncertain, all, what);
    if (moved > 0)
        report_note(report, "not shown: %zu of %zu %s that only moved (--%s 0 shows all)", moved, all, what, what);
    if (rest > 0)
        report_note(report, "not shown: %zu of %zu %s that changed less (--%s 0 shows all)", rest, all, what, what);
    return error;
}

/* The rows of functions, lines, pairs, loops or objects: what each run of both versions wasted there. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/waste/baseline/waste_baseline.h"

enum { ALL_KINDS = WASTE_COUNT };

size_t waste_baseline_values(const struct waste_version_state *version, uint32_t kinds, const double *amounts,
                             double *values)
{
    size_t count = 0;
    for (size_t r = 0; r < version->group->run_count; r++)
        if ((version->group->kinds[r] & kinds) == kinds)
            values[count++] = amounts ? amounts[r] : 0;
    return count;
}

/* The row with this key; NULL without memory. */
static struct waste_compared_row *waste_row_add(struct waste_compared *compared, struct waste_compared_row key,
                                                enum waste_version v, uint32_t item)
{
    const struct waste_version_state *version = &compared->versions[v];
    key.item[WASTE_OLD] = key.item[WASTE_CURRENT] = FIELD_NONE;
    uint32_t index = keyed_add(&compared->rows, &key);
    struct waste_compared_row *row = index == KEYED_FULL ? NULL : keyed_at(&compared->rows, index);
    if (!row)
        return NULL;
    row->item[v] = row->item[v] == FIELD_NONE ? item : row->item[v];
    if (!row->amounts[v])
        row->amounts[v] = calloc(version->group->run_count + 1, sizeof **row->amounts);
    if (!row->times[v])
        row->times[v] = calloc(version->time_run_count + 1, sizeof **row->times);
    return row->amounts[v] && row->times[v] ? row : NULL;
}

/* ------------------------------------------------------------------------------------------ functions and lines -- */

/* By line, a store that is both dead and silent counts once; no load is both silent and adjacent. */
static double waste_line_wasted(const struct waste_compared *compared, const double *amounts)
{
    double of[WASTE_COUNT];
    for (unsigned w = 0; w < WASTE_COUNT; w++)
        of[w] = compared->kinds >> w & 1 ? amounts[LINE_WASTED + w] : 0;
    return fmax(of[WASTE_DEAD_STORE], of[WASTE_SILENT_STORE]) +
           fmax(of[WASTE_SILENT_LOAD] + of[WASTE_ADJACENT_LOAD], of[WASTE_SPATIAL_LOAD]);
}

static struct waste_compared_row waste_row_of_line(const struct waste_compared *compared, const struct waste_line *line)
{
    bool lines = compared->request->view == WASTE_VIEW_LINES;
    return (struct waste_compared_row){.key = {ALL_KINDS, lines ? line->number : line->function}};
}

static int waste_rows_of_lines(struct waste_compared *compared, enum waste_version v)
{
    const struct waste_version_state *version = &compared->versions[v];
    size_t runs = version->group->run_count;
    for (uint32_t l = 0; l < version->lines.count; l++) {
        const double *amounts = version->amounts + l * runs * LINE_AMOUNTS;
        bool any = false;
        for (size_t r = 0; r < runs; r++)
            any |= waste_line_wasted(compared, amounts + r * LINE_AMOUNTS) > 0;
        struct waste_compared_row key = waste_row_of_line(compared, keyed_at(&version->lines, l)), *row = &key;
        if (any)
            row = waste_row_add(compared, key, v, l);
        if (!row)
            return ENOMEM;
        for (size_t r = 0; any && r < runs; r++)
            row->amounts[v][r] += waste_line_wasted(compared, amounts + r * LINE_AMOUNTS);
    }
    return 0;
}

/* Adds CPU times to the rows that there are, and names the version's line also where it wastes nothing. 0 or ENOMEM. */
static int waste_rows_add_times(struct waste_compared *compared, enum waste_version v)
{
    const struct waste_version_state *version = &compared->versions[v];
    size_t runs = version->time_run_count;
    for (uint32_t l = 0; l < version->lines.count; l++) {
        struct waste_compared_row key = waste_row_of_line(compared, keyed_at(&version->lines, l));
        if (keyed_find(&compared->rows, &key) == KEYED_FULL)
            continue;
        struct waste_compared_row *row = waste_row_add(compared, key, v, l);
        if (!row)
            return ENOMEM;
        for (size_t t = 0; t < runs; t++)
            row->times[v][t] += version->times[l * runs + t];
    }
    return 0;
}

/* ------------------------------------------------------------------------------------------ locations -- */

/* An object's number in both versions: its node's context, and its kind where a line's number would be. 0: none;
 * FIELD_NONE without memory. */
static uint32_t waste_number_object(struct waste_compared *compared, const struct waste_version_state *version,
                                    uint32_t object)
{
    const struct waste_object *row = waste_row(version->waste, WASTE_OBJECT_ROWS, object);
    if (object == 0)
        return 0;
    const uint32_t key[2] = {version->context_of[row->node], FIELD_NONE - 1 - row->kind};
    uint32_t index = keyed_add(&compared->contexts, key);
    return index == KEYED_FULL ? FIELD_NONE : index + 1;
}

static int waste_rows_of_locations(struct waste_compared *compared, enum waste_version v)
{
    struct waste_version_state *version = &compared->versions[v];
    const struct waste_wish wish = {.granularity = (enum waste_granularity)compared->request->view,
                                    .kind = compared->request->kind};
    struct waste_locations *locations = &compared->locations[v];
    int error =
        waste_locations(version->waste, version->group, &version->kinds, &wish, compared->report->options, locations);
    for (uint32_t i = 0; !error && i < locations->rows.count; i++) {
        const struct waste_location *location = keyed_at(&locations->rows, i);
        if (location->wasted_bytes == 0 || !(compared->kinds >> location->waste & 1))
            continue;
        uint32_t object = waste_number_object(compared, version, location->object);
        const struct waste_compared_row key = {.key = {location->waste, version->context_of[location->first],
                                                       version->context_of[location->second],
                                                       version->context_of[location->scope], object}};
        struct waste_compared_row *row = object == FIELD_NONE ? NULL : waste_row_add(compared, key, v, i);
        error = row ? 0 : ENOMEM;
        for (size_t r = 0; row && r < version->group->run_count; r++)
            row->amounts[v][r] +=
                (double)(location->runs[r].wasted[VALUES_PRECISE] + location->runs[r].wasted[VALUES_APPROXIMATE]);
    }
    return error;
}

/* ------------------------------------------------------------------------------------------ status -- */

/* Whether a context consists of other line numbers now. */
static bool waste_context_moved(const struct waste_compared *compared, uint32_t old, uint32_t new)
{
    const struct waste_version_state *before = &compared->versions[WASTE_OLD],
                                     *after = &compared->versions[WASTE_CURRENT];
    while (old != 0 && new != 0) {
        const struct waste_line *x = keyed_at(&before->lines, before->line_of[old]),
                                *y = keyed_at(&after->lines, after->line_of[new]);
        if (x->text != y->text)
            return true;
        old = waste_node_at(before->waste, old)->parent;
        new = waste_node_at(after->waste, new)->parent;
    }
    return false;
}

static bool waste_row_moved(const struct waste_compared *compared, const struct waste_compared_row *row)
{
    const struct waste_version_state *before = &compared->versions[WASTE_OLD],
                                     *after = &compared->versions[WASTE_CURRENT];
    if (row->item[WASTE_OLD] == FIELD_NONE || row->item[WASTE_CURRENT] == FIELD_NONE ||
        compared->request->view == WASTE_VIEW_FUNCTIONS)
        return false;
    if (compared->request->view == WASTE_VIEW_LINES) {
        const struct waste_line *x = keyed_at(&before->lines, row->item[WASTE_OLD]),
                                *y = keyed_at(&after->lines, row->item[WASTE_CURRENT]);
        return x->text != y->text;
    }
    const struct waste_location *x = keyed_at(&compared->locations[WASTE_OLD].rows, row->item[WASTE_OLD]),
                                *y = keyed_at(&compared->locations[WASTE_CURRENT].rows, row->item[WASTE_CURRENT]);
    const struct waste_object *old = waste_row(before->waste, WASTE_OBJECT_ROWS, x->object),
                              *new = waste_row(after->waste, WASTE_OBJECT_ROWS, y->object);
    return waste_context_moved(compared, x->first, y->first) || waste_context_moved(compared, x->second, y->second) ||
           waste_context_moved(compared, x->scope, y->scope) || waste_context_moved(compared, old->node, new->node);
}

/* 0 or ENOMEM. */
static int waste_rows_decide(struct waste_compared *compared)
{
    const struct waste_version_state *before = &compared->versions[WASTE_OLD],
                                     *after = &compared->versions[WASTE_CURRENT];
    double *old = calloc(before->group->run_count + 1, sizeof *old),
           *new = calloc(after->group->run_count + 1, sizeof *new);
    int error = old && new ? 0 : ENOMEM;
    for (size_t i = 0; !error && i < compared->rows.count; i++) {
        struct waste_compared_row *row = keyed_at(&compared->rows, i);
        uint32_t kinds = row->key[0] == ALL_KINDS ? compared->kinds : UINT32_C(1) << row->key[0];
        size_t n = waste_baseline_values(before, kinds, row->amounts[WASTE_OLD], old),
               m = waste_baseline_values(after, kinds, row->amounts[WASTE_CURRENT], new);
        waste_change_of_runs(old, n, new, m, compared->report->options, &row->change);
        row->status = waste_change_status(&row->change);
        if (waste_status_is_quiet(row->status) && waste_row_moved(compared, row))
            row->status = WASTE_MOVED;
    }
    free(old);
    free(new);
    return error;
}

/* ------------------------------------------------------------------------------------------ order -- */

static int waste_compare_row_names(const struct waste_compared *compared, const struct waste_compared_row *x,
                                   const struct waste_compared_row *y)
{
    for (int v = WASTE_CURRENT; v >= WASTE_OLD; v--) {
        const struct waste_version_state *version = &compared->versions[v];
        bool has_x = x->item[v] != FIELD_NONE, has_y = y->item[v] != FIELD_NONE;
        if (has_x != has_y)
            return has_x ? -1 : 1;
        if (!has_x)
            continue;
        if (x->key[0] == ALL_KINDS) {
            const struct waste_line *left = keyed_at(&version->lines, x->item[v]),
                                    *right = keyed_at(&version->lines, y->item[v]);
            bool lines = compared->request->view == WASTE_VIEW_LINES;
            return strcmp(compared->texts.texts[lines ? left->text : left->function],
                          compared->texts.texts[lines ? right->text : right->function]);
        }
        const struct waste_location *left = keyed_at(&compared->locations[v].rows, x->item[v]),
                                    *right = keyed_at(&compared->locations[v].rows, y->item[v]);
        const struct waste_object *first = waste_row(version->waste, WASTE_OBJECT_ROWS, left->object),
                                  *second = waste_row(version->waste, WASTE_OBJECT_ROWS, right->object);
        int order = waste_compare(version->waste, left->first, right->first);
        order = order ? order : waste_compare(version->waste, left->second, right->second);
        order = order ? order : waste_compare(version->waste, left->scope, right->scope);
        order = order ? order : waste_compare(version->waste, first->node, second->node);
        return order ? order : (first->kind > second->kind) - (first->kind < second->kind);
    }
    return 0;
}

/* What changed first, then what moved, then the rest; by the size of the change. */
static int waste_compare_rows(const void *a, const void *b, void *user)
{
    const struct waste_compared_row *x = a, *y = b;
    int order = waste_status_is_quiet(x->status) - waste_status_is_quiet(y->status);
    if (!order)
        order = (x->status == WASTE_MOVED) - (y->status == WASTE_MOVED);
    double left = fabs(x->change.change), right = fabs(y->change.change);
    if (!order && left != right)
        order = left > right ? -1 : 1;
    if (!order)
        order = (x->key[0] > y->key[0]) - (x->key[0] < y->key[0]);
    return order ? order : waste_compare_row_names(user, x, y);
}

int waste_baseline_rows(struct waste_compared *compared)
{
    bool lines = compared->request->view == WASTE_VIEW_LINES || compared->request->view == WASTE_VIEW_FUNCTIONS;
    int error = 0;
    compared->rows = (struct keyed){.item_bytes = sizeof(struct waste_compared_row),
                                    .key_bytes = sizeof(((struct waste_compared_row *)NULL)->key)};
    for (enum waste_version v = 0; !error && v < WASTE_VERSIONS; v++)
        error = lines ? waste_rows_of_lines(compared, v) : waste_rows_of_locations(compared, v);
    for (enum waste_version v = 0; !error && lines && v < WASTE_VERSIONS; v++)
        error = waste_rows_add_times(compared, v);
    if (!error)
        error = waste_rows_decide(compared);
    if (!error && compared->rows.count > 0)
        qsort_r(compared->rows.items, compared->rows.count, compared->rows.item_bytes, waste_compare_rows, compared);
    return error;
}

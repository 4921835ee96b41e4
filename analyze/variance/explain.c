/*
 * Where the variance of a function comes from: a tree of its callees. What an instance takes is the sum of what the
 * function takes itself and of what its callees take, so its variance is the sum of their covariances with it:
 * var(X) = Σ cov(X_i, X), and the same holds below each callee. Source: VProfiler (Huang, Mozafari, Wenisch, EuroSys
 * 2017), §3, whose tree has variances and covariances of pairs; the sum over a part's pairs is its covariance with all.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/variance/tables.h"

enum { INDENT = 2, NAME_BYTES = 4096, DEPTH_MAX = 200 };

/* A part in all runs, in the metric at hand. */
struct branch {
    const char *function;
    size_t parent, depth; /* parent: SIZE_MAX for the root */
    uint64_t present;
    long double sum, squares, with_root;
    bool placed;
};

struct branches {
    struct branch *items;
    size_t *of_part; /* of each part of the state */
    size_t count;
    uint64_t n; /* instances of the root */
};

static size_t branch_of(struct branches *tree, size_t parent, const char *function)
{
    for (size_t b = 0; b < tree->count; b++)
        if (tree->items[b].parent == parent && strcmp(tree->items[b].function, function) == 0)
            return b;
    tree->items[tree->count] = (struct branch){
        .function = function, .parent = parent, .depth = parent == SIZE_MAX ? 0 : tree->items[parent].depth + 1};
    return tree->count++;
}

static bool collect(const struct variance *variance, const char *metric, struct branches *tree)
{
    *tree = (struct branches){.items = calloc(variance->parts.count + 1, sizeof *tree->items),
                              .of_part = calloc(variance->parts.count + 1, sizeof *tree->of_part)};
    if (!tree->items || !tree->of_part)
        return false;
    for (size_t i = 0; i < variance->parts.count; i++) {
        const struct variance_part *part = variance_part_at(variance, i);
        int m = variance_metric(variance, variance_run_at(variance, part->run), metric);
        size_t parent = part->parent == VARIANCE_NONE ? SIZE_MAX : tree->of_part[part->parent];
        size_t at = tree->of_part[i] = branch_of(tree, parent, variance_text(variance, part->function));
        if (m < 0)
            continue;
        tree->items[at].present += part->present;
        tree->items[at].sum += part->sum[m];
        tree->items[at].squares += part->squares[m];
        tree->items[at].with_root += part->with_root[m];
    }
    tree->n = tree->count > 0 ? tree->items[0].present : 0;
    return true;
}

static void print_branch(struct table *table, const struct branches *tree, const struct branch *branch,
                         const char *name, size_t depth)
{
    char text[NAME_BYTES];
    const struct branch *root = &tree->items[0];
    long double n = (long double)tree->n, root_mean = root->sum / n, mean = branch->sum / n;
    long double variance = root->squares - n * root_mean * root_mean, own = branch->squares - n * mean * mean;
    long double joint = branch->with_root - n * mean * root_mean;
    snprintf(text, sizeof text, "%*s%s", (int)(INDENT * depth), "", name);
    table_text(table, text);
    table_count(table, branch->present);
    table_real(table, (double)mean);
    table_real(table, root->sum > 0 ? (double)(branch->sum / root->sum) : NAN);
    table_real(table, tree->n > 1 ? (double)sqrtl(fmaxl(own, 0) / (n - 1)) : NAN);
    table_real(table, variance > 0 ? (double)(joint / variance) : NAN);
    table_real(table, variance > 0 && own > 0 ? (double)(joint / sqrtl(variance * own)) : NAN);
}

/* The callee of `parent` with the greatest covariance that is not in the table yet; SIZE_MAX: all are. */
static size_t next_child(const struct branches *tree, size_t parent)
{
    const struct branch *root = &tree->items[0];
    size_t best = SIZE_MAX;
    long double most = 0, mean = root->sum / (long double)tree->n;
    for (size_t b = 0; b < tree->count; b++) {
        const struct branch *branch = &tree->items[b];
        long double joint = branch->with_root - branch->sum * mean;
        if (branch->parent != parent || branch->placed || branch->present == 0)
            continue;
        if (best == SIZE_MAX || joint > most) {
            best = b;
            most = joint;
        }
    }
    return best;
}

static bool has_children(const struct branches *tree, size_t parent)
{
    for (size_t b = 0; b < tree->count; b++)
        if (tree->items[b].parent == parent && tree->items[b].present > 0)
            return true;
    return false;
}

/* What a function takes itself: without squares of its own, for which its callees' covariances would be needed. */
static void print_self(struct table *table, const struct branches *tree, size_t at)
{
    const struct branch *root = &tree->items[0];
    struct branch self = tree->items[at];
    long double n = (long double)tree->n, mean = root->sum / n, variance = root->squares - n * mean * mean;
    char text[NAME_BYTES];
    for (size_t b = 0; b < tree->count; b++)
        if (tree->items[b].parent == at) {
            self.sum -= tree->items[b].sum;
            self.with_root -= tree->items[b].with_root;
        }
    snprintf(text, sizeof text, "%*s(itself)", (int)(INDENT * (self.depth + 1)), "");
    table_text(table, text);
    table_count(table, self.present);
    table_real(table, (double)(self.sum / n));
    table_real(table, root->sum > 0 ? (double)(self.sum / root->sum) : NAN);
    table_blank(table);
    table_real(table, variance > 0 ? (double)((self.with_root - self.sum * mean) / variance) : NAN);
    table_blank(table);
}

static void print_tree(struct table *table, struct branches *tree, size_t at)
{
    print_branch(table, tree, &tree->items[at], tree->items[at].function, tree->items[at].depth);
    tree->items[at].placed = true;
    if (!has_children(tree, at) || tree->items[at].depth > DEPTH_MAX)
        return;
    print_self(table, tree, at);
    for (size_t child; (child = next_child(tree, at)) != SIZE_MAX;)
        print_tree(table, tree, child);
}

int variance_explain_table(const struct variance *variance, const struct variance_request *request,
                           struct report *report)
{
    static const struct table_column columns[] = {{"function", TABLE_TEXT},   {"instances", TABLE_COUNT},
                                                  {"mean", TABLE_REAL},       {"share_of_mean", TABLE_SHARE},
                                                  {"sd", TABLE_REAL},         {"share_of_variance", TABLE_SHARE},
                                                  {"correlation", TABLE_REAL}};
    const char *metric = request->metric ? request->metric : variance_basis(variance);
    struct branches tree;
    bool good = collect(variance, metric, &tree);
    report->table = good ? table_new(columns, sizeof columns / sizeof *columns) : NULL;
    if (report->table && tree.n > 0)
        print_tree(report->table, &tree, 0);
    if (good && tree.n == 0) {
        report_warn(report, "no instance of '%s' is recorded", request->wish.explain);
        report->unanswered = true;
    }
    report_note(report,
                "%s in an instance of %s: what each function takes there with all that it calls, and the share "
                "of the variance that comes from it, its covariance with the whole / the variance",
                metric, request->wish.explain);
    free(tree.items);
    free(tree.of_part);
    return report->table ? 0 : ENOMEM;
}

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
    uint32_t parent, function; /* the key; parent: an index, FIELD_NONE for the root; function: text */
    size_t depth;
    uint64_t present;
    long double sum, squares, with_root;
    size_t first, count; /* its callees: a range of `children` */
};

struct branches {
    const struct variance *variance;
    struct keyed items; /* parents before their callees */
    uint32_t *of_part;  /* of each part of the state */
    uint32_t *children; /* callees of one branch beside each other, that with the greatest covariance first */
    uint64_t n;         /* instances of the root */
};

static struct branch *explain_branch(const struct branches *tree, size_t at)
{
    return keyed_at(&tree->items, at);
}

static bool explain_add_parts(struct branches *tree, const char *metric)
{
    const struct variance *variance = tree->variance;
    for (size_t i = 0; i < variance_part_count(variance); i++) {
        const struct variance_part *part = variance_part_at(variance, i);
        int m = variance_metric(variance, variance_run_at(variance, part->run), metric);
        uint32_t parent = part->parent == FIELD_NONE ? FIELD_NONE : tree->of_part[part->parent];
        const struct branch key = {.parent = parent,
                                   .function = part->function,
                                   .depth = parent == FIELD_NONE ? 0 : explain_branch(tree, parent)->depth + 1};
        uint32_t at = tree->of_part[i] = keyed_add(&tree->items, &key);
        if (at == KEYED_FULL)
            return false;
        if (m < 0)
            continue;
        struct branch *branch = explain_branch(tree, at);
        branch->present += part->present;
        branch->sum += part->sum[m];
        branch->squares += part->squares[m];
        branch->with_root += part->with_root[m];
    }
    tree->n = tree->items.count > 0 ? explain_branch(tree, 0)->present : 0;
    return true;
}

static int explain_compare_branches(const void *a, const void *b, void *user)
{
    const struct branches *tree = user;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const struct branch *one = explain_branch(tree, x), *other = explain_branch(tree, y),
                        *root = explain_branch(tree, 0);
    if (one->parent != other->parent)
        return one->parent < other->parent ? -1 : 1;
    long double mean = root->sum / (long double)tree->n;
    long double joint = one->with_root - one->sum * mean, joint_other = other->with_root - other->sum * mean;
    if (joint != joint_other)
        return joint > joint_other ? -1 : 1;
    return x < y ? -1 : x > y;
}

static bool explain_collect_branches(const struct variance *variance, const char *metric, struct branches *tree)
{
    size_t count = 0, parts = variance_part_count(variance);
    *tree = (struct branches){.variance = variance,
                              .items = {.item_bytes = sizeof(struct branch), .key_bytes = 2 * sizeof(uint32_t)},
                              .of_part = calloc(parts + 1, sizeof *tree->of_part),
                              .children = calloc(parts + 1, sizeof *tree->children)};
    if (!tree->of_part || !tree->children || !explain_add_parts(tree, metric))
        return false;
    /* Callees that ran in no finished instance are left out. */
    for (uint32_t i = 1; i < tree->items.count && tree->n > 0; i++)
        if (explain_branch(tree, i)->present > 0 && explain_branch(tree, i)->parent != FIELD_NONE)
            tree->children[count++] = i;
    qsort_r(tree->children, count, sizeof *tree->children, explain_compare_branches, tree);
    for (size_t i = 0; i < count; i++) {
        struct branch *parent = explain_branch(tree, explain_branch(tree, tree->children[i])->parent);
        parent->first = parent->count > 0 ? parent->first : i;
        parent->count++;
    }
    return true;
}

static void explain_add_row(struct report *report, const char *name, size_t depth, struct explain_row *row)
{
    char text[NAME_BYTES];
    snprintf(text, sizeof text, "%*s%s", (int)(INDENT * depth), "", name);
    row->function = text;
    report_row(report, row);
}

/* What a function takes itself: without squares of its own, for which its callees' covariances would be needed. */
static void explain_add_self(struct report *report, const struct branches *tree, size_t at)
{
    const struct branch *root = explain_branch(tree, 0);
    struct branch self = *explain_branch(tree, at);
    long double n = (long double)tree->n, mean = root->sum / n, variance = root->squares - n * mean * mean;
    for (size_t i = 0; i < self.count; i++) {
        const struct branch *child = explain_branch(tree, tree->children[self.first + i]);
        self.sum -= child->sum;
        self.with_root -= child->with_root;
    }
    struct explain_row row = {.instances = self.present,
                              .mean = (double)(self.sum / n),
                              .share_of_mean = root->sum > 0 ? (double)(self.sum / root->sum) : NAN,
                              .sd = NAN,
                              .share_of_variance =
                                  variance > 0 ? (double)((self.with_root - self.sum * mean) / variance) : NAN,
                              .correlation = NAN};
    explain_add_row(report, "(itself)", self.depth + 1, &row);
}

static void explain_add_tree(struct report *report, const struct branches *tree, size_t at)
{
    const struct branch *branch = explain_branch(tree, at), *root = explain_branch(tree, 0);
    long double n = (long double)tree->n, root_mean = root->sum / n, mean = branch->sum / n;
    long double variance = root->squares - n * root_mean * root_mean, own = branch->squares - n * mean * mean;
    long double joint = branch->with_root - n * mean * root_mean;
    struct explain_row row = {.instances = branch->present,
                              .mean = (double)mean,
                              .share_of_mean = root->sum > 0 ? (double)(branch->sum / root->sum) : NAN,
                              .sd = tree->n > 1 ? (double)sqrtl(fmaxl(own, 0) / (n - 1)) : NAN,
                              .share_of_variance = variance > 0 ? (double)(joint / variance) : NAN,
                              .correlation = variance > 0 && own > 0 ? (double)(joint / sqrtl(variance * own)) : NAN};
    explain_add_row(report, variance_text(tree->variance, branch->function), branch->depth, &row);
    if (branch->count == 0 || branch->depth > DEPTH_MAX)
        return;
    explain_add_self(report, tree, at);
    for (size_t i = 0; i < branch->count; i++)
        explain_add_tree(report, tree, tree->children[branch->first + i]);
}

int variance_explain_table(const struct variance *variance, const struct variance_request *request,
                           struct report *report)
{
    const char *metric = request->metric ? request->metric : variance_basis(variance);
    struct branches tree;
    bool good = explain_collect_branches(variance, metric, &tree);
    good = good && report_tables(report, &variance_tables[VARIANCE_EXPLAIN_TABLE], 0) == 0;
    if (good && tree.n > 0)
        explain_add_tree(report, &tree, 0);
    if (good && tree.n == 0) {
        report_warn(
            report,
            "no instance of '%s' is recorded with the calls below it, which chosen calls are not (assay record -m "
            "methods records every call)",
            request->wish.explain);
        report->no_result = true;
    }
    report_note(report,
                "%s in an instance of %s: what each function takes there with all that it calls, and the share "
                "of the variance that comes from it, its covariance with the whole / the variance",
                metric, request->wish.explain);
    keyed_free(&tree.items);
    free(tree.of_part);
    free(tree.children);
    return good ? 0 : ENOMEM;
}

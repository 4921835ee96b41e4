/* Matches pairs of the sampled runs to those of the exact ones. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/audit/audit.h"
#include "stats/tests/kendall.h"

enum { EXACT = 1, SAMPLED = 2 };

/* ------------------------------------------------------------------------------------------ contexts -- */

/* A frame of the exact runs: its text without an address. */
struct frame {
    uint32_t parent, node;
    const char *text;
    size_t length; /* of the text before the address */
    uint64_t address;
};

static struct frame frame_of(const struct waste *waste, uint32_t node)
{
    const struct waste_node *item = waste_node_at(waste, node);
    const char *text = waste->texts.texts[item->text], *at = strrchr(text, '@');
    struct frame frame = {item->parent, node, text, strlen(text), 0};
    if (at && strncmp(at, "@0x", 3) == 0) {
        frame.length = (size_t)(at - text);
        frame.address = strtoull(at + 1, NULL, 16);
    }
    return frame;
}

static int compare_names(const struct frame *a, const struct frame *b)
{
    if (a->parent != b->parent)
        return a->parent < b->parent ? -1 : 1;
    int order = memcmp(a->text, b->text, a->length < b->length ? a->length : b->length);
    return order ? order : a->length < b->length ? -1 : a->length > b->length;
}

static int compare_frames(const void *a, const void *b)
{
    const struct frame *x = a, *y = b;
    int order = compare_names(x, y);
    return order ? order : x->address < y->address ? -1 : x->address > y->address;
}

struct audit_tree {
    const struct waste *waste;
    struct frame *frames; /* of the exact runs, sorted */
    size_t count;
    uint32_t *same; /* [node]: the matching node of the exact runs, or itself */
    bool *exact;    /* [node] */
};

/* The exact runs' frame with the same name whose address is at most `distance` below; NULL: none. */
static const struct frame *find(const struct audit_tree *tree, const struct frame *wanted, uint64_t distance)
{
    size_t low = 0, high = tree->count;
    while (low < high) { /* the last that is not greater */
        size_t middle = (low + high) / 2;
        if (compare_frames(&tree->frames[middle], wanted) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    const struct frame *found = low > 0 ? &tree->frames[low - 1] : NULL;
    return found && compare_names(found, wanted) == 0 && wanted->address - found->address <= distance ? found : NULL;
}

static uint32_t match(const struct audit_tree *tree, uint32_t node, uint64_t distance)
{
    struct frame wanted = frame_of(tree->waste, node);
    wanted.parent = tree->same[wanted.parent];
    const struct frame *found = find(tree, &wanted, distance);
    return found ? found->node : node;
}

static void mark_chain(struct audit_tree *tree, uint32_t node)
{
    for (; node && !tree->exact[node]; node = waste_node_at(tree->waste, node)->parent)
        tree->exact[node] = true;
}

static int build(struct audit_tree *tree, const struct waste *waste, const uint8_t *sources)
{
    size_t nodes = waste->nodes.count;
    *tree = (struct audit_tree){.waste = waste,
                                .frames = calloc(nodes + 1, sizeof *tree->frames),
                                .same = calloc(nodes + 1, sizeof *tree->same),
                                .exact = calloc(nodes + 1, sizeof *tree->exact)};
    if (!tree->frames || !tree->same || !tree->exact)
        return ENOMEM;
    for (size_t i = 0; i < waste->pairs.count; i++) {
        const struct waste_pair *pair = keyed_at(&waste->pairs, i);
        if (sources[pair->source] != EXACT)
            continue;
        mark_chain(tree, pair->first);
        mark_chain(tree, pair->second);
    }
    for (uint32_t node = 1; node < nodes; node++)
        if (tree->exact[node])
            tree->frames[tree->count++] = frame_of(waste, node);
    qsort(tree->frames, tree->count, sizeof *tree->frames, compare_frames);
    for (uint32_t node = 1; node < nodes; node++) /* parents come first */
        tree->same[node] = tree->exact[node] ? node : match(tree, node, AUDIT_CALL_BYTES);
    return 0;
}

struct audit_tree *audit_tree_new(const struct waste *waste, const uint8_t *sources)
{
    struct audit_tree *tree = calloc(1, sizeof *tree);
    if (!tree || build(tree, waste, sources) == 0)
        return tree;
    audit_tree_free(tree);
    return NULL;
}

void audit_tree_free(struct audit_tree *tree)
{
    if (!tree)
        return;
    free(tree->frames);
    free(tree->same);
    free(tree->exact);
    free(tree);
}

/* ------------------------------------------------------------------------------------------ pairs -- */

/* The key comes first. */
struct both {
    uint32_t first, second;
    double wasted[3]; /* [EXACT], [SAMPLED] */
};

static int add_pairs(const struct audit_tree *tree, const uint8_t *sources, uint32_t kind, struct keyed *pairs)
{
    for (size_t i = 0; i < tree->waste->pairs.count; i++) {
        const struct waste_pair *pair = keyed_at(&tree->waste->pairs, i);
        uint8_t engine = sources[pair->source];
        if (engine == 0 || pair->waste != kind)
            continue;
        struct both key = {.first = tree->exact[pair->first] ? pair->first : match(tree, pair->first, 0),
                           .second = tree->exact[pair->second] ? pair->second : match(tree, pair->second, 0)};
        uint32_t index = keyed_add(pairs, &key);
        if (index == KEYED_FULL)
            return ENOMEM;
        ((struct both *)keyed_at(pairs, index))->wasted[engine] +=
            (double)(pair->wasted[VALUES_PRECISE] + pair->wasted[VALUES_APPROXIMATE]);
    }
    return 0;
}

/* Indices of the worst pairs of an engine, worst first; equal ones in the order of the state. */
static size_t worst(const struct keyed *pairs, unsigned engine, size_t top[AUDIT_TOP])
{
    size_t count = 0;
    for (size_t i = 0; i < pairs->count; i++) {
        double wasted = ((const struct both *)keyed_at(pairs, i))->wasted[engine];
        size_t at = count;
        while (at > 0 && ((const struct both *)keyed_at(pairs, top[at - 1]))->wasted[engine] < wasted)
            at--;
        if (wasted <= 0 || at == AUDIT_TOP)
            continue;
        count += count < AUDIT_TOP; /* or the last one goes */
        memmove(&top[at + 1], &top[at], (count - at - 1) * sizeof *top);
        top[at] = i;
    }
    return count;
}

/* Levenshtein's. */
static size_t edit_distance(const size_t *a, size_t n, const size_t *b, size_t m)
{
    size_t row[AUDIT_TOP + 1];
    for (size_t j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t replace = diagonal + (a[i - 1] != b[j - 1]), shift = row[j] < row[j - 1] ? row[j] : row[j - 1];
            diagonal = row[j];
            row[j] = replace < shift + 1 ? replace : shift + 1;
        }
    }
    return row[m];
}

static void judge(const struct keyed *pairs, struct audit_row *row)
{
    size_t exact[AUDIT_TOP], sampled[AUDIT_TOP];
    double x[AUDIT_TOP], y[AUDIT_TOP];
    size_t others = worst(pairs, SAMPLED, sampled);
    row->top = worst(pairs, EXACT, exact);
    row->edit_distance = edit_distance(exact, row->top, sampled, others);
    for (size_t i = 0; i < row->top; i++) {
        const struct both *pair = keyed_at(pairs, exact[i]);
        x[i] = pair->wasted[EXACT];
        y[i] = pair->wasted[SAMPLED];
        row->found += y[i] > 0;
    }
    row->tau = NAN;
    kendall_tau(x, y, row->top, &row->tau);
}

int audit_compare_pairs(const struct audit_tree *tree, const uint8_t *sources, struct audit_row *row)
{
    struct keyed pairs = {.item_bytes = sizeof(struct both), .key_bytes = 2 * sizeof(uint32_t)};
    int error = add_pairs(tree, sources, row->waste, &pairs);
    if (!error)
        judge(&pairs, row);
    keyed_free(&pairs);
    return error;
}

/*
 * Searches that follow pointers to anywhere.
 *
 * A hash table of 256 chains with 1000 entries from one pool, in random order. 2000 random keys are looked up, half
 * of which are there. Neither the heads of the chains nor the entries have a stride; the key of an entry is in
 * another one than the pointer that the iteration loads.
 * EXPECT line=@head loop=@lookup_loop kind=none majority=0..0.05 executions=2000
 * EXPECT line=@entry_key kind=none
 * EXPECT line=@entry_next kind=none
 *
 * A binary tree of 1000 nodes, which were inserted in random order, from first to last: down to the left, and up.
 * EXPECT line=@tree_key loop=@tree_loop kind=none majority=0..0.05 executions=1000
 * EXPECT line=@tree_right loop=@tree_loop kind=none majority=0..0.05 executions=1000
 * EXPECT line=@tree_left kind=none
 * EXPECT line=@tree_parent kind=none
 */
#include "strides.h"

enum { COUNT = 1000, HEADS = 256, LOOKUPS = 2000 };

struct entry {
    struct entry *next;
    uint64_t key;
    long more[4];
};

struct tree {
    struct tree *left, *right, *parent;
    uint64_t key;
};

static struct entry *heads[HEADS], entries[COUNT];
static struct tree trees[COUNT];
static uint32_t order[COUNT];

static inline uint64_t hash(uint64_t key)
{
    return (key * 0x9e3779b97f4a7c15u) >> 56;
}

static void fill_table(void)
{
    for (unsigned i = 0; i < COUNT; i++) {
        struct entry *entry = &entries[order[i]];
        entry->key = i;
        entry->next = heads[hash(i)];
        heads[hash(i)] = entry;
    }
}

static struct tree *fill_tree(void)
{
    for (unsigned i = 0; i < COUNT; i++) {
        struct tree *at = &trees[0], *node = &trees[i];
        node->key = order[i];
        while (i > 0 && node->parent == NULL) {
            struct tree **below = node->key < at->key ? &at->left : &at->right;
            if (*below == NULL) {
                *below = node;
                node->parent = at;
            }
            at = *below;
        }
    }
    return &trees[0];
}

VICTIM static uint64_t victim_lookups(struct entry **table)
{
    uint64_t found = 0, state = 1;
    for (int i = 0; i < LOOKUPS; i++) { /* @lookup_loop */
        uint64_t key = strides_random(&state) % (2 * COUNT);
        const struct entry *entry = table[hash(key)]; /* @head */
        while (entry != NULL) {
            if (entry->key == key) { /* @entry_key */
                found++;
                break;
            }
            entry = entry->next; /* @entry_next */
        }
    }
    return found;
}

VICTIM static uint64_t victim_tree(const struct tree *at)
{
    uint64_t sum = 0;
    const struct tree *last = NULL;
    while (at->left != NULL)
        at = at->left;
    while (at != NULL) {                      /* @tree_loop */
        sum = sum * 3 + at->key;              /* @tree_key */
        const struct tree *below = at->right; /* @tree_right */
        if (below != NULL) {
            while (below != NULL) {
                at = below;
                below = at->left; /* @tree_left */
            }
        } else {
            do {
                last = at;
                at = at->parent; /* @tree_parent */
            } while (at != NULL && at->right == last);
        }
    }
    return sum;
}

int main(int argc, char **argv)
{
    (void)argv;
    SHOW(heads, argc);
    SHOW(entries, argc);
    SHOW(trees, argc);
    strides_shuffle(order, COUNT);
    fill_table();
    printf("%lu\n", (unsigned long)(victim_lookups(heads) + victim_tree(fill_tree())));
    return 0;
}

#include "collect/exact/tool/state/context.h"

#include <valgrind/pub_tool_aspacemgr.h>
#include <valgrind/pub_tool_libcassert.h>
#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_mallocfree.h>

#include "collect/exact/tool/state/array.h"
#include "collect/exact/tool/state/config.h"
#include "collect/exact/tool/state/hash_table.h"
#include "collect/exact/tool/state/raw_writer.h"
#include "collect/exact/tool/state/scope.h"

/* Memory for this many is reserved, and used as needed. */
enum { LISTS_MAX = 1 << 27, STAMPS_MAX = 1 << 24, NODES_MAX = 1 << 18, DEPTH_MAX = 4096, REPEATS_MAX = 3 };
enum { FEW_BLOCKS = 4, NEIGHBOURS = 8 };

UInt context_node;
struct context_location *context_locations;
UInt *context_stamps;
UInt context_time;

static struct context_node *nodes;
static UInt node_count = 1, node_capacity;
static UInt block_count, handle_count = 1, stamp_count = 1;
static UInt *lists; /* the arrays of handles, one after the other */
static UInt list_count = 1;

/*
 * Each node has a hash table of its own from the blocks that were executed in it to their lists, because a call
 * executes several blocks in the same node. The ids of a function's blocks are close to each other, so NEIGHBOURS of
 * them share a cache line.
 */
struct node_lists {
    struct node_list {
        UInt block, list; /* list 0: free */
    } * entries;          /* [capacity], NULL: none yet */
    UInt capacity, count;
};
static struct node_lists *node_lists; /* [node] */
static struct hash_table children, stamps;

/*
 * An access of an instruction, or a system call, and the first blocks that contain it. Most are in a single block: then
 * their handle in a node is new when the block's list is, and is not looked for.
 */
struct site {
    UInt block_count; /* beyond FEW_BLOCKS: no longer exact */
    struct {
        UInt block; /* its id */
        UInt slot;  /* the first one of this access in the block */
    } blocks[FEW_BLOCKS];
};
static struct site *sites;
static UInt site_count = 1, site_capacity;
static struct hash_table site_of, crowded_handles, entry_handles;

static void *context_reserve(SizeT bytes)
{
    void *memory = VG_(am_shadow_alloc)(bytes);
    if (!memory)
        VG_(out_of_memory_NORETURN)("assay: contexts", bytes);
    return memory;
}

void context_init(void)
{
    context_locations = context_reserve((SizeT)CONTEXT_HANDLES_MAX * sizeof *context_locations);
    lists = context_reserve((SizeT)LISTS_MAX * sizeof *lists);
    context_stamps = context_reserve((SizeT)STAMPS_MAX * sizeof *context_stamps);
    hash_table_init(&children, "assay.children");
    hash_table_init(&site_of, "assay.sites");
    hash_table_init(&crowded_handles, "assay.handles");
    hash_table_init(&entry_handles, "assay.entries");
    hash_table_init(&stamps, "assay.stamps");
}

/* ---------------------------------------------------------------------------- blocks -- */

/* Adds a block to those of the site. It may be there already: the core unrolls loops in superblocks. */
static void context_join_block(struct site *site, UInt block, UInt slot)
{
    for (UInt i = 0; i < site->block_count && i < FEW_BLOCKS; i++)
        if (site->blocks[i].block == block)
            return;
    if (site->block_count < FEW_BLOCKS) {
        site->blocks[site->block_count].block = block;
        site->blocks[site->block_count].slot = slot;
    }
    site->block_count++;
}

struct context_block *context_block_new(const struct context_slot *slots, UInt count, Addr call)
{
    struct context_block *block = VG_(perm_malloc)(sizeof *block, sizeof(void *));
    struct context_slot *copy = VG_(perm_malloc)((count + 1) * sizeof *copy, sizeof(void *));
    UInt *numbers = VG_(perm_malloc)((count + 1) * sizeof *numbers, sizeof *numbers);
    VG_(memcpy)(copy, slots, count * sizeof *copy);
    *block = (struct context_block){
        .handles = numbers, .id = ++block_count, .count = count, .call = call, .slots = copy, .sites = numbers};
    for (UInt i = 0; i < count; i++) {
        const struct context_slot *slot = &slots[i];
        numbers[i] = 0;
        if (slot->header)
            continue;
        /* The number of the access. Code may be modified in place, so the instruction's address is not enough. */
        UInt *site = hash_table_at(&site_of, (ULong)slot->size | (ULong)slot->lane << 16 | (ULong)slot->store << 24,
                                   slot->address << 8 | slot->number);
        if (!*site) {
            sites = array_reserve("assay.sites", sites, site_count, &site_capacity, 4096, sizeof *sites);
            sites[site_count] = (struct site){0};
            *site = site_count++;
        }
        numbers[i] = *site;
        context_join_block(&sites[*site], block->id, i);
    }
    return block;
}

/* ---------------------------------------------------------------------------- nodes -- */

static UInt context_node_new(UInt parent, Addr call, UInt thread, UInt depth, UInt kind)
{
    if (node_count >= node_capacity) {
        node_capacity = node_capacity ? node_capacity * 2 : 4096;
        nodes = VG_(realloc)("assay.nodes", nodes, node_capacity * sizeof *nodes);
        node_lists = VG_(realloc)("assay.nodelists", node_lists, node_capacity * sizeof *node_lists);
    }
    node_lists[node_count] = (struct node_lists){0};
    Addr loop = call && config_get()->memory ? scope_innermost(call) : 0;
    nodes[node_count] = (struct context_node){parent, thread, call, depth, kind, loop};
    return node_count++;
}

UInt context_root(UInt thread)
{
    return context_node_new(0, 0, thread, 0, RAW_ROOT);
}

UInt context_child(UInt parent, Addr call, enum raw_node_kind kind)
{
    if (nodes[parent].kind == RAW_CUT)
        return parent;
    ULong key = (ULong)parent << 32 | kind << 1;
    UInt child = hash_table_find(&children, key, call), repeats = 0;
    if (child)
        return child;

    /* A call that is on the path as often as allowed has the innermost node there. */
    for (UInt node = parent; node && kind == RAW_CALLED; node = nodes[node].parent)
        if (nodes[node].call == call && nodes[node].kind == RAW_CALLED) {
            child = child ? child : node;
            repeats++;
        }
    UInt thread = nodes[parent].thread, depth = nodes[parent].depth + 1;
    Bool full = depth > DEPTH_MAX || node_count >= NODES_MAX || handle_count >= CONTEXT_HANDLES_MAX / 2 ||
                list_count >= LISTS_MAX / 2;
    if (repeats < REPEATS_MAX && full) { /* the calls share one node under the parent */
        UInt *cut = hash_table_at(&children, (ULong)parent << 32 | 1, 0);
        if (!*cut)
            *cut = context_node_new(parent, 0, thread, depth, RAW_CUT);
        child = *cut;
    } else if (repeats < REPEATS_MAX) {
        child = context_node_new(parent, call, thread, depth, kind);
    }
    *hash_table_at(&children, key, call) = child;
    return child;
}

Bool context_is_lumped(UInt parent, UInt child)
{
    return nodes[child].kind == RAW_CUT || nodes[child].parent != parent;
}

void context_count_lumped(UInt child)
{
    raw_writer_lost(nodes[child].kind == RAW_CUT && nodes[child].depth <= DEPTH_MAX ? RAW_LOST_NODES : RAW_LOST_DEPTH,
                    1);
}

const struct context_node *context_node_of(UInt node)
{
    return &nodes[node];
}

UInt context_node_count(void)
{
    return node_count - 1;
}

/* ---------------------------------------------------------------------------- handles -- */

UInt context_stamp(UInt node, Addr header)
{
    UInt *stamp = hash_table_at(&stamps, node, header);
    if (!*stamp)
        *stamp = stamp_count < STAMPS_MAX ? stamp_count++ : STAMPS_MAX - 1;
    return *stamp;
}

static UInt context_handle_new(UInt node, const struct context_slot *slot)
{
    tl_assert(handle_count < CONTEXT_HANDLES_MAX - 1);
    context_locations[handle_count] = (struct context_location){slot, node, nodes[node].thread};
    return handle_count++;
}

/* The entry of the block, or a free one for it. */
static struct node_list *context_find_list(const struct node_lists *of, UInt block)
{
    UInt line = (UInt)((block / NEIGHBOURS * 0x9e3779b97f4a7c15ULL) >> 32);
    UInt i = (line * NEIGHBOURS + block % NEIGHBOURS) & (of->capacity - 1);
    while (of->entries[i].list && of->entries[i].block != block)
        i = (i + 1) & (of->capacity - 1);
    return &of->entries[i];
}

/* The block's list in the node; 0: none yet. */
static UInt context_list_at(UInt node, UInt block)
{
    const struct node_lists *of = &node_lists[node];
    return of->entries ? context_find_list(of, block)->list : 0;
}

/*
 * The handle of a block's slot in a node, created if needed. It is taken from the lists of other blocks with the same
 * access, from earlier slots of the block's own `list`, or, if too many blocks have it, from crowded_handles.
 */
static UInt context_find_handle(UInt node, const struct context_block *block, UInt slot, UInt list)
{
    const struct site *site = &sites[block->sites[slot]];
    Bool is_among_few = False;
    for (UInt i = 0; i < site->block_count && i < FEW_BLOCKS; i++) {
        Bool own = site->blocks[i].block == block->id;
        UInt other = !own ? context_list_at(node, site->blocks[i].block) : site->blocks[i].slot < slot ? list : 0;
        if (other)
            return lists[other + site->blocks[i].slot];
        is_among_few |= own;
    }
    if (is_among_few && site->block_count <= FEW_BLOCKS)
        return context_handle_new(node, &block->slots[slot]);
    UInt *handle = hash_table_at(&crowded_handles, node, block->sites[slot]);
    return *handle ? *handle : (*handle = context_handle_new(node, &block->slots[slot]));
}

void context_enter(struct context_block *block)
{
    UInt node = context_node, list = context_list_at(node, block->id);
    if (!list) {
        list = list_count;
        tl_assert(list <= LISTS_MAX - block->count);
        list_count += block->count;
        for (UInt i = 0; i < block->count; i++) {
            const struct context_slot *slot = &block->slots[i];
            lists[list + i] =
                slot->header ? context_stamp(node, slot->address) : context_find_handle(node, block, i, list);
        }
        struct node_lists *of = &node_lists[node];
        if (of->count >= of->capacity / 4 * 3) {
            struct node_lists old = *of;
            of->capacity = old.capacity ? old.capacity * 2 : 4;
            of->entries = VG_(calloc)("assay.lists", of->capacity, sizeof *of->entries);
            for (UInt i = 0; i < old.capacity; i++)
                if (old.entries[i].list)
                    *context_find_list(of, old.entries[i].block) = old.entries[i];
            VG_(free)(old.entries);
        }
        *context_find_list(of, block->id) = (struct node_list){block->id, list};
        of->count++;
    }
    block->handles = &lists[list];
    block->node = node;
}

UInt context_entry(UInt node, const struct context_slot *entry)
{
    UInt *handle = hash_table_at(&entry_handles, node, (ULong)(Addr)entry);
    return *handle ? *handle : (*handle = context_handle_new(node, entry));
}

UInt context_handle_count(void)
{
    return handle_count - 1;
}

UInt context_stamp_count(void)
{
    return stamp_count - 1;
}

UInt context_loop_time(UInt node, Addr header)
{
    UInt stamp = hash_table_find(&stamps, node, header);
    return stamp ? context_stamps[stamp] : 0;
}

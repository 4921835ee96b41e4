#include "collect/exact/tool/state/scope.h"

#include <valgrind/pub_tool_aspacemgr.h>
#include <valgrind/pub_tool_debuginfo.h>
#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_mallocfree.h>
#include <valgrind/pub_tool_vki.h>

#include "collect/exact/tool/state/array.h"
#include "collect/exact/tool/state/config.h"
#include "collect/exact/tool/state/context.h"
#include "collect/exact/tool/state/hash_table.h"
#include "collect/exact/tool/state/raw_writer.h"
#include "collect/exact/tool/state/unwind_table.h"
#include "collect/x86/loops.h"

enum { FUNCTION_BYTES_MAX = 1 << 22, DEPTH_MAX = 64 };

/* A function, by its symbol or by the unwind table, that was analysed, and its loops. */
struct function {
    Addr low, high; /* equal: forgotten */
    struct loops loops;
};

static struct function *functions; /* from 1 */
static UInt count, capacity;
static struct hash_table by_entry;
static UInt latest; /* most questions are about the same function again */
static void *work;
static SizeT work_bytes;

/* The core returns it as "name+offset". */
static PtrdiffT scope_function_offset(Addr address)
{
    const HChar *name;
    if (!VG_(get_fnname_w_offset)(VG_(current_DiEpoch)(), address, &name))
        return -1;
    const HChar *plus = VG_(strrchr)(name, '+');
    HChar *end = NULL;
    ULong offset = plus && VG_(isdigit)(plus[1]) ? VG_(strtoull10)(plus + 1, &end) : 0;
    return end && *end == '\0' ? (PtrdiffT)offset : 0;
}

/* A function's symbol covers consecutive addresses: doubling steps, then halving. */
static Addr scope_function_end(Addr entry)
{
    Addr step = 16, inside = entry;
    while (step < FUNCTION_BYTES_MAX && scope_function_offset(entry + step) == (PtrdiffT)step) {
        inside = entry + step;
        step *= 2;
    }
    for (Addr outside = entry + step; outside - inside > 1;) {
        Addr middle = inside + (outside - inside) / 2;
        if (scope_function_offset(middle) == (PtrdiffT)(middle - entry))
            inside = middle;
        else
            outside = middle;
    }
    return inside + 1;
}

static void *scope_copy(const void *bytes, SizeT size)
{
    void *memory = VG_(malloc)("assay.loops", size + 1);
    VG_(memcpy)(memory, bytes, size);
    return memory;
}

/* The jump tables of switches. */
static bool scope_read_client(void *unused, uint64_t address, void *to, size_t bytes)
{
    (void)unused;
    if (!VG_(am_is_valid_for_client)(address, bytes, VKI_PROT_READ))
        return false;
    VG_(memcpy)(to, (const void *)address, bytes);
    return true;
}

static UInt scope_add_function(Addr entry, Addr end)
{
    functions = array_reserve("assay.functions", functions, count + 1, &capacity, 256, sizeof *functions);
    if (!by_entry.entries)
        hash_table_init(&by_entry, "assay.functions");
    functions[++count] = (struct function){.low = entry, .high = end};

    struct loops_function code = {
        .code = (const uint8_t *)entry, .low = entry, .high = end, .entry = entry, .read = scope_read_client};
    SizeT bytes = end - entry, wanted = loops_work_bytes(bytes, bytes / 2 + 16);
    struct loops found;
    if (wanted > work_bytes) {
        VG_(free)(work);
        work = VG_(malloc)("assay.loops.work", wanted);
        work_bytes = wanted;
    }
    if (loops_find(&code, work, work_bytes, &found) != LOOPS_FOUND)
        return count;
    found.loops = scope_copy(found.loops, found.loop_count * sizeof *found.loops);
    found.ranges = scope_copy(found.ranges, found.range_count * sizeof *found.ranges);
    functions[count].loops = found;
    for (UInt i = 0; config_get()->memory && i < found.loop_count; i++) { /* the file has the loops themselves */
        int32_t parent = found.loops[i].parent;
        struct raw_loop loop = {found.loops[i].header, parent >= 0 ? found.loops[parent].header : 0};
        raw_writer_loop(&loop);
    }
    return count;
}

/* Places that were looked up; a symbol's name costs a microsecond. */
struct known_address {
    Addr address;
    UInt function;
};
enum { KNOWN_ADDRESSES = 1 << 14 };
static struct known_address known_addresses[KNOWN_ADDRESSES];

static const struct function *scope_find_function(Addr address)
{
    if (latest && address >= functions[latest].low && address < functions[latest].high)
        return &functions[latest];
    PtrdiffT offset = scope_function_offset(address);
    Addr entry = address - (Addr)offset, end = 0;
    if (offset < 0 && (!unwind_table_function(address, &entry, &end) || end - entry > FUNCTION_BYTES_MAX))
        return NULL;
    UInt known = by_entry.entries ? hash_table_find(&by_entry, entry, 0) : 0;
    if (!known || functions[known].low == functions[known].high) {
        known = scope_add_function(entry, end ? end : scope_function_end(entry));
        *hash_table_at(&by_entry, entry, 0) = known;
    }
    latest = known;
    return &functions[known];
}

static const struct function *scope_function_at(Addr address)
{
    struct known_address *known = &known_addresses[(address * 0x9e3779b97f4a7c15ULL) >> 50];
    if (known->address == address && known->function &&
        functions[known->function].low != functions[known->function].high)
        return &functions[known->function];
    const struct function *function = scope_find_function(address);
    if (function)
        *known = (struct known_address){address, (UInt)(function - functions)};
    return function;
}

Addr scope_innermost(Addr address)
{
    const struct function *function = scope_function_at(address);
    int32_t loop = function ? loops_innermost(&function->loops, address) : -1;
    return loop >= 0 ? function->loops.loops[loop].header : 0;
}

Bool scope_is_header(Addr address)
{
    return scope_innermost(address) == address;
}

/*
 * For a node, the nearest one outward from it that was called from within a loop, 0: none; and for one that is its own
 * nearest, the loops around its call. Each new pair needs this, and on most paths that node is far away. Valid as long
 * as nothing was forgotten since.
 */
struct outward {
    UInt age, looped;
    UInt first, count; /* in call_loops, outermost first; count 0: not yet known */
};
static struct outward *outward; /* [node] */
static UInt outward_capacity, age = 1;

/* A loop around a call. */
struct call_loop {
    Addr header;
    UInt stamp; /* in the caller's node */
};
static struct call_loop *call_loops;
static UInt call_loop_count, call_loop_capacity;

void scope_forget(Addr a, SizeT length)
{
    age++;
    call_loop_count = 0;
    for (UInt i = 1; i <= count; i++)
        if (functions[i].low < a + length && functions[i].high > a)
            functions[i].high = functions[i].low;
}

/* ---------------------------------------------------------------------------- Claim 1 -- */

/* Headers of the loops around an instruction, outermost first. */
static UInt scope_loops_around(Addr address, Addr headers[DEPTH_MAX])
{
    const struct function *function = scope_function_at(address);
    UInt depth = 0;
    if (!function)
        return 0;
    int32_t innermost = loops_innermost(&function->loops, address);
    for (int32_t i = innermost; i >= 0 && depth < DEPTH_MAX; i = function->loops.loops[i].parent)
        depth++;
    UInt at = depth;
    for (int32_t i = innermost; i >= 0 && at > 0; i = function->loops.loops[i].parent)
        headers[--at] = function->loops.loops[i].header;
    return depth;
}

/* The nearest node from this one outward that was called from within a loop; 0: none. */
static UInt scope_looped_node(UInt node)
{
    UInt at = node;
    if (context_node_count() >= outward_capacity) {
        UInt wanted = context_node_count() + context_node_count() / 2 + 1024;
        outward = VG_(realloc)("assay.outward", outward, wanted * sizeof *outward);
        VG_(memset)(outward + outward_capacity, 0, (wanted - outward_capacity) * sizeof *outward);
        outward_capacity = wanted;
    }
    for (; at && outward[at].age != age; at = context_node_of(at)->parent) {
        const struct function *caller = scope_function_at(context_node_of(at)->call);
        if (caller && loops_innermost(&caller->loops, context_node_of(at)->call) >= 0)
            break;
    }
    UInt looped = at && outward[at].age == age ? outward[at].looped : at;
    for (; node && outward[node].age != age; node = context_node_of(node)->parent) {
        outward[node] = (struct outward){.age = age, .looped = looped};
        if (node == looped)
            break;
    }
    return looped;
}

/* The outermost loop around the call of a looped node that was passed after `time`; 0: none. */
static Addr scope_passed_call_loop(UInt node, UInt time)
{
    if (outward[node].count == 0) {
        const struct context_node *called = context_node_of(node);
        Addr headers[DEPTH_MAX];
        UInt depth = scope_loops_around(called->call, headers);
        if (call_loop_count + depth > call_loop_capacity) {
            call_loop_capacity = call_loop_capacity * 2 + 4096;
            call_loops = VG_(realloc)("assay.callloops", call_loops, call_loop_capacity * sizeof *call_loops);
        }
        outward[node].first = call_loop_count;
        outward[node].count = depth;
        for (UInt i = 0; i < depth; i++)
            call_loops[call_loop_count++] = (struct call_loop){headers[i], context_stamp(called->parent, headers[i])};
    }
    const struct call_loop *loop = call_loops + outward[node].first, *end = loop + outward[node].count;
    while (loop < end && context_stamps[loop->stamp] <= time)
        loop++;
    return loop < end ? loop->header : 0;
}

Addr scope_find(UInt first, UInt second, UInt time)
{
    /* The function that contains both, and the addresses in it: of the access, or of the call that leads there. */
    UInt node = context_locations[first].node, other_node = context_locations[second].node;
    Addr address = context_locations[first].slot->address, other = context_locations[second].slot->address;
    while (node != other_node) {
        const struct context_node *one = context_node_of(node), *two = context_node_of(other_node);
        if (!node || !other_node)
            return 0;
        if (one->depth >= two->depth) {
            node = one->parent;
            address = one->call;
        } else {
            other_node = two->parent;
            other = two->call;
        }
    }
    /* Its outermost loop around both that was passed after `time`, */
    Addr headers[DEPTH_MAX], others[DEPTH_MAX], scope = 0;
    UInt depth = scope_loops_around(address, headers), other_depth = scope_loops_around(other, others);
    for (UInt i = 0; i < depth && i < other_depth && headers[i] == others[i] && !scope; i++)
        if (context_loop_time(node, headers[i]) > time)
            scope = headers[i];
    /* or one around its calls: outward, the last one found is the outermost. */
    for (node = scope_looped_node(node); node; node = scope_looped_node(context_node_of(node)->parent)) {
        Addr outer = scope_passed_call_loop(node, time);
        scope = outer ? outer : scope;
    }
    return scope;
}

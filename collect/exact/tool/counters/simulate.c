#include "collect/exact/tool/counters/simulate.h"

#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_libcprint.h>
#include <valgrind/pub_tool_libcproc.h>
#include <valgrind/pub_tool_mallocfree.h>
#include <valgrind/pub_tool_tooliface.h>

#include "collect/exact/tool/code/ir.h"
#include "collect/exact/tool/code/translation.h"
#include "collect/exact/tool/state/config.h"
#include "collect/x86/x86.h"

struct simulated simulated;

/* ---------------------------------------------------------------------------- caches -- */

static struct level {
    ULong sets;
    UInt ways, shift;
    Bool power;  /* whether `sets` is a power of two */
    ULong *tags; /* [sets][ways], the line that was used last first; a line + 1, 0: free */
} levels[SIMULATED_LEVELS];

/* Whether the line is present; it is from now on. */
static Bool simulate_hits_line(struct level *level, ULong line)
{
    ULong set = level->power ? line & (level->sets - 1) : line % level->sets;
    ULong *tags = level->tags + set * level->ways, tag = line + 1;
    UInt at = 0;
    if (tags[0] == tag)
        return True;
    while (at + 1 < level->ways && tags[at] != tag)
        at++;
    Bool hit = tags[at] == tag;
    for (; at > 0; at--)
        tags[at] = tags[at - 1];
    tags[0] = tag;
    return hit;
}

static Bool simulate_hits(struct level *level, Addr address, ULong bytes)
{
    ULong line = address >> level->shift, last = (address + bytes - 1) >> level->shift;
    Bool hit = simulate_hits_line(level, line);
    while (line < last)
        hit &= simulate_hits_line(level, ++line);
    return hit;
}

static void simulate_look_up(enum simulated_level first, enum simulated_counter counter, Addr address, ULong bytes)
{
    if (simulated.paused || simulate_hits(&levels[first], address, bytes))
        return;
    simulated.counters[counter]++;
    simulated.counters[SIMULATED_L1_MISSES]++;
    simulated.counters[SIMULATED_L2_MISSES] += !simulate_hits(&levels[SIMULATED_L2], address, bytes);
}

/* From translated code: an instruction is fetched; data are loaded or stored. Misses are added to `simulated`, unless
 * it is paused. Cost: O(ways). */
static void simulate_fetch(Addr address, ULong bytes)
{
    simulate_look_up(SIMULATED_L1I, SIMULATED_L1I_MISSES, address, bytes);
}

static void simulate_access(Addr address, ULong bytes)
{
    simulate_look_up(SIMULATED_L1D, SIMULATED_L1D_MISSES, address, bytes);
}

/* ---------------------------------------------------------------------------- the branch predictor -- */

enum { COUNTERS = 1 << 14, TARGETS = 512, STRONGEST = 3 };

static UChar counters[COUNTERS]; /* from 2 on: taken */
static UInt history;             /* one bit per branch, the latest lowest */
static Addr targets[TARGETS];

/* From translated code: a conditional branch was taken or not; an indirect jump or call goes to a target.
 * Mispredictions are added to `simulated`, unless it is paused. */
static void simulate_conditional_branch(Addr address, ULong taken)
{
    UChar *counter = &counters[(address ^ history) % COUNTERS];
    if (simulated.paused)
        return;
    simulated.counters[SIMULATED_BRANCH_MISSES] += (*counter >= 2) != (taken != 0);
    if (taken && *counter < STRONGEST)
        ++*counter;
    else if (!taken && *counter > 0)
        --*counter;
    history = (history << 1 | (taken != 0)) % COUNTERS;
}

static void simulate_indirect_branch(Addr address, Addr target)
{
    if (simulated.paused)
        return;
    simulated.counters[SIMULATED_BRANCH_MISSES] += targets[address % TARGETS] != target;
    targets[address % TARGETS] = target;
}

/* ---------------------------------------------------------------------------- threads -- */

/* A thread's state while others run. */
struct saved {
    uint64_t counters[SIMULATED_COUNTERS];
    uint64_t paused;
};
static struct saved *threads;
static UInt thread_count;
static ThreadId running;

static struct saved *simulate_saved_state(ThreadId tid)
{
    UInt grown = thread_count ? thread_count : 64;
    while (grown <= tid)
        grown *= 2;
    if (grown > thread_count) {
        threads = VG_(realloc)("assay.threads", threads, grown * sizeof *threads);
        VG_(memset)(threads + thread_count, 0, (grown - thread_count) * sizeof *threads);
        thread_count = grown;
    }
    return &threads[tid];
}

void simulate_switch(ThreadId tid, ULong blocks)
{
    (void)blocks;
    if (tid == running)
        return;
    struct saved *saved = simulate_saved_state(running);
    VG_(memcpy)(saved->counters, simulated.counters, sizeof saved->counters);
    saved->paused = simulated.paused;
    running = tid;
    saved = simulate_saved_state(running);
    VG_(memcpy)(simulated.counters, saved->counters, sizeof saved->counters);
    simulated.paused = saved->paused;
}

const uint64_t *simulate_counters(ThreadId tid)
{
    return tid == running ? simulated.counters : simulate_saved_state(tid)->counters;
}

static void simulate_start_thread(ThreadId parent, ThreadId tid)
{
    (void)parent;
    VG_(memset)(simulate_saved_state(tid), 0, sizeof(struct saved));
}

/* Its only thread starts afresh, but its depth in probes is unchanged. */
static void simulate_in_child(ThreadId tid)
{
    simulate_switch(tid, 0);
    VG_(memset)(simulated.counters, 0, sizeof simulated.counters);
}

static Bool simulate_request(ThreadId tid, UWord *arguments, UWord *result)
{
    (void)tid;
    if (arguments[0] != SIMULATED_REQUEST)
        return False;
    *result = (UWord)&simulated;
    return True;
}

/* ---------------------------------------------------------------------------- the beginning -- */

/* Creates empty caches: BYTES/WAYS/LINE,BYTES/WAYS/LINE,BYTES/WAYS/LINE, all decimal. Whether each is possible. To be
 * called once. */
static Bool simulate_init_caches(const HChar *text)
{
    for (UInt i = 0; i < SIMULATED_LEVELS; i++) {
        struct simulated_cache *cache = &simulated.caches[i];
        HChar *end;
        cache->bytes = VG_(strtoull10)(text, &end);
        if (*end != '/')
            return False;
        cache->ways = (UInt)VG_(strtoull10)(end + 1, &end);
        if (*end != '/')
            return False;
        cache->line_bytes = (UInt)VG_(strtoull10)(end + 1, &end);
        if (*end != (i < SIMULATED_LEVELS - 1 ? ',' : '\0'))
            return False;
        text = end + 1;
        if (!simulated_is_possible(cache))
            return False;
        struct level *level = &levels[i];
        level->ways = cache->ways;
        level->sets = cache->bytes / cache->ways / cache->line_bytes;
        level->power = (level->sets & (level->sets - 1)) == 0;
        level->shift = (UInt)__builtin_ctz(cache->line_bytes);
        level->tags = VG_(calloc)("assay.cache", level->sets * level->ways, sizeof *level->tags);
    }
    return True;
}

Bool simulate_init(void)
{
    const HChar *caches = config_get()->caches;
    if (caches && !simulate_init_caches(caches)) {
        VG_(umsg)("assay: --assay-caches=%s: such caches can't exist\n", caches);
        return False;
    }
    VG_(needs_client_requests)(simulate_request);
    VG_(track_start_client_code)(simulate_switch);
    VG_(track_pre_thread_ll_create)(simulate_start_thread);
    VG_(atfork)(NULL, NULL, simulate_in_child);
    return True;
}

/* ---------------------------------------------------------------------------- the block under translation -- */

static struct {
    UInt emitted;       /* instructions counted so far */
    Addr line;          /* fetched last, + 1; 0: none */
    enum x86_flow flow; /* of the current instruction, until its branch is reported */
} builder;

static void simulate_prepare(IRSB *in)
{
    (void)in;
    builder.emitted = 0;
    builder.line = 0;
    builder.flow = X86_ON;
}

/* Wherever the block is left from here, this many instructions are done. */
void simulate_emit_count(UInt done)
{
    if (done == builder.emitted)
        return;
    IRExpr *counts = ir_binary(Ity_I1, Iop_CmpEQ64, ir_variable(Ity_I64, &simulated.paused), ir_word(0));
    IRExpr *more =
        ir_binary(Ity_I64, Iop_And64, ir_unary(Ity_I64, Iop_1Sto64, counts), ir_word(done - (ULong)builder.emitted));
    IRExpr *at = ir_pointer(&simulated.counters[SIMULATED_INSTRUCTIONS]);
    ir_store(at, ir_binary(Ity_I64, Iop_Add64, ir_load(Ity_I64, at), more));
    builder.emitted = done;
}

/* The core may have inverted the condition of a branch. */
static void simulate_before(const IRStmt *statement)
{
    if (statement->tag != Ist_Exit)
        return;
    if (builder.flow == X86_BRANCH) {
        const struct accesses_instruction *branch = translation_instruction();
        Bool inverted = translation_target(statement->Ist.Exit.dst) == branch->address + branch->length;
        IRExpr *leaves = ir_unary(Ity_I64, Iop_1Uto64, statement->Ist.Exit.guard);
        IRExpr *taken = inverted ? ir_binary(Ity_I64, Iop_Xor64, leaves, ir_word(1)) : leaves;
        ir_call("branch_conditional", simulate_conditional_branch, mkIRExprVec_2(ir_word(branch->address), taken),
                NULL);
        builder.flow = X86_ON;
    }
    simulate_emit_count(translation_done_at_exit(statement));
}

static void simulate_emit_access(UInt slot)
{
    const struct accesses_one *one = &translation.accesses.ones[slot];
    ir_call("cache_access", simulate_access,
            mkIRExprVec_2(one->address, ir_word(translation.accesses.slots[slot].size)), one->guard);
}

/* A compare-and-swap has its line from the store's look-up, whether or not it stores. */
static void simulate_before_access(UInt slot)
{
    if (translation.accesses.ones[slot].kind != ACCESS_LOAD)
        simulate_emit_access(slot);
}

static void simulate_after_access(UInt slot)
{
    if (translation.accesses.ones[slot].kind == ACCESS_LOAD)
        simulate_emit_access(slot);
}

static void simulate_after(const IRStmt *statement)
{
    struct x86_instruction decoded = {0};
    if (statement->tag != Ist_IMark)
        return;
    const struct accesses_instruction *instruction = translation_instruction();
    Addr address = instruction->address;
    if (config_get()->branches)
        x86_decode((const uint8_t *)address, instruction->length, address, &decoded);
    builder.flow = (enum x86_flow)decoded.flow;
    if (!config_get()->caches || instruction->length == 0)
        return;
    /* Fetches in the line that was fetched last need not be simulated. */
    UInt shift = levels[SIMULATED_L1I].shift;
    Addr first = (address >> shift) + 1, last = ((address + instruction->length - 1) >> shift) + 1;
    if (first == builder.line && last == first)
        return;
    ir_call("cache_fetch", simulate_fetch, mkIRExprVec_2(ir_word(address), ir_word(instruction->length)), NULL);
    builder.line = last;
}

static void simulate_finish(void)
{
    const IRExpr *next = translation.in->next;
    if ((builder.flow == X86_JUMP_INDIRECT || builder.flow == X86_CALL_INDIRECT) && next->tag != Iex_Const)
        ir_call("branch_indirect", simulate_indirect_branch,
                mkIRExprVec_2(ir_word(translation_last()), translation.in->next), NULL);
    simulate_emit_count(translation_done_at_end());
}

struct translation_mode simulate_mode(void)
{
    const Bool caches = config_get()->caches != NULL;
    return (struct translation_mode){
        .wanted = {.loads = caches, .stores = caches},
        .prepare = simulate_prepare,
        .before = simulate_before,
        .before_access = simulate_before_access,
        .after_access = simulate_after_access,
        .after = simulate_after,
        .finish = simulate_finish,
    };
}

IRSB *simulate_translate(IRSB *in)
{
    const struct translation_mode mode = simulate_mode();
    return translation_translate(in, &mode);
}

#include "collect/exact/tool/instances/instances.h"

#include <valgrind/libvex_guest_amd64.h>
#include <valgrind/pub_tool_aspacemgr.h>
#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_libcprint.h>
#include <valgrind/pub_tool_machine.h>
#include <valgrind/pub_tool_mallocfree.h>
#include <valgrind/pub_tool_threadstate.h>
#include <valgrind/pub_tool_vki.h>

#include "collect/exact/tool/code/ir.h"
#include "collect/exact/tool/code/registers.h"
#include "collect/exact/tool/code/translation.h"
#include "collect/exact/tool/instances/functions.h"
#include "collect/exact/tool/instances/instant.h"
#include "collect/exact/tool/counters/simulate.h"
#include "collect/exact/tool/state/array.h"
#include "collect/exact/tool/state/config.h"
#include "collect/exact/tool/state/frames.h"
#include "collect/exact/tool/state/raw_writer.h"

enum { TIDS_MAX = 1 << 16 };

/* One that has not ended. */
struct instance {
    const struct context_slot *function;
    Addr back;  /* where it returns to */
    UInt depth; /* of its frame, from 1 */
    ULong number, began_ns;
    ULong counters[RAW_COUNTERS_MAX];
};

struct thread {
    struct instance *open;
    UInt count, capacity;
    ULong number; /* of the last one */
    ULong began_ns;
};

static struct thread *threads[TIDS_MAX]; /* by Valgrind's number */
static struct thread *now;
static UInt counter_count;
static enum simulated_counter counters[RAW_COUNTERS_MAX]; /* that are recorded, in their order */

/* ---------------------------------------------------------------------------- records -- */

/* `values`: of the counters, `count` of them. */
static void instances_write_end(UInt thread, const struct instance *instance, enum raw_call_ending how,
                                const ULong *values, UInt count)
{
    ULong now_ns = instant_ns();
    const struct raw_call_end record = {.time_ns = now_ns,
                                        .number = instance->number,
                                        .took_ns = now_ns - instance->began_ns,
                                        .thread = thread,
                                        .how = how};
    raw_writer_instance(RAW_CALL_END, &record, sizeof record, values, count);
}

/* The work of a thread so far, for the shares of it that functions have. */
static void instances_write_total(ThreadId tid)
{
    ULong values[RAW_COUNTERS_MAX];
    for (UInt i = 0; i < counter_count; i++)
        values[i] = simulate_counters(tid)[counters[i]];
    instances_write_end(frames_number(tid), &(struct instance){.began_ns = threads[tid]->began_ns}, RAW_THREAD_TOTAL,
                        values, counter_count);
}

/* ---------------------------------------------------------------------------- open instances -- */

static UInt instances_last_depth(void)
{
    return now->count ? now->open[now->count - 1].depth : 0;
}

static void instances_end_last(enum raw_call_ending how)
{
    const struct instance *instance = &now->open[--now->count];
    ULong values[RAW_COUNTERS_MAX];
    for (UInt i = 0; i < counter_count; i++)
        values[i] = simulated.counters[counters[i]] - instance->counters[i];
    instances_write_end(frames_thread, instance, how, values, how == RAW_RETURNED ? counter_count : 0);
    frames_guarded = instances_last_depth();
}

/* Frames were left in another way than by a return; this many remain. */
static void instances_leave_frames(UInt depth)
{
    while (instances_last_depth() > depth)
        instances_end_last(RAW_LEFT);
}

/* From translated code: the function begins, with this stack pointer. */
static void instance_begins(const struct context_slot *function, Addr sp)
{
    static const UInt REGISTERS[RAW_ARGUMENTS] = {IR_STATE(RDI), IR_STATE(RSI), IR_STATE(RDX),
                                                  IR_STATE(RCX), IR_STATE(R8),  IR_STATE(R9)};
    Bool called = frames_enter(sp);
    UInt depth = frames_depth();
    for (UInt i = now->count; i > 0 && now->open[i - 1].depth == depth; i--)
        if (now->open[i - 1].function == function)
            return; /* it has begun already */
    /* A function that was not called may be anywhere. */
    Bool readable = called || VG_(am_is_valid_for_client)(sp, sizeof(Addr), VKI_PROT_READ);
    now->open = array_reserve("assay.instances", now->open, now->count, &now->capacity, 16, sizeof *now->open);
    struct instance *instance = &now->open[now->count++];
    *instance = (struct instance){.function = function,
                                  .back = readable ? *(const Addr *)sp : 0,
                                  .depth = depth,
                                  .number = ++now->number,
                                  .began_ns = instant_ns()};
    for (UInt i = 0; i < counter_count; i++)
        instance->counters[i] = simulated.counters[counters[i]];
    frames_guarded = depth;

    ULong arguments[RAW_ARGUMENTS];
    UInt count = config_get()->arguments ? RAW_ARGUMENTS : 0;
    const struct raw_call record = {.time_ns = instance->began_ns,
                                    .number = instance->number,
                                    .thread = frames_thread,
                                    .site = context_entry(context_node, function)};
    for (UInt i = 0; i < count; i++)
        VG_(get_shadow_regs_area)
    (VG_(get_running_tid)(), (UChar *)&arguments[i], 0, (PtrdiffT)REGISTERS[i], sizeof arguments[i]);
    raw_writer_instance(RAW_CALL, &record, sizeof record, arguments, count);
}

/* From translated code: a return instruction has taken its target from below `sp`. */
static void instance_returns(Addr sp, Addr target)
{
    if (frames_top == sp - sizeof(Addr))
        while (frames_guarded == frames_depth() && now->count > 0)
            instances_end_last(now->open[now->count - 1].back == target ? RAW_RETURNED : RAW_LEFT);
    frames_return(sp, 0, 0);
}

/* ---------------------------------------------------------------------------- threads -- */

void instances_switch(ThreadId tid)
{
    instant_read_clock();
    if (!threads[tid]) {
        threads[tid] = VG_(calloc)("assay.thread", 1, sizeof *threads[tid]);
        threads[tid]->began_ns = instant_ns();
    }
    now = threads[tid];
    frames_guarded = instances_last_depth();
}

static void instances_free_thread(ThreadId tid)
{
    if (now == threads[tid])
        now = NULL;
    if (threads[tid]->open)
        VG_(free)(threads[tid]->open);
    VG_(free)(threads[tid]);
    threads[tid] = NULL;
}

void instances_forget(ThreadId tid)
{
    struct thread *thread = threads[tid];
    if (!thread)
        return;
    while (thread->count > 0)
        instances_write_end(frames_number(tid), &thread->open[--thread->count], RAW_UNFINISHED, NULL, 0);
    instances_write_total(tid);
    instances_free_thread(tid);
    frames_guarded = 0;
}

void instances_open_child(ThreadId tid)
{
    for (ThreadId other = 0; other < TIDS_MAX; other++)
        if (other != tid && threads[other])
            instances_free_thread(other);
    if (threads[tid])
        threads[tid]->count = 0;
    frames_guarded = 0;
}

void instances_report(void)
{
    for (ThreadId tid = 0; tid < TIDS_MAX; tid++)
        if (threads[tid])
            instances_write_total(tid);
    functions_report(raw_writer_name);
}

/* ---------------------------------------------------------------------------- code -- */

static struct translation_mode simulation;

/* Registers must be right where a function begins: only at the start of a block they are, once writes are dropped. */
static void instances_prepare(IRSB *in)
{
    const struct accesses *accesses = &translation.accesses;
    Bool entered = False;
    functions_load_code(accesses->instructions[0].address);
    for (UInt i = 1; i < accesses->instruction_count && !entered; i++)
        entered = functions_entry_at(accesses->instructions[i].address) != NULL;
    if (!entered)
        registers_drop_writes(in, NULL);
    simulation.prepare(in);
}

static void instances_before(const IRStmt *statement)
{
    const struct context_slot *entry =
        statement->tag == Ist_IMark ? functions_entry_at(statement->Ist.IMark.addr) : NULL;
    if (entry) {
        const struct accesses_instruction *last = translation_instruction();
        simulate_emit_count(last ? last->number : 0);
        ir_call("instance_begins", instance_begins, mkIRExprVec_2(ir_pointer(entry), ir_register(IR_STATE(RSP))), NULL);
    }
    simulation.before(statement);
}

static void instances_finish(void)
{
    simulation.finish();
    IRExpr *sp = ir_register(IR_STATE(RSP));
    if (translation.in->jumpkind == Ijk_Ret)
        ir_call("instance_returns", instance_returns, mkIRExprVec_2(sp, translation.in->next), NULL);
    else
        translation_emit_frames(sp, NULL, 0);
}

IRSB *instances_translate(IRSB *in)
{
    simulation = simulate_mode();
    struct translation_mode mode = simulation;
    mode.prepare = instances_prepare;
    mode.before = instances_before;
    mode.finish = instances_finish;
    return translation_translate(in, &mode);
}

/* ---------------------------------------------------------------------------- the beginning -- */

Bool instances_init(void)
{
    static const HChar *const NAMES[SIMULATED_COUNTERS] = {"instructions", "l1i-misses", "l1d-misses",
                                                           "l1-misses",    "l2-misses",  "branch-misses"};
    const HChar *text = config_get()->counters;
    if (!functions_are_named()) {
        VG_(umsg)("assay: --assay-function=NAME is missing\n");
        return False;
    }
    HChar *copy = VG_(strdup)("assay.counters", text ? text : ""), *rest;
    Bool good = True;
    for (HChar *name = VG_(strtok_r)(copy, ",", &rest); name && good; name = VG_(strtok_r)(NULL, ",", &rest)) {
        UInt which = 0;
        while (which < SIMULATED_COUNTERS && !VG_STREQ(name, NAMES[which]))
            which++;
        good = which < SIMULATED_COUNTERS && counter_count < RAW_COUNTERS_MAX;
        if (good)
            counters[counter_count++] = (enum simulated_counter)which;
    }
    VG_(free)(copy);
    if (!good) {
        VG_(umsg)("assay: --assay-counters=%s: there are no such counters\n", text);
        return False;
    }
    functions_init();
    frames_on_left = instances_leave_frames;
    return True;
}

#include "collect/exact/tool/state/frames.h"

#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_libcproc.h>
#include <valgrind/pub_tool_machine.h>
#include <valgrind/pub_tool_mallocfree.h>

#include "collect/exact/tool/state/heap.h"
#include "collect/exact/tool/state/pairs.h"
#include "collect/exact/tool/state/raw_writer.h"
#include "collect/exact/tool/state/shadow_memory.h"

enum { TIDS_MAX = 1 << 16, RED_ZONE = 128 };

enum frame_kind { FRAME_CALL, FRAME_SIGNAL, FRAME_SIGNAL_ELSEWHERE /* its handler runs on the alternate stack */ };

struct frame {
    Addr sp;
    UInt node; /* of the caller */
    UInt kind; /* enum frame_kind */
};

struct thread {
    struct frame *frames;
    UInt depth, capacity;
    UInt node;
    UInt number;
    UInt signals;   /* existing frames */
    Addr alternate; /* the alternate stack of the latest signal */
    SizeT alternate_bytes;
};

Addr frames_top = ~(Addr)0;
UInt frames_thread, frames_threads, frames_guarded;
void (*frames_on_left)(UInt depth);

static struct thread *threads[TIDS_MAX]; /* by Valgrind's number, which is reused */
static struct thread *now;

static void frames_set_top(void)
{
    frames_top = now->depth ? now->frames[now->depth - 1].sp : ~(Addr)0;
}

void frames_switch(ThreadId tid)
{
    if (now && now == threads[tid])
        return;
    if (now) {
        now->node = context_node;
        pairs_finalize_alone(now->number);
    }
    if (!threads[tid]) {
        struct thread *thread = threads[tid] = VG_(calloc)("assay.thread", 1, sizeof *thread);
        thread->number = ++frames_threads;
        thread->capacity = 256;
        thread->frames = VG_(malloc)("assay.frames", thread->capacity * sizeof *thread->frames);
        thread->node = context_root(thread->number);
        raw_writer_thread(thread->number, (UInt)VG_(gettid)());
    }
    now = threads[tid];
    context_node = now->node;
    frames_thread = now->number;
    heap_switch(tid);
    frames_set_top();
}

void frames_forget(ThreadId tid)
{
    if (!threads[tid])
        return;
    if (now == threads[tid]) {
        pairs_finalize_alone(now->number);
        now = NULL;
    }
    heap_forget(tid);
    VG_(free)(threads[tid]->frames);
    VG_(free)(threads[tid]);
    threads[tid] = NULL;
}

void frames_forget_others(ThreadId tid)
{
    for (ThreadId other = 0; other < TIDS_MAX; other++)
        if (other != tid)
            frames_forget(other);
}

static void frames_push(Addr sp, enum frame_kind kind)
{
    if (now->depth == now->capacity) {
        now->capacity *= 2;
        now->frames = VG_(realloc)("assay.frames", now->frames, now->capacity * sizeof *now->frames);
    }
    now->frames[now->depth++] = (struct frame){sp, context_node, kind};
    frames_top = sp;
}

static void frames_pop(void)
{
    const struct frame *frame = &now->frames[--now->depth];
    context_node = frame->node;
    now->signals -= frame->kind != FRAME_CALL;
    if (UNLIKELY(now->depth < frames_guarded))
        frames_on_left(now->depth);
}

/* Ends the frames whose stack pointer is below `sp`. */
void frames_check(Addr sp)
{
    while (now->depth) {
        const struct frame *frame = &now->frames[now->depth - 1];
        Bool elsewhere = frame->kind == FRAME_SIGNAL_ELSEWHERE && sp - now->alternate < now->alternate_bytes;
        if (frame->sp >= sp || elsewhere)
            break;
        frames_pop();
    }
    frames_set_top();
}

void frames_call(struct context_block *block, Addr sp)
{
    if (UNLIKELY(frames_top <= sp))
        frames_check(sp + 1);
    if (block->call_node != context_node) {
        block->call_child = context_child(context_node, block->call, RAW_CALLED);
        block->call_lumped = context_is_lumped(context_node, block->call_child);
        block->call_node = context_node;
    }
    if (UNLIKELY(block->call_lumped))
        context_count_lumped(block->call_child);
    frames_push(sp, FRAME_CALL);
    context_node = block->call_child;
}

void frames_return(Addr sp, ULong raised, ULong result)
{
    if (UNLIKELY(heap_pending == sp))
        heap_return(result);
    if (LIKELY(frames_top == sp - sizeof(Addr) && now->frames[now->depth - 1].kind == FRAME_CALL)) {
        context_node = now->frames[--now->depth].node;
        frames_set_top();
    } else {
        frames_check(sp);
    }
    Addr low = sp - raised - RED_ZONE;
    shadow_clear(low, sp - low);
}

Bool frames_enter(Addr sp)
{
    if (LIKELY(frames_top == sp))
        return True;
    if (frames_top < sp)
        frames_check(sp);
    if (frames_top == sp)
        return True;
    frames_push(sp, FRAME_CALL);
    return False;
}

UInt frames_depth(void)
{
    return now->depth;
}

UInt frames_number(ThreadId tid)
{
    return threads[tid] ? threads[tid]->number : 0;
}

void frames_signal(ThreadId tid, Addr sp, Addr address, Bool elsewhere)
{
    UInt child = context_child(context_node, address, RAW_SIGNAL);
    frames_push(sp, elsewhere ? FRAME_SIGNAL_ELSEWHERE : FRAME_SIGNAL);
    now->signals++;
    now->alternate = VG_(thread_get_altstack_min)(tid);
    now->alternate_bytes = VG_(thread_get_altstack_size)(tid);
    context_node = child;
}

void frames_signal_end(void)
{
    for (UInt signals = now->signals; now->depth && signals && now->signals == signals;)
        frames_pop();
    frames_set_top();
}

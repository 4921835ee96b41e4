#include "collect/valgrind/stream.h"

#include <valgrind/pub_tool_libcbase.h>

#include "collect/valgrind/access.h"
#include "collect/valgrind/stack.h"

enum { POPPED_WORDS = STREAM_HEAD_WORDS + 2 };

ULong stream_buffer[STREAM_BYTES / 8], stream_scratch[STREAM_RECORD_WORDS];
ULong *stream_next = stream_buffer;

static ULong *first = stream_buffer; /* the first record that may hold something new */

/* Looks at all records; the last one's place. */
static ULong *look(void)
{
    ULong *record = first, *last = first;
    while (record < stream_next) {
        struct context_block *block = (struct context_block *)(Addr)record[0];
        UInt node = (UInt)record[1];
        if (UNLIKELY(block->node != node))
            context_enter(block, node);
        access_record(block, record);
        last = record;
        record += block->words;
    }
    return last;
}

static void forget(ULong *from, ULong *end)
{
    VG_(memset)(from, 0, (SizeT)((UChar *)end - (UChar *)from));
}

void stream_make_room(void)
{
    look();
    forget(first, stream_next);
    first = stream_next = stream_buffer;
}

void stream_settle(void)
{
    if (first == stream_next)
        return;
    ULong *last = look();
    forget(first, last);
    forget(last + STREAM_HEAD_WORDS, stream_next);
    first = last;
}

void stream_popped(Addr low, SizeT bytes)
{
    static const struct stream_op OPS[] = {{.at = STREAM_HEAD_WORDS, .kind = STREAM_POPPED}};
    static const UInt HANDLES[] = {0};
    static struct context_block block = {.handles = HANDLES, .ops = OPS, .op_count = 1, .words = POPPED_WORDS};
    if (UNLIKELY(stream_next > &stream_buffer[STREAM_LIMIT / 8]))
        stream_make_room();
    ULong *record = stream_next;
    record[0] = (ULong)(Addr)&block;
    record[1] = 0;
    record[2] = low;
    record[3] = bytes;
    stream_next += POPPED_WORDS;
}

void stream_moved(Addr before, Addr after, ULong raised)
{
    stream_settle();
    stack_moved(before, after, raised);
}

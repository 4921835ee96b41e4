/*
 * stream.h - what translated code leaves behind of its accesses: records in a buffer, looked at when the buffer is
 * full or when something else happens to the shadow.
 *
 * A record belongs to one execution of a superblock, in program order: the superblock, the node it ran in, and words
 * for each of its operations, at places that are the same in every execution. The first word of an operation is 0 as
 * long as it has not happened (a side exit, a guard, a fault), else the address. Memory that no record holds is 0.
 *
 * Cost: two stores an access, some six instructions a superblock; no call, so that no register has to be saved.
 */
#ifndef ASSAY_VALGRIND_STREAM_H
#define ASSAY_VALGRIND_STREAM_H

#include <valgrind/pub_tool_basics.h>

#include "collect/valgrind/context.h"

enum {
    STREAM_BYTES = 1 << 16,   /* of the buffer */
    STREAM_LIMIT = 1 << 15,   /* beyond it no record begins */
    STREAM_HEAD_WORDS = 2,    /* block, node */
    STREAM_RECORD_WORDS = (STREAM_BYTES - STREAM_LIMIT) / 8 /* at most */
};

enum stream_kind {
    STREAM_READ,   /* a load whose value nobody asks for: address */
    STREAM_LOAD,   /* address, value */
    STREAM_STORE,  /* a store whose value nobody asks for: address */
    STREAM_CHANGE, /* a store: address, old value ^ new value */
    STREAM_REAL,   /* a store: address, old value, new value */
    STREAM_LOOP,   /* the header of a loop: 1 */
    STREAM_SYSTEM, /* a system call is next: 1 */
    STREAM_POPPED, /* bytes of the stack start afresh: lowest address, bytes */
    STREAM_MOVED   /* as stack_moved(): before, after, raised */
};

/* An operation of a superblock. Values take as many whole words as they need; what is beyond `size` is undefined. */
struct stream_op {
    UShort at;   /* word in the record */
    UShort slot; /* whose handle it has */
    UShort size; /* of the access */
    UChar kind;  /* enum stream_kind */
    UChar lane;
};

extern ULong *stream_next; /* where the next record begins */
extern ULong stream_buffer[STREAM_BYTES / 8];
extern ULong stream_scratch[STREAM_RECORD_WORDS]; /* for records that nobody looks at */

/* From translated code: there is room for a record afterwards. Not while one is being written. */
void stream_make_room(void);

/*
 * Everything that was left so far has been looked at. A record may be in the middle of being written: its remaining
 * operations go where they would have gone.
 */
void stream_settle(void);

/* From translated code, not while a record is being written: bytes of the stack start afresh; stack_moved(). */
void stream_popped(Addr low, SizeT bytes);
void stream_moved(Addr before, Addr after, ULong raised);

#endif

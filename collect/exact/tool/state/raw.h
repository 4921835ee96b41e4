/*
 * raw.h - what the exact tool writes for the recorder: PREFIX-PID[.N].exact, a stream of records that the recorder
 * turns into a trace (collect/exact/convert). Little-endian, native alignment; no libc, since it is also compiled into
 * the tool.
 *
 * The file begins with a RAW_HELLO. Every record is a struct raw_head and its payload, a multiple of 8 bytes. A
 * definition (module, node, sites, object, thread) precedes its first use; loops follow the nodes that have them.
 * Counts are increments since the last record of the same pair or total, so any prefix of the file is correct for the
 * run up to the last RAW_TIME. A file that doesn't end with RAW_END belongs to a process that was killed or still runs.
 */
#ifndef ASSAY_EXACT_TOOL_STATE_RAW_H
#define ASSAY_EXACT_TOOL_STATE_RAW_H

#include <stdint.h>

#define RAW_MAGIC UINT64_C(0x3154584559415341) /* "ASAYEXT1" */

enum raw_type {
    RAW_HELLO = 1,  /* struct raw_hello, then a JSON object as text, padded with NUL */
    RAW_MODULE = 2, /* struct raw_module, then the path, NUL-terminated and padded */
    RAW_THREAD = 3, /* struct raw_thread */
    RAW_NODE = 4,   /* struct raw_node[] */
    RAW_SITES = 5,  /* struct raw_sites, then uint64_t address[count] */
    RAW_OBJECT = 6, /* struct raw_object */
    RAW_PAIR = 7,   /* struct raw_pair[] */
    RAW_TOTAL = 8,  /* struct raw_total[] */
    RAW_LOST = 9,   /* struct raw_lost, then a text for the user, NUL-terminated and padded */
    RAW_TIME = 10,  /* struct raw_time: everything before it was written by then */
    RAW_END = 11,   /* struct raw_end: nothing comes after */
    RAW_BLOCK = 12, /* struct raw_block, then struct raw_slot[count]; mode memory */
    RAW_CALL = 13,  /* struct raw_call, then uint64_t argument[RAW_ARGUMENTS] or nothing; mode calls, as those below */
    RAW_CALL_END =
        14,          /* struct raw_call_end, then uint64_t counter[]: what they advanced by; none if that is unknown */
    RAW_NAME = 15,   /* struct raw_name, then the name, NUL-terminated and padded */
    RAW_METHOD = 16, /* struct raw_method, then its texts, each NUL-terminated, padded */
    RAW_THREAD_NAME = 17, /* struct raw_thread_name, then the name, NUL-terminated and padded */
    RAW_BURST = 18,       /* struct raw_burst */
    RAW_LOOP = 19,        /* struct raw_loop[]; mode memory */
    RAW_CODE = 20         /* struct raw_code, then struct raw_instruction[count]; mode memory with fetches */
};

struct raw_head {
    uint32_t type;  /* enum raw_type; an unknown one is skipped */
    uint32_t bytes; /* of the payload, a multiple of 8, ≤ RAW_PAYLOAD_MAX */
};
enum { RAW_PAYLOAD_MAX = 1 << 20 };

struct raw_hello {
    uint64_t magic;
    uint64_t start_monotonic_ns;
    uint32_t pid;
    uint32_t json_bytes; /* without the padding */
};

/* A mapped file. id counts from 1 in the file; a frame's position is its address minus the bias. */
struct raw_module {
    uint32_t id;
    uint32_t path_bytes; /* without NUL */
    uint64_t bias, low, high;
};

struct raw_thread {
    uint32_t id; /* from 1; a context's thread is that of its root node */
    uint32_t tid;
};

/* A thread of a managed runtime (Java). */
struct raw_thread_name {
    uint32_t thread;
    uint32_t bytes; /* without NUL */
};

/*
 * A method of a managed runtime. Where others have the address of an instruction, its instructions have RAW_MANAGED,
 * the method's id in bits 32-62, the line in bits 16-31 (0: unknown), and the bytecode index in bits 0-15.
 */
struct raw_method {
    uint32_t id;       /* from 1 */
    uint32_t bytes[4]; /* of class, name, descriptor and source file, with NUL */
    uint32_t padding;
};
#define RAW_MANAGED (UINT64_C(1) << 63)
enum { RAW_MANAGED_METHOD_SHIFT = 32, RAW_MANAGED_LINE_SHIFT = 16 };

/*
 * A node of the calling-context tree: a function that was called by the instruction at `call` in its parent's function.
 * Nodes count from 1 without gaps; parent < id. A root has parent 0 and call 0.
 */
enum raw_node_kind {
    RAW_CALLED = 0,
    RAW_ROOT = 1,
    RAW_SIGNAL = 2 /* `call` is where the signal came */,
    RAW_CUT = 3 /* deeper calls, or further contexts, are lumped together here */
};
struct raw_node {
    uint32_t id, parent;
    uint64_t call;
    uint64_t loop; /* mode memory: the header of the innermost loop around the call, in its function; 0: none */
    uint32_t thread;
    uint32_t kind;
};

/* A natural loop of a function. A later definition of the same header replaces it: code may change. */
struct raw_loop {
    uint64_t header; /* the address of its first instruction */
    uint64_t around; /* the header of the innermost loop around it, in its function; 0: none */
};

/* Context handles first … first+count−1: instructions at address[i] in the function of `node`. 0 is not a context. */
struct raw_sites {
    uint32_t first, count;
    uint32_t node, padding;
};

/*
 * kind: enum trace_object_kind. Static: `address` of the symbol, and the `module` that has it, or 0; heap and mapped:
 * `node` of the function that allocates or maps, whose chain of calls shows who called it; `address`, of a managed
 * runtime, is the place RAW_MANAGED of the constructor, or of what stands for the allocation of an array.
 */
struct raw_object {
    uint32_t id; /* from 1 */
    uint32_t kind;
    uint64_t address, bytes;
    uint32_t node, module;
};

/* As the columns of TRACE_PAIR; contexts are handles, `scope` the address of a loop's header or 0. */
struct raw_pair {
    uint32_t first, second;
    uint64_t scope;
    uint32_t object, thread;
    uint32_t waste, values;
    uint64_t events, wasted_events, bytes, wasted_bytes;
};

/* As the columns of TRACE_TOTAL. */
struct raw_total {
    uint32_t thread, access, values, padding;
    uint64_t events, bytes;
};

/* The first lengths of bursts, and of the gaps between them, if the tool chooses them: instructions. */
enum { RAW_BURST_ON = 2000000, RAW_BURST_OFF = 18000000 };

/* As the columns of TRACE_BURST. */
struct raw_burst {
    uint32_t waste, padding;
    uint64_t bytes, wasted_bytes, unseen_bytes, crossing_bytes, crossing_wasted_bytes;
};

/* Something that could not be recorded, `count` times since the last record of the same cause (enum raw_cause). */
enum raw_cause {
    RAW_LOST_NODES = 1,   /* calls lumped into a RAW_CUT node: too many contexts */
    RAW_LOST_DEPTH = 2,   /* recursive calls that reused the node of an earlier one, or were too deep */
    RAW_LOST_SCOPES = 3,  /* pairs whose scope could not be determined */
    RAW_LOST_WRITES = 4,  /* records that the file system refused */
    RAW_OTHER_THREAD = 5, /* bytes whose earlier access was another thread's: no pair, unless the
                             recording has pairs between threads */
    RAW_LOST_MEMORY = 6,  /* accesses for which there was no shadow memory */
    RAW_LOST_RING = 7,    /* mode memory: all accesses from then on, since there is no ring, no room or no reader */
    RAW_ELSEWHERE = 8, /* bytes that Java code accessed through Unsafe, and that are neither a field nor an element */
    RAW_HIDDEN = 9     /* classes of a JVM that no agent can rewrite */
};
struct raw_lost {
    uint32_t cause, padding;
    uint64_t count;
};

/* A call of a function that the user named. In a thread calls end in the reverse of the order in which they begin. */
enum { RAW_ARGUMENTS = 6, RAW_COUNTERS_MAX = 4 };
struct raw_call {
    uint64_t time_ns; /* CLOCK_MONOTONIC, as in RAW_TIME, but it may be a little later than that of the batch */
    uint64_t number;  /* in its thread, from 1 */
    uint32_t thread;
    uint32_t site; /* context handle of the function's first instruction */
};

/* As enum trace_instance. RAW_THREAD_TOTAL: of no call, but of the whole thread so far. */
enum raw_call_ending { RAW_RETURNED = 1, RAW_LEFT = 2, RAW_UNFINISHED = 4, RAW_THREAD_TOTAL = 10 };
struct raw_call_end {
    uint64_t time_ns;
    uint64_t number; /* that of the call; 0: of none */
    uint64_t took_ns;
    uint32_t thread;
    uint32_t how; /* enum raw_call_ending */
};

/* A name that the user gave, and how many symbols of functions it matches in the files that were mapped. */
struct raw_name {
    uint32_t functions;
    uint32_t bytes; /* without NUL */
};

struct raw_time {
    uint64_t monotonic_ns;
    uint64_t instructions; /* executed by all threads so far; 0 (currently always): not counted */
};

struct raw_end {
    uint32_t kind; /* enum raw_end_kind */
    uint32_t status;
};
enum raw_end_kind { RAW_EXITED = 0, RAW_SIGNALLED = 1, RAW_EXEC = 2 /* the process became another program */ };
enum { RAW_EXEC_NOTED = 1 }; /* `status` of RAW_EXEC: a note of the run says that the other program is not measured */

/*
 * Mode memory: next to the file there is a ring, PREFIX-PID[.N].memory, mapped by both sides: a page with struct
 * raw_ring, then `segments` segments of `segment_words` words of 64 bits. The tool fills segment number n (from 0) at
 * position n modulo `segments`, writes the definitions that it needs, and increments `filled`; the reader takes it,
 * sets it to zeros, and increments `drained`. Before it begins a segment whose position is not drained, the tool waits.
 * Words are written in order over zeros, so that a partly filled segment of a killed process is valid up to the first
 * zero word.
 *
 * An execution of a block is a RAW_MARK_BLOCK, then, for each of its accesses in order, the address (or
 * RAW_MARK_ABSENT) and as many words of the value as the slot says, zero-extended, little-endian. A RAW_MARK_EXIT ends
 * it before its last slot, or instruction; otherwise the next mark or the end does. No other first word of an access
 * has bit 63. It is written before it is known whether the exit is taken, and overwritten by what comes next: in a
 * killed process the last execution may seem to have ended there. A slot that is the header of a loop has no word: the
 * loop begins or iterates there if the block's execution comes that far.
 */
#define RAW_RING_MAGIC UINT64_C(0x31474e5259415341) /* "ASAYRNG1" */
enum { RAW_RING_PAGE = 4096, RAW_RING_SEGMENTS_MAX = 64, RAW_BLOCKS_MAX = 1 << 29 };
struct raw_ring {
    uint64_t magic;
    uint32_t segments, segment_words;
    uint64_t filled;  /* by the tool */
    uint64_t drained; /* by the reader, which also sets: */
    uint32_t closed;  /* 1: nobody reads any more; the tool stops */
    uint32_t padding;
};

/* The kinds of marks: bits 61 to 63 of a word. */
enum raw_mark {
    RAW_MARK_BLOCK = 4,  /* bits 32-60: the block's id, bits 0-31: the node */
    RAW_MARK_EXIT = 5,   /* bits 0-31: the number of the block's executed instructions; bits 32-60, with fetches: of
                            its fetched ones, 0: those that make up the executed ones */
    RAW_MARK_ABSENT = 6, /* instead of an address: the access did not happen */
    RAW_MARK_GAP = 6, /* between blocks, bits 0-60: so many instructions were executed of which nothing is recorded */
    RAW_MARK_END = 7  /* the rest of the segment is not used */
};
enum { RAW_MARK_SHIFT = 61, RAW_MARK_BLOCK_SHIFT = 32, RAW_MARK_FETCHED_SHIFT = 32, RAW_VALUE_WORDS = 4 };

/* A block of instructions with one entry. Its id is new; it is executed in any node. */
struct raw_block {
    uint32_t id, count;
    uint32_t instructions; /* executed if it ends at its end */
    uint32_t padding;
};
struct raw_slot {
    uint64_t address;      /* of the instruction */
    uint64_t loop;         /* the header of the innermost loop around it, in its function; 0: none */
    uint16_t instructions; /* of the block, up to and including this one */
    uint16_t number;       /* among the accesses of the instruction, from 0 */
    uint16_t bytes;
    uint8_t access; /* enum trace_access, or RAW_HEADER, or RAW_LATE_HEADER */
    uint8_t words;  /* of the value, ≤ RAW_VALUE_WORDS */
};

/* The instructions that a block fetches, in their order; what rep repeats in it is there for each time. After the
 * block.
 */
struct raw_code {
    uint32_t block, count;
};
struct raw_instruction {
    uint64_t address;
    uint32_t bytes;
    uint32_t instructions; /* executed of the block, up to and including this one */
};

/*
 * The instruction is the header of a loop; it may have accesses, in slots that follow. A late one repeats (rep): the
 * loop iterates once, where the instruction is done, however many slots of the block have it.
 */
enum { RAW_HEADER = 0xff, RAW_LATE_HEADER = 0xfe };

#endif

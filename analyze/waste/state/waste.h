/*
 * waste.h - memory accesses that did nothing new: what assay waste counts.
 *
 * Quantity: bytes by pair of calling contexts, the earlier access and the later one to the same location, and how many
 * of them were wasted; also all bytes that were loaded and stored. Records: pair, total, object; of sampled accesses
 * trap, watch; of bursts burst; of a CPU profile sample. A trap represents `weight` accesses of its first access's
 * size: its bytes are their product.
 *
 * Every trace numbers its own contexts, objects and threads, so the state names them by text: a context is a node of a
 * tree whose frames are texts, "f:30" (line), "f@0x11d3" (address in the module's file, if the line is unknown) or "f".
 * Pairs of different traces with equal texts are one. The state keeps everything that the report's options may request,
 * so that saved states can be joined whatever their purpose. Its size is bounded by runs × threads × distinct pairs.
 *
 * Source: Su, dissertation 2020, §3.3 (Definition 3), §3.4.1-3.4.3 (eq. 3.1-3.3), §3.5.1; JXPerf, ESEC/FSE 2019, §5.6.
 */
#ifndef ASSAY_WASTE_WASTE_H
#define ASSAY_WASTE_WASTE_H

#include "analyze/driver/analyzer.h"
#include "analyze/driver/run_label.h"
#include "stats/estimates/windows.h"

/* The relations of a state, in the order in which they refer to each other; rows of the structures below. */
enum waste_relation {
    WASTE_SOURCE_ROWS,
    WASTE_RECORDING_ROWS,
    WASTE_NODE_ROWS,
    WASTE_OBJECT_ROWS,
    WASTE_TOTAL_ROWS,
    WASTE_BURST_ROWS,
    WASTE_PAIR_ROWS,
    WASTE_TIME_ROWS,
    WASTE_FRAME_ROWS,
    WASTE_RELATIONS
};
extern const struct relation waste_relations[WASTE_RELATIONS];

/* Processes of one run that have the same labels. */
struct waste_source {
    uint32_t run, labels[RUN_LABELS]; /* text */
    uint32_t kinds;                   /* bit w: enum trace_waste w was recorded */
};

/* From the metadata of one trace: how it was recorded, and what could not be recorded. */
enum waste_loss {
    WASTE_OTHER_THREAD,
    WASTE_LOST_NODES,
    WASTE_LOST_DEPTH,
    WASTE_LOST_SCOPES,
    WASTE_ELSEWHERE,
    WASTE_HIDDEN,
    WASTE_LOSSES
};
/* For sampled ones: how the kernel's reads and writes between two accesses were handled. */
enum waste_kernel {
    WASTE_KERNEL_SEEN,     /* or it does not matter */
    WASTE_KERNEL_LEFT_OUT, /* not seen; pairs that they may have separated are left out */
    WASTE_KERNEL_UNSEEN,
    WASTE_KERNEL_COUNT
};
struct waste_recording {
    uint32_t path;   /* text: a trace that is read in parts reports this once */
    uint32_t kernel; /* enum waste_kernel */
    uint64_t losses[WASTE_LOSSES];
    uint64_t burst_enable, burst_disable; /* instructions; 0 and 0: all of them were watched */
    bool burst_auto;                      /* these were only the first lengths */
    bool rewritten;                       /* the accesses of Java code, by rewriting its classes */
    bool between_threads;                 /* pairs may consist of accesses of two threads */
    bool array_lengths;                   /* arraylength instructions of Java are loads */
    double fp_tolerance;                  /* NaN: not given */
    uint64_t outcomes[OUTCOME_COUNT];     /* of sampled accesses that led to no trap */
    uint64_t unknown;                     /* records of a kind that a newer version wrote */
};

/* A context: its innermost frame and its caller. Node 0: none, or unknown; it alone has neither. */
struct waste_node {
    uint32_t parent, text; /* parent < own number; 0: outermost */
    bool is_runtime;       /* the frame belongs to a library of the language (trace/names/runtime.h) */
};

/*
 * Where the code of a frame is. Frames with one text may be of several files; the alphabetically first file is named,
 * so that the result depends on no order.
 */
struct waste_frame {
    uint32_t text;             /* the key: of nodes */
    uint32_t file;             /* text: the source file; of Java below the folder of its package; FIELD_NONE: unknown */
    uint32_t module, build_id; /* texts: the file with the code at the frame's address; FIELD_NONE: it has a line */
};

/* Object 0: none. A static one has a node of one frame, its symbol. */
struct waste_object {
    uint32_t kind, node; /* enum trace_object_kind, or one of these */
};
enum {
    WASTE_LOST_OBJECT = OBJECT_KIND_COUNT, /* its definition is lost */
    WASTE_NO_OBJECT,                       /* of object 0 */
    WASTE_OBJECT_KINDS
};

enum { WASTE_SIDES = 2 }; /* the first and the second access of a pair */

/* The traps of sampled pairs, and sums over them of bytes and of bytes², of all and of those wasted. */
struct waste_samples {
    uint64_t traps, bytes, wasted_bytes, squares, wasted_squares;
};

struct waste_pair {
    uint32_t source, thread, waste, first, second, scope, object; /* row, text, enum, node, node, node, row */
    uint64_t events, wasted_events;
    uint64_t bytes, approximate_bytes; /* all; those of floating-point values */
    uint64_t wasted[VALUES_COUNT];     /* bytes */

    /* Traps, if the pair was sampled, and sums over them of bytes², of all and of those wasted. */
    uint64_t traps, squares, wasted_squares;
    /* The instructions of a sampled pair, texts, the alphabetically first if there are several; FIELD_NONE: unknown. */
    uint32_t instructions[WASTE_SIDES];
    bool several[WASTE_SIDES];
    struct waste_samples on_stack; /* an instruction of the pair addresses its location by the stack pointer */
};

/* The samples of a CPU profile in a context; of a trace without any: node 0, 0 samples. */
struct waste_time {
    uint32_t run, node; /* text; row */
    uint64_t period_ns; /* the CPU time that a sample stands for; 0: unknown */
    uint64_t samples;
};

struct waste_total {
    uint32_t source, thread;
    uint64_t bytes[ACCESS_COUNT][VALUES_COUNT];
};

/* The bursts of a kind of waste in a source: the key, and what they have counted. */
struct waste_burst {
    uint32_t source, waste;
    struct windows windows; /* of bytes; marked: wasted */
};

struct waste_reading;

/* Nodes and objects have their row 0 as soon as a trace is read. */
struct waste {
    struct relations relations;
    struct waste_reading *reading; /* the trace that is being fed, or NULL */
    bool keeps_files;              /* for --by file; else its label is "", and processes of a program add up */
};

int waste_feed(void *state, const struct analysis_trace *trace, const struct trace_batch *batch);
int waste_finalize(void *state, const struct analysis_trace *trace);
void waste_free(void *state);

static inline size_t waste_count(const struct waste *waste, enum waste_relation relation)
{
    return relations_count(&waste->relations, relation);
}
static inline void *waste_row(const struct waste *waste, enum waste_relation relation, size_t row)
{
    return relations_at(&waste->relations, relation, row);
}
static inline const struct waste_node *waste_node_at(const struct waste *waste, uint32_t node)
{
    return waste_row(waste, WASTE_NODE_ROWS, node);
}
static inline const char *waste_text(const struct waste *waste, uint32_t text)
{
    return relations_text_at(&waste->relations, text);
}

/* Whether any of it was sampled. */
bool waste_is_sampled(const struct waste *waste);
/* Whether any process recorded a kind: enum trace_waste. */
bool waste_records(const struct waste *waste, unsigned kind);

/* The kind of access that a kind of waste is about. */
enum trace_access waste_access(unsigned kind);

/* Joins the instructions of a pair with those of several pairs: the alphabetically first is named. */
void waste_join_instructions(const struct relations *relations, const struct waste_pair *pair,
                             uint32_t instructions[WASTE_SIDES], bool several[WASTE_SIDES]);

/* --- waste_text.c: contexts as texts --- */

/* "main:12 > f:30 > memcpy@0x9c8a0", outermost first; "[unknown]" for node 0. To be freed; NULL without memory. */
char *waste_chain(const struct waste *waste, uint32_t node);
/* In at most `width` characters, up to 64: "main:14 > … > f:30 > memcpy". It loses frames in the middle, but keeps the
 * innermost frame of the program's own code (trace/names/runtime.h), where it calls a library; then it loses the
 * outermost one of the program's own code; then the middle of names. O(depth × frames shown). */
enum { WASTE_BRIEF_MAX = 512 };
void waste_fit_context(const struct waste *waste, uint32_t node, size_t width, char text[WASTE_BRIEF_MAX]);
/* The same in at most 60. */
void waste_brief(const struct waste *waste, uint32_t node, char text[WASTE_BRIEF_MAX]);
/* A text in at most `width` characters; a longer one loses its middle. The length in bytes. */
size_t waste_fit_text(const char *text, size_t width, char *fitted, size_t size);
/* One frame; a long name loses its middle. The length of the text. */
size_t waste_brief_frame(const char *frame, char *text, size_t size);
/* Like strcmp(), from the outermost frame inwards. O(depth). */
int waste_compare(const struct waste *waste, uint32_t a, uint32_t b);
/* A frame as text, "" for an empty one; size ≥ METHOD_NAME_MAX + 32. */
void waste_frame_text(const struct trace_names *names, uint32_t frame, char *text, size_t size);
/* The source file of a method, cut at size − 1: as the trace names it; if that is only a name, and the class has a
 * package, below the folders of the package: "java/util/HashMap.java". False: it is unknown. */
bool waste_frame_file(const struct trace_method *method, char *text, size_t size);

/* --- waste_trace.c: what one trace calls things --- */

/* Whether the trace is a CPU profile: it has samples, or would have, and no accesses. */
bool waste_is_profile(const struct trace *trace);
/* Makes waste->reading, and waste_stop_reading() frees it, also after ENOMEM. 0 or ENOMEM. */
int waste_start_reading(struct waste *waste, const struct analysis_trace *trace);
void waste_stop_reading(struct waste *waste);
/* 0 or ENOMEM; ids that a trace does not define become nodes and objects marked as such. */
int waste_add_thread(struct waste *waste, uint32_t stream, uint32_t *text);
int waste_add_context(struct waste *waste, uint64_t context, uint32_t *node);
int waste_add_scope(struct waste *waste, uint64_t context, uint32_t *node);
int waste_add_object(struct waste *waste, uint64_t id, uint32_t *object);
/* Adds the samples of a batch to those of their contexts, which waste_finalize() adds to the state. 0 or ENOMEM. */
int waste_count_samples(struct waste *waste, const struct trace_batch *batch);
/* Whether there is a CPU profile that says anything. O(rows). */
bool waste_has_samples(const struct waste *waste);
uint32_t waste_reading_source(const struct waste *waste); /* of waste->reading, as is: */
unsigned waste_reading_mode(const struct waste *waste);   /* enum trace_waste; WASTE_COUNT if the mode is none */
struct waste_recording *waste_reading_recording(const struct waste *waste);

#endif

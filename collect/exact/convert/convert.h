/*
 * convert.h - turns what the exact tool has left of a process (collect/exact/tool/state/raw.h) into a trace.
 *
 * Counts stand in the trace up to the last RAW_TIME: what came after it is half of an account. A raw file without a
 * RAW_END gives an unfinished trace. Memory grows with what the definitions define and with what the tool writes
 * between two RAW_TIMEs, not with the length of the file.
 */
#ifndef ASSAY_EXACT_CONVERT_CONVERT_H
#define ASSAY_EXACT_CONVERT_CONVERT_H

#include "collect/exact/convert/raw_file.h"
#include "collect/trace/trace.h"

enum { CONVERT_CAUSES = RAW_LOST_RING + 1 };

struct convert_report {
    uint64_t pairs, totals;        /* records in the trace */
    uint64_t accesses;             /* likewise, of mode memory */
    bool cut;                      /* what was accessed last is not defined: the process was killed */
    uint64_t instructions;         /* executed; 0: not counted */
    uint64_t lost[CONVERT_CAUSES]; /* [enum raw_cause] */
    uint64_t unread_bytes;         /* of the raw file: cut, damaged, or after the last RAW_TIME */
    bool damaged;                  /* not just cut: a record can't be what the tool wrote */
    bool ring_damaged;             /* a word of the ring can't be what the tool wrote: the accesses end there */
    bool ended;                    /* with RAW_END, and then: */
    struct raw_end end;
    char text[512]; /* a line for the user: what is missing; "" if nothing is */
};

enum convert_status {
    CONVERT_DONE,
    CONVERT_NOTHING, /* the process was gone before it had written anything: the raw file is removed, no trace made */
    CONVERT_FAILED   /* problem->text says why; all is as it was */
};

/*
 * Writes `trace` (DIRECTORY/.NAME.tmp, renamed when it is whole) and removes `raw`, which nobody may write to any more.
 * Metadata: `base` (borrowed; NULL: none), then what the tool says, then what is known here: `start_monotonic_ns`,
 * `start_realtime`, and `exact`: {instructions, ended, status, unread_bytes, damaged, lost_…, other_thread_bytes}.
 */
enum convert_status convert_raw(const char *raw, const char *trace, const json_t *base, struct convert_report *report,
                                struct trace_problem *problem);

/*
 * The same in steps, while the process runs: what mode memory leaves is not a file but a ring, in which the process
 * waits for its reader. `raw` ends with ".exact"; the ring has its name with ".memory" and is removed too.
 */
struct conversion;

/* 0 and *out, for convert_end(); EAGAIN: the process has not written enough to begin with; or an errno value: then the
 * process is told not to wait. */
int convert_begin(const char *raw, const char *trace, const json_t *base, struct conversion **out);

/*
 * Takes what is there, at most as much as the ring holds; *moved is set if that was anything. Returns 0 or an errno
 * value: then the process is told not to wait any more, and convert_end() is next.
 */
int convert_step(struct conversion *conversion, bool *moved);

/*
 * The process is gone, or shall be recorded no longer: takes the rest, and frees. As convert_raw(), but `raw` stays,
 * empty, so that what the process executes next does not take its name; a failed conversion leaves it as it was.
 */
enum convert_status convert_end(struct conversion *conversion, struct convert_report *report,
                                struct trace_problem *problem);

#endif

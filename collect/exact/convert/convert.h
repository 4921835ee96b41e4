/*
 * convert.h - turns the exact tool's output for a process (collect/exact/tool/state/raw.h) into a trace.
 *
 * The trace has the counts up to the last RAW_TIME: what comes after it is incomplete. A raw file without a RAW_END
 * gives an unfinished trace. Memory grows with the definitions and with what the tool writes between two RAW_TIMEs, not
 * with the length of the file.
 */
#ifndef ASSAY_EXACT_CONVERT_CONVERT_H
#define ASSAY_EXACT_CONVERT_CONVERT_H

#include <jansson.h>

#include "collect/exact/convert/raw_file.h"
#include "trace/trace.h"

enum { CONVERT_CAUSES = RAW_HIDDEN + 1 };

struct convert_report {
    uint64_t pairs, totals, calls; /* records in the trace */
    uint64_t accesses;             /* likewise, of mode memory */
    bool cut;                      /* the last accesses are undefined: the process was killed */
    uint64_t instructions;         /* executed; 0: not counted */
    uint64_t lost[CONVERT_CAUSES]; /* [enum raw_cause] */
    uint64_t unread_bytes;         /* of the raw file: cut, damaged, or after the last RAW_TIME */
    bool damaged;                  /* not just cut: the tool can't have written a record */
    bool ring_damaged;             /* the tool can't have written a word of the ring: the accesses end there */
    bool ended;                    /* with RAW_END, and then: */
    struct raw_end end;
    struct error_text missing; /* what is; "" if nothing is */
    /* Mode calls, for json_decref(): how many symbols of functions match each of the names that were given, and for
     * names that none has a similar one, if there is any. NULL: that is not known. */
    json_t *functions, *similar;
};

enum convert_status {
    CONVERT_DONE,
    CONVERT_NOTHING, /* the process ended before it had written anything: the raw file is removed, and there is no trace
                      */
    CONVERT_FAILED   /* the message says why; nothing has changed */
};

/*
 * Writes `trace` (DIRECTORY/.NAME.tmp, renamed when complete) and removes `raw`, which nobody may write to any more.
 * Metadata: `base` (borrowed; NULL: none), then what the tool says, then what is known here: `start_monotonic_ns`,
 * `start_realtime`, and `exact`: {instructions, ended, status, unread_bytes, damaged, lost_…, other_thread_bytes;
 * in mode calls `functions`, as in the report}.
 */
enum convert_status convert_raw(const char *raw, const char *trace, const json_t *base, struct convert_report *report,
                                struct error_text *message);

/*
 * The same in steps, while the process runs: the output of mode memory is not a file but a ring, whose reader the
 * process waits for. `raw` ends with ".exact"; the ring has its name with ".memory" and is removed too.
 */
struct conversion;

/* 0 and *out, for convert_end(); EAGAIN: the process has not yet written enough to begin; or an errno value: then the
 * process is told not to wait. */
int convert_begin(const char *raw, const char *trace, const json_t *base, struct conversion **out);

/*
 * Takes what is available, at most as much as the ring holds; *moved is set if that was anything. Returns 0 or an errno
 * value: then the process must not wait any more; call convert_end() next.
 */
int convert_step(struct conversion *conversion, bool *moved);

/*
 * The process has ended, or is no longer to be recorded: takes the rest, and frees. As convert_raw(), but `raw` stays,
 * empty, so that what the process executes next does not take its name; a failed conversion leaves it as it was.
 */
enum convert_status convert_end(struct conversion *conversion, struct convert_report *report,
                                struct error_text *message);

#endif

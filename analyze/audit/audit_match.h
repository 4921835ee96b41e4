/*
 * audit_match.h - which contexts of a program's sampled runs are contexts of its exact ones.
 *
 * Native programs: the accesses' own frames match by line, or by address where no line is known; callers' addresses may
 * be anywhere in the call instruction, so they match within AUDIT_CALL_BYTES.
 *
 * Java (exact runs of engine rewrite): frames match by method and line. (The bytecode indexes of compiled code are
 * those of its debug information, which is not kept for each instruction.) The rewritten run does not have all frames
 * of a sampled stack: callers whose method it has in no context (native methods, hidden classes, the JVM's own frames,
 * methods without probes) are left out of the sampled path. Engine rewrite cuts recursion where a call is on the path
 * three times; so in both a call that is already on the path leads back to where it first led.
 */
#ifndef ASSAY_AUDIT_AUDIT_MATCH_H
#define ASSAY_AUDIT_AUDIT_MATCH_H

#include "analyze/waste/sums/waste_rows.h"

enum { AUDIT_CALL_BYTES = 7 };

/* What a source is in a comparison. */
enum audit_role { AUDIT_NEITHER, AUDIT_EXACT, AUDIT_OTHER, AUDIT_ROLES };

/* Borrowed by the match: the state; and roles[source], of one program. NULL without memory. */
struct audit_match;
struct audit_match *audit_match_new(const struct waste *waste, const uint8_t *roles, bool java);
void audit_match_free(struct audit_match *match);

/* The same number for contexts that match, of accesses of exact and of other sources; 0: unknown. */
uint32_t audit_match_site(const struct audit_match *match, uint32_t node);

/* What the exact runs have of a context's own frame. */
enum audit_known {
    AUDIT_NO_METHOD, /* its method is in none of their contexts */
    AUDIT_NO_LINE,   /* no access of theirs is at its line (or address) */
    AUDIT_LINE
};
enum audit_known audit_match_known(const struct audit_match *match, uint32_t node);

#endif

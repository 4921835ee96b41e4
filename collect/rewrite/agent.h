/*
 * agent.h - shared by the files of the agent that rewrites a JVM's classes, so that they report their memory accesses.
 *
 * The classes of java.base come rewritten from a file that is prepared once for each JDK (prepared.c), since the JVM
 * needs them before it can run a rewriter; all others are rewritten as they load (rewrite.c). The rewriter is in
 * java/, what rewritten code calls is in runtime/. What these count is written when the JVM ends (raw_output.c), in the
 * form of the exact tool's files (collect/exact/tool/state/raw.h).
 */
#ifndef ASSAY_REWRITE_AGENT_H
#define ASSAY_REWRITE_AGENT_H

#include <jvmti.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/sample/sampler.h"

struct accesses_agent {
    jvmtiEnv *jvmti;
    struct sampler_config config;
    const char *mode;    /* waste, or one of its kinds; memory */
    bool memory, values; /* mode memory, and its values */
    double tolerance;    /* of floating-point values: a share */
    bool in_bursts;
    uint64_t burst_on, burst_off; /* accesses; the first lengths, if ... */
    bool burst_auto;              /* ... the agent chooses them */
    bool between_threads;         /* pairs may consist of accesses of two threads */
    bool array_lengths;           /* arraylength instructions are loads */
    bool adjacent;                /* adjacent loads are recorded, too */
};
extern struct accesses_agent agent;

/* One line on standard error. */
void accesses_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* In the agent's thread: waits. False: the JVM ends. */
bool accesses_pause(uint64_t ms);

/* A file of this installation, in the directory of this library. False if that is not known. */
bool accesses_find_file(const char *name, char *path, size_t size);

/* -------------------------------------------------------------------------------------- rewrite.c */

/* Loads the rewriter, which gets prepared_intrinsics() and the variant (prepared.h). False with a line for the user. */
bool rewrite_begin(JNIEnv *env, const char *intrinsics, const char *variant);

/* Whether a loader is the rewriter's own. */
bool rewrite_is_own(JNIEnv *env, jobject loader);

/* Names classes, one per line, that have loaded as they are. */
void rewrite_report_loaded(JNIEnv *env, const char *names);

/* A class as it loads: its new bytes, from Allocate(); NULL: it stays as it is. */
unsigned char *rewrite_class(JNIEnv *env, jobject loader, const char *name, const unsigned char *bytes, jint length,
                             jint *new_length);

/* Nothing of this thread is recorded from now on, and again; each pair in one thread. */
void rewrite_mute(JNIEnv *env);
void rewrite_unmute(JNIEnv *env);

/* Says what could not be rewritten. */
void rewrite_end(void);

/* -------------------------------------------------------------------------------------- stack.c */

/* A rewritten method that runs: its number, that of its call that runs (-1: unknown), and how many accesses it has. */
struct stack_frame {
    int32_t method, call, accesses;
};

/* Finds the frames of the current thread, the innermost first. Returns their number, at most `most`; all_found: there
 * are no others. */
size_t stack_find_frames(JNIEnv *env, struct stack_frame *frames, size_t most, bool *all_found);

/* -------------------------------------------------------------------------------------- bursts.c */

/* Begins the first burst, before the program's main() runs. */
void bursts_begin(JNIEnv *env);

/* What a thread of the agent does then: ends and begins bursts, and writes what they have counted; until
 * accesses_pause() says that the JVM ends. */
void bursts_run(JNIEnv *env);

/* The JVM has ended, in a burst or not: writes what that one has counted. */
void bursts_end(void);

/* -------------------------------------------------------------------------------------- statics.c */

/* A reference in the prepared file, whose numbers count from 1. The texts are not copied. False without memory. */
bool statics_add_prepared(const char *owner, const char *name, const char *descriptor);

/* One in a class of this loader; the texts are copied. 0 without memory. */
uint32_t statics_define_reference(JNIEnv *env, jobject loader, const char *owner, const char *name,
                                  const char *descriptor);

/* The number of the field that a reference means, from 1; 0: it can't be found. */
uint32_t statics_field_number(JNIEnv *env, uint32_t reference);

/* The class that declares the field that a reference means (a local reference), and the field; NULL: it can't be found.
 * No class is initialized that has instances or whose static fields were used. */
jclass statics_declaring_class(JNIEnv *env, uint32_t reference, jfieldID *id, bool *is_static);

/* The number of a static field that a class declares, from 1; 0 without memory. */
uint32_t statics_number_field(JNIEnv *env, jclass owner, jfieldID id);

/* The number, like a method's, that has the names of a static field with a number; 0: it has none. */
uint32_t statics_field_method(uint32_t number);

/* -------------------------------------------------------------------------------------- layout.c */

/* Where the field that a reference means is in its object, or a static field in its class; -1: that is not known. */
jlong layout_offset(JNIEnv *env, uint32_t reference);

/* A constant of jdk.internal.misc.Unsafe, which is an int or a long; -1: there is none. */
jlong layout_constant(JNIEnv *env, const char *name);

/* The fields that a class declares, as AssayOutput.layout() wants them; NULL: not now. */
jlongArray layout_describe_class(JNIEnv *env, jclass owner);

#endif

/*
 * agents.h - the libraries that sample inside the measured processes, and the environment that loads them.
 */
#ifndef ASSAY_RECORD_START_AGENTS_H
#define ASSAY_RECORD_START_AGENTS_H

#include "collect/record/record.h"

struct agents {
    char native[RECORD_PATH_MAX];
    char jvm[RECORD_PATH_MAX];      /* "" if this build has none */
    char accesses[RECORD_PATH_MAX]; /* rewrites a JVM's classes; "" if this build has none */
    char inspect[RECORD_PATH_MAX];  /* inspects a JVM's objects; "" if this build has none */
};

/*
 * Finds the agents relative to this program (../../lib/assay/ from its directory). Returns 0, or STATUS_BAD with
 * a message.
 */
int agents_find(struct agents *agents, struct error_text *message);

/* A file of this installation, relative to this program (../../lib/assay/NAME). 0, or an errno value. */
int agents_path(const char *name, char path[RECORD_PATH_MAX]);

/* The additions to a measured process's environment. Allocated; free with agents_environment_free(). */
struct agents_environment {
    char *preload; /* LD_PRELOAD */
    char *java;    /* JAVA_TOOL_OPTIONS, or NULL: unchanged */
    char *rewrite; /* the same for engine rewrite */
    char *inspect; /* the same for mode inspect */
};

/*
 * Adds the agents to LD_PRELOAD and JAVA_TOOL_OPTIONS of this process, unless they are there already (a
 * recorder inside a recorded command). Returns 0, or -1 without memory.
 */
int agents_environment_init(const struct agents *agents, struct agents_environment *environment);
void agents_environment_free(struct agents_environment *environment);

#endif

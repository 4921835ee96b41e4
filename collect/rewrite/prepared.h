/*
 * prepared.h - the classes of java.base with probes, of one JDK: a file that Prepare.java writes once, and its parts.
 *
 * The file is a sequence of parts: a tag and a size (4 bytes each), so many bytes, and zeros up to a multiple of 8. An
 * 'E' ends it. Kept in the user's cache (XDG_CACHE_HOME, or ~/.cache), else next to the traces.
 */
#ifndef ASSAY_REWRITE_PREPARED_H
#define ASSAY_REWRITE_PREPARED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PREPARED_PATH_MAX = 4096 };

struct prepared_class {
    const char *name;           /* java/lang/String */
    const unsigned char *bytes; /* rewritten; or a class of the runtime, which is new */
    uint32_t size;
    uint32_t checksum; /* CRC-32C of the class that it replaces */
};

/*
 * Finds the file for the JDK in java_home, or has it made by that JDK, which takes about ten seconds, and maps it; its
 * descriptions of methods and its references to fields are taken. There is a file for each variant: "accesses",
 * "lengths" (with probes at arraylength instructions), "bursts" (methods have two bodies), "lengths-bursts" and
 * "memory" (all accesses are kept). `spare` is a directory for the file if there is no cache. False with a line for the
 * user.
 */
bool prepared_open(const char *java_home, const char *variant, const char *spare);

/* The methods of java.base that the JIT compilers replace and that have a copy: "OWNER NAME DESCRIPTOR", one per line.
 */
const char *prepared_intrinsics(void);

/* A class of java.base; NULL: it is none, or has no probes. */
const struct prepared_class *prepared_find(const char *name);

/* The classes that rewritten code needs, from 0; NULL after the last. */
const struct prepared_class *prepared_runtime(size_t number);

/* How many methods of java.base are too large for probes. */
uint32_t prepared_skipped(void);

#endif

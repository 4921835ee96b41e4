/*
 * normal_name.h - one name for one method, however a profiler writes it: "java/util/HashMap.put_[j]",
 * "Ljava/util/HashMap;.put" and "java.util.HashMap.put" are the same, and so are "libc.so.6.read" and "read".
 */
#ifndef ASSAY_TRACE_NAMES_NORMAL_NAME_H
#define ASSAY_TRACE_NAMES_NORMAL_NAME_H

#include "trace/trace.h"

enum { NORMAL_NAME_MAX = 4096 };

/* Texts of a method, cut at NORMAL_NAME_MAX - 1. */
struct normal_name {
    char class_name[NORMAL_NAME_MAX], name[NORMAL_NAME_MAX], signature[NORMAL_NAME_MAX];
    char library[256]; /* that preceded the name of a native function, or "" */
};

/*
 * - The kind of code that async-profiler appends (_[j], _[k] …) and a library before the name are removed.
 * - Where a profiler writes a Java class, method and parameters as one text, it is taken apart; parameters become a
 *   signature: (java.lang.Object, int) is (Ljava/lang/Object;I).
 * - What differs from run to run is removed from names of classes: addresses of hidden classes, and numbers of lambdas,
 *   proxies and generated accessors. The compiler gives lambda$main$0 its number, so that one stays.
 * Any other name stays as it is. O(length).
 */
void normal_name(const struct trace_method *method, struct normal_name *normal);

#endif

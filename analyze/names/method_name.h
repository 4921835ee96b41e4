/*
 * method_name.h - how a method is called in tables.
 */
#ifndef ASSAY_NAMES_METHOD_NAME_H
#define ASSAY_NAMES_METHOD_NAME_H

#include <stddef.h>

#include "collect/trace/trace.h"

enum { METHOD_NAME_MAX = 2048 };

/*
 * "java.util.HashMap.put(Object,Object)" from class, name and JVM signature (JVMS 4.3.3; parameter classes without
 * their packages, so that overloads stay apart and lines stay short); a native function as its name. Cut at
 * METHOD_NAME_MAX − 1.
 */
void method_name(const struct trace_method *method, char text[METHOD_NAME_MAX]);

#endif

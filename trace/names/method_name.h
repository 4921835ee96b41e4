/*
 * method_name.h - the name of a method in tables.
 */
#ifndef ASSAY_TRACE_NAMES_METHOD_NAME_H
#define ASSAY_TRACE_NAMES_METHOD_NAME_H

#include "trace/trace.h"

enum { METHOD_NAME_MAX = 2048 };

/*
 * "java.util.HashMap.put(Object,Object)" from class, name and JVM signature (JVMS 4.3.3; parameter classes without
 * their packages, so that overloads stay distinct and lines short); a native function has its own name. Cut at
 * METHOD_NAME_MAX − 1.
 */
void method_name(const struct trace_method *method, char text[METHOD_NAME_MAX]);

#endif

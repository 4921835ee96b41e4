/*
 * runtime.h - the libraries that a language brings with it: code that a program calls but its authors did not write.
 */
#ifndef ASSAY_TRACE_NAMES_RUNTIME_H
#define ASSAY_TRACE_NAMES_RUNTIME_H

#include "trace/trace.h"

/*
 * Whether a frame belongs to a runtime library: libraries of C and C++, the dynamic loader, the kernel's vdso and
 * libjvm by the names of their files; what the program inlined from their headers by the path of the source file; stubs
 * that jump to another file by their name (memcpy@plt); classes of the JDK, Scala and Kotlin by their packages. `frame`
 * is below names->frame_count. O(length of the names).
 */
bool runtime_has_frame(const struct trace_names *names, uint32_t frame);

#endif

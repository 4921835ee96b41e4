/* instrument.h - adds the tool's calls to a superblock. */
#ifndef ASSAY_EXACT_TOOL_INSTRUMENT_H
#define ASSAY_EXACT_TOOL_INSTRUMENT_H

#include <valgrind/pub_tool_basics.h>
#include <valgrind/libvex_ir.h>
#include <valgrind/pub_tool_tooliface.h>

IRSB *instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout, const VexGuestExtents *extents,
                 const VexArchInfo *host, IRType guest_word, IRType host_word);

#endif

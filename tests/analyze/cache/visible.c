/*
 * In place of collect/exact/tool/process/begin.c: the program finds its environment, its name and its auxiliary vector
 * as Valgrind's core has made them for any tool.
 */
#include "collect/exact/tool/process/begin.h"

#include <valgrind/pub_tool_clientstate.h>

#include "collect/exact/tool/state/core.h"

static const HChar *called;

void begin_set_name(const HChar *name)
{
    called = name;
}

const HChar *begin_name(void)
{
    return called ? called : VG_(args_the_exename);
}

void begin_init(void)
{
}

Int __wrap_vgPlain_mkstemp(const HChar *part, HChar *path)
{
    return __real_vgPlain_mkstemp(part, path);
}

Int __wrap_vgPlain_do_exec(const HChar *path, struct core_program *program)
{
    return __real_vgPlain_do_exec(path, program);
}

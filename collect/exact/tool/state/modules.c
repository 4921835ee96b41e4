#include "collect/exact/tool/state/modules.h"

#include <valgrind/pub_tool_basics.h>
#include <valgrind/pub_tool_debuginfo.h>
#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_mallocfree.h>

#include "collect/exact/tool/state/array.h"
#include "collect/exact/tool/state/core.h"
#include "collect/exact/tool/state/raw_writer.h"

struct seen {
    HChar *path;
    Addr text;
};

static struct seen *all;
static UInt count, capacity;

/* Lines are looked up once the program has ended. The core ends a program at the first DWARF section that it does not
 * understand: Valgrind 3.19 does so at those of clang 14. */
void __wrap_vgModuleLocal_read_debuginfo_dwarf3(void)
{
}

/* Its number; 0: it is new. */
static UInt modules_number(const HChar *path, Addr text)
{
    for (UInt i = 0; i < count; i++)
        if (all[i].text == text && VG_STREQ(all[i].path, path))
            return i + 1;
    return 0;
}

void modules_report(void)
{
    for (const DebugInfo *info = VG_(next_DebugInfo)(NULL); info; info = VG_(next_DebugInfo)(info)) {
        const HChar *path = VG_(DebugInfo_get_filename)(info);
        Addr text = VG_(DebugInfo_get_text_avma)(info), plt = VG_(DebugInfo_get_plt_avma)(info);
        if (!path || !text || modules_number(path, text))
            continue;
        all = array_reserve("assay.modules", all, count, &capacity, 64, sizeof *all);
        all[count++] = (struct seen){VG_(strdup)("assay.modules", path), text};
        /* From the code to the end of the data: everything between belongs to the same file. */
        Addr end = text + VG_(DebugInfo_get_text_size)(info);
        Addr bss = VG_(DebugInfo_get_bss_avma)(info) + VG_(DebugInfo_get_bss_size)(info);
        Addr got = VG_(DebugInfo_get_got_avma)(info) + VG_(DebugInfo_get_got_size)(info);
        end = end > bss ? end : bss;
        end = end > got ? end : got;
        raw_writer_module(path, plt && plt < text ? plt : text, end, VG_(DebugInfo_get_text_bias)(info));
    }
}

/* Data follows the code of its file. */
UInt modules_of_data(Addr a)
{
    const DebugInfo *found = NULL;
    modules_report();
    for (const DebugInfo *info = VG_(next_DebugInfo)(NULL); info; info = VG_(next_DebugInfo)(info)) {
        Addr text = VG_(DebugInfo_get_text_avma)(info);
        if (text && text <= a && (!found || text > VG_(DebugInfo_get_text_avma)(found)))
            found = info;
    }
    const HChar *path = found ? VG_(DebugInfo_get_filename)(found) : NULL;
    return path ? modules_number(path, VG_(DebugInfo_get_text_avma)(found)) : 0;
}

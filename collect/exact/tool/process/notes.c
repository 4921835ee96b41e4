#include "collect/exact/tool/process/notes.h"

#include <valgrind/pub_tool_clientstate.h>
#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_libcfile.h>
#include <valgrind/pub_tool_libcprint.h>
#include <valgrind/pub_tool_libcproc.h>
#include <valgrind/pub_tool_mallocfree.h>
#include <valgrind/pub_tool_vki.h>

#include "collect/exact/tool/state/config.h"

enum { LINE_BYTES = 512, FILE_MOST = 1 << 20, LIMIT_FILE_SIZE = 1 };

const HChar *notes_file_name(const HChar *path)
{
    const HChar *name = path;
    for (const HChar *at = path; *at; at++) /* the core's strrchr() does not find a first character */
        if (*at == '/')
            name = at + 1;
    return name;
}

Bool notes_add(const HChar *text)
{
    const HChar *out = config_get()->out;
    HChar line[LINE_BYTES];
    struct vki_rlimit limit;
    /* More than the program may write would be a signal for it. */
    if (!out || VG_(getrlimit)(LIMIT_FILE_SIZE, &limit) != 0 || limit.rlim_cur < FILE_MOST)
        return False;
    const HChar *prefix = notes_file_name(out);
    HChar *path = VG_(malloc)("assay.notes", VG_(strlen)(out) + 16);
    VG_(strcpy)(path, out);
    VG_(sprintf)(path + (prefix - out), ".%s.notes", prefix);
    UInt length =
        VG_(snprintf)(line, LINE_BYTES, "%d\t%s\t%s\n", VG_(getpid)(), notes_file_name(VG_(args_the_exename)), text);
    if (length >= LINE_BYTES)
        line[(length = LINE_BYTES - 1) - 1] = '\n';
    SysRes file = VG_(open)(path, VKI_O_WRONLY | VKI_O_APPEND | VKI_O_CREAT, 0666);
    Bool added = !sr_isError(file) && VG_(write)((Int)sr_Res(file), line, (Int)length) == (Int)length;
    if (!sr_isError(file))
        VG_(close)((Int)sr_Res(file));
    VG_(free)(path);
    return added;
}

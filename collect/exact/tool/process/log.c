#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_libcfile.h>
#include <valgrind/pub_tool_libcprint.h>
#include <valgrind/pub_tool_libcproc.h>
#include <valgrind/pub_tool_mallocfree.h>
#include <valgrind/pub_tool_tooliface.h>
#include <valgrind/pub_tool_vki.h>
#include <valgrind/pub_tool_vkiscnums.h>

#include "collect/exact/tool/state/core.h"
#include "collect/exact/tool/process/log.h"
#include "collect/exact/tool/state/config.h"

/* The file of this process; where it can't be made, memory that nobody reads. Negative: not even that. */
static Int log_open(void)
{
    const HChar *out = config_get()->out;
    Bool made = False;
    SysRes file;
    if (out) {
        HChar *path = VG_(malloc)("assay.log", VG_(strlen)(out) + 32);
        VG_(sprintf)(path, "%s-%d.valgrind", out, VG_(getpid)());
        file = VG_(open)(path, VKI_O_CREAT | VKI_O_WRONLY | VKI_O_APPEND, 0644);
        made = !sr_isError(file);
        VG_(free)(path);
    }
    if (!made)
        file = VG_(do_syscall)(__NR_memfd_create, (UWord) "assay-log", 0, 0, 0, 0, 0, 0, 0);
    return sr_isError(file) ? -1 : (Int)sr_Res(file);
}

/*
 * The core opens its log as the last step of its options. With --log-file it takes no path of more than 900 characters,
 * and ends the program where the file can't be made: after a change of its user or root directory. It makes a copy of
 * the descriptor among its own numbers and leaves the first one, which is the program's, open.
 */
void __wrap_vgPlain_init_log_xml_sinks(UInt log_to, UInt xml_to, Int log, Int xml)
{
    Int file = log_open();
    __real_vgPlain_init_log_xml_sinks(log_to, xml_to, file < 0 ? log : file, xml);
    if (file >= 0)
        VG_(close)(file);
}

void log_open_child(void)
{
    Int file = log_open();
    if (file < 0)
        return;
    VG_(dup2)(file, VG_(log_output_sink).fd);
    VG_(fcntl)(VG_(log_output_sink).fd, VKI_F_SETFD, VKI_FD_CLOEXEC);
    VG_(close)(file);
}

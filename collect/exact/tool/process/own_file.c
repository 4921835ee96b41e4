#include "collect/exact/tool/process/own_file.h"

#include <valgrind/pub_tool_aspacemgr.h>
#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_libcfile.h>
#include <valgrind/pub_tool_libcprint.h>
#include <valgrind/pub_tool_libcproc.h>
#include <valgrind/pub_tool_mallocfree.h>
#include <valgrind/pub_tool_vki.h>
#include <valgrind/pub_tool_vkiscnums.h>

#include "collect/exact/tool/state/core.h"

static const HChar FOLDER[] = "/proc/", LINK[] = "/exe";

HChar *own_file_page(void)
{
    static HChar *page;
    if (!page) {
        SysRes memory = VG_(am_mmap_anon_float_client)(OWN_FILE_PAGE_BYTES, VKI_PROT_READ | VKI_PROT_WRITE);
        page = sr_isError(memory) ? NULL : (HChar *)sr_Res(memory);
    }
    return page;
}

static Bool own_file_is_exe_link(const HChar *path)
{
    SizeT length = VG_(strlen)(path), end = sizeof LINK - 1;
    return length >= sizeof FOLDER - 1 + end && VG_STREQ(path + length - end, LINK);
}

/* The path of a call that may be about such a link, and which argument it is; NULL: it is not. */
static const HChar *own_file_link_path(const struct call *call, UInt *argument)
{
    switch (call->number) { /* those that follow the links of a path */
    case __NR_execve:
    case __NR_open:
    case __NR_stat:
    case __NR_access:
    case __NR_readlink:
        *argument = 0;
        break;
    case __NR_openat:
    case __NR_newfstatat:
    case __NR_statx:
    case __NR_faccessat:
    case __NR_readlinkat:
        *argument = 1;
        break;
    default:
        return NULL;
    }
    const HChar *path = (const HChar *)call->arguments[*argument];
    if (!path || !VG_(am_is_valid_for_client)((Addr)path, 1, VKI_PROT_READ))
        return NULL;
    if (call->number == __NR_execve)
        return path;
    for (SizeT i = 0; i < sizeof FOLDER - 1; i++) /* a path may end where memory does */
        if (path[i] != FOLDER[i])
            return NULL;
    return own_file_is_exe_link(path) ? path : NULL;
}

/* The process that such a path names; 0: this one. */
static Long own_file_process(const HChar *path)
{
    HChar *rest;
    if (VG_(strncmp)(path, FOLDER, sizeof FOLDER - 1) != 0)
        return 0;
    Long process = VG_(strtoll10)(path + sizeof FOLDER - 1, &rest);
    return *rest == '/' && own_file_is_exe_link(path) ? process : 0;
}

/* All processes of the recorder keep their program open as the same number, whose link leads to its file. What is
 * executed becomes Valgrind's argument, and must be a path that still leads there in the next one. */
Bool own_file_rewrite(struct call *call)
{
    UInt argument;
    const HChar *path = own_file_link_path(call, &argument);
    HChar link[48], *page;
    struct vg_stat status, own;
    if (!path)
        return False;
    /* The link /proc/PID/exe of every recorded process leads to Valgrind. */
    HChar *tool = VG_(malloc)("assay.tool", VG_(strlen)(VG_(libdir)) + 32);
    VG_(sprintf)(tool, "%s/assay-amd64-linux", VG_(libdir));
    Bool same = !sr_isError(VG_(stat)(path, &status)) && !sr_isError(VG_(stat)(tool, &own)) && status.dev == own.dev &&
                status.ino == own.ino;
    VG_(free)(tool);
    if (!same || !(page = own_file_page()))
        return False;
    if (own_file_process(path) != 0)
        VG_(sprintf)(link, "/proc/%lld/fd/%d", own_file_process(path), VG_(cl_exec_fd));
    else
        VG_(sprintf)(link, "/proc/self/fd/%d", VG_(cl_exec_fd));
    if (call->number == __NR_execve) {
        SSizeT length = VG_(readlink)(link, page, OWN_FILE_PAGE_BYTES - 1);
        if (length <= 0)
            return False;
        page[length] = '\0';
    } else {
        VG_(strcpy)(page, link);
    }
    call->arguments[argument] = (UWord)page;
    return True;
}

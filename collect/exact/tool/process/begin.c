#include "collect/exact/tool/process/begin.h"

#include <valgrind/libvex_guest_amd64.h>
#include <valgrind/pub_tool_aspacemgr.h>
#include <valgrind/pub_tool_clientstate.h>
#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_libcfile.h>
#include <valgrind/pub_tool_libcprint.h>
#include <valgrind/pub_tool_libcproc.h>
#include <valgrind/pub_tool_machine.h>
#include <valgrind/pub_tool_tooliface.h>
#include <valgrind/pub_tool_vki.h>
#include <valgrind/pub_tool_vkiscnums.h>
#include <valgrind/pub_tool_xarray.h>

#include "collect/exact/tool/process/log.h"
#include "collect/exact/tool/process/notes.h"
#include "collect/exact/tool/state/core.h"

enum { SET_NAME = 15, PATH_BYTES = 4096 };

static const HChar PRELOAD[] = "LD_PRELOAD=";
static const HChar *called; /* argv[0], if that is not the path; or NULL */

void begin_set_name(const HChar *name)
{
    called = name;
}

const HChar *begin_name(void)
{
    return called ? called : VG_(args_the_exename);
}

/* The program's TMPDIR may be anything. What the core makes there it opens, unlinks, and keeps open. */
Int __wrap_vgPlain_mkstemp(const HChar *part, HChar *path)
{
    static const HChar *const directories[] = {"/tmp", "/dev/shm", "/var/tmp"};
    Int file = -1;
    for (UInt i = 0; i < sizeof directories / sizeof *directories && file < 0; i++) {
        VG_(sprintf)(path, "%s/assay-%x", directories[i], VG_(getpid)());
        SysRes made = VG_(open)(path, VKI_O_CREAT | VKI_O_EXCL | VKI_O_RDWR, 0600);
        file = sr_isError(made) ? -1 : VG_(safe_fd)((Int)sr_Res(made));
    }
    return file >= 0 ? file : __real_vgPlain_mkstemp(part, path);
}

/* Where the environment has a variable; NULL: nowhere. The prefix ends with '='. */
static UWord *begin_find_variable(UWord *environment, const HChar *prefix)
{
    for (; *environment; environment++)
        if (VG_(strncmp)((const HChar *)*environment, prefix, VG_(strlen)(prefix)) == 0)
            return environment;
    return NULL;
}

/* Removes a variable from an environment that is laid out as the kernel does it: what follows, with the auxiliary
 * vector, which ends with a pair of zero and anything, moves up. */
static void begin_remove_variable(UWord *at)
{
    UWord *end = at;
    while (*end)
        end++;
    for (end++; *end; end += 2)
        ;
    for (; at + 1 < end + 2; at++)
        at[0] = at[1];
}

/* The core has read VALGRIND_LIB, which is not of the program's environment. */
Int __wrap_vgPlain_do_exec(const HChar *path, struct core_program *program)
{
    UWord *variable = begin_find_variable((UWord *)VG_(client_envp), "VALGRIND_LIB=");
    if (variable)
        begin_remove_variable(variable);
    return __real_vgPlain_do_exec(path, program);
}

/* Valgrind's core has made the program's path its first word. Puts back the name by which the program was called, if
 * there is room. */
static void begin_set_first_word(ThreadId tid)
{
    HChar **first = (HChar **)VG_(get_SP)(tid) + 1;
    SizeT bytes = VG_(strlen)(called) + 1;
    HChar *word = *first;
    if (bytes > VG_(strlen)(word) + 1) {
        SysRes more = VG_(am_mmap_anon_float_client)(bytes, VKI_PROT_READ | VKI_PROT_WRITE);
        if (sr_isError(more))
            return;
        word = (HChar *)sr_Res(more);
    }
    VG_(memcpy)(word, called, bytes);
    *first = word;
}

static void begin_first_thread(ThreadId tid)
{
    enum { IGNORED = 1, FRAME_SIZE = 51, OTHERS = 2048 };
    static Bool begun;
    if (begun)
        return;
    begun = True;
    if (called)
        begin_set_first_word(tid);
    UWord *environment = (UWord *)VG_(get_SP)(tid) + 1;
    while (*environment++) /* the arguments */
        ;
    /* The core has the program preload a library of its own, which serves tools other than this one. */
    UWord *variable = begin_find_variable(environment, PRELOAD);
    HChar *value = variable ? (HChar *)*variable + sizeof PRELOAD - 1 : NULL;
    if (value && VG_(strncmp)(value, VG_(libdir), VG_(strlen)(VG_(libdir))) == 0) {
        const HChar *rest = VG_(strchr)(value, ':');
        if (rest)
            VG_(memmove)(value, rest + 1, VG_(strlen)(rest + 1) + 1);
        else
            begin_remove_variable(variable);
    }
    /* The core's signal frames are larger than the kernel's, whose size it hides: it turns that entry of the auxiliary
     * vector, and others, into ones that are ignored. From the first of them the program learns how large a stack it
     * needs. */
    UWord *at = environment;
    while (*at++)
        ;
    while (*at && *at != IGNORED)
        at += 2;
    if (*at) {
        at[0] = FRAME_SIZE;
        at[1] = 3 * sizeof(VexGuestAMD64State) + OTHERS;
    }
}

static void begin_in_child(ThreadId tid)
{
    (void)tid;
    log_open_child();
}

void begin_init(void)
{
    static const HChar DELETED[] = " (deleted)";
    HChar path[PATH_BYTES];
    const HChar *name = VG_(args_the_exename);
    Bool lent = VG_(strncmp)(name, BEGIN_LENT, sizeof BEGIN_LENT - 1) == 0;
    VG_(atfork)(NULL, NULL, begin_in_child);
    /* The name of the thread comes from the path that is executed; without one, the kernel takes the file's. */
    SSizeT length = lent ? VG_(readlink)(name, path, sizeof path - 1) : -1;
    if (length > 0) {
        SizeT end = sizeof DELETED - 1;
        path[length] = '\0';
        if ((SizeT)length > end && VG_STREQ(path + length - end, DELETED))
            path[length - (SSizeT)end] = '\0';
        name = path;
    }
    VG_(do_syscall)(__NR_prctl, SET_NAME, (UWord)notes_file_name(name), 0, 0, 0, 0, 0, 0);
    if (lent)
        VG_(close)((Int)VG_(strtoll10)(VG_(args_the_exename) + sizeof BEGIN_LENT - 1, NULL));
    /* What the program reads from /proc/self/cmdline. */
    Int file = VG_(cl_cmdline_fd);
    if (called && file >= 0) {
        VG_(do_syscall)(__NR_ftruncate, (UWord)file, 0, 0, 0, 0, 0, 0, 0);
        VG_(lseek)(file, 0, VKI_SEEK_SET);
        VG_(write)(file, called, (Int)VG_(strlen)(called) + 1);
        for (Word i = 0; i < VG_(sizeXA)(VG_(args_for_client)); i++) {
            const HChar *word = *(HChar **)VG_(indexXA)(VG_(args_for_client), i);
            VG_(write)(file, word, (Int)VG_(strlen)(word) + 1);
        }
    }
    VG_(track_pre_thread_first_insn)(begin_first_thread);
}

#include "collect/exact/tool/process/execute.h"

#include <valgrind/libvex_guest_amd64.h>
#include <valgrind/pub_tool_aspacemgr.h>
#include <valgrind/pub_tool_clientstate.h>
#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_libcfile.h>
#include <valgrind/pub_tool_libcprint.h>
#include <valgrind/pub_tool_libcproc.h>
#include <valgrind/pub_tool_machine.h>
#include <valgrind/pub_tool_mallocfree.h>
#include <valgrind/pub_tool_options.h>
#include <valgrind/pub_tool_seqmatch.h>
#include <valgrind/pub_tool_threadstate.h>
#include <valgrind/pub_tool_tooliface.h>
#include <valgrind/pub_tool_vki.h>
#include <valgrind/pub_tool_vkiscnums.h>
#include <valgrind/pub_tool_xarray.h>

#include "base/program_image.h"
#include "collect/exact/tool/state/core.h"
#include "collect/exact/tool/state/raw_writer.h"
#include "collect/exact/tool/process/filters.h"
#include "collect/exact/tool/process/limits.h"
#include "collect/exact/tool/process/log.h"
#include "collect/exact/tool/process/notes.h"
#include "collect/exact/tool/state/config.h"

/* The kernel reads this much of a script's first line. PATTERNS_MAX: of each of the two lists. */
enum { LINE_BYTES = 256, PATH_BYTES = 4096, TEXT_BYTES = 384, PATTERNS_MAX = 64, SET_NAME = 15 };
enum { SET_USER = 04000, SET_GROUP = 02000 };

static const HChar FILTER[] = "--assay-filter=", CALLED[] = "--assay-called=", LIMITS[] = "--assay-limits=";

struct patterns {
    const HChar *texts[PATTERNS_MAX];
    UInt count;
};

static struct patterns only, skip;
static const HChar *called; /* argv[0], if that is not the path; or NULL */
static Bool leaves;         /* the program that is executed now runs without Valgrind */

/* ---------------------------------------------------------------------------- which programs are left alone -- */

static long read_file(int file, void *out, size_t bytes, uint64_t at)
{
    if (VG_(lseek)(file, (Off64T)at, VKI_SEEK_SET) < 0)
        return -1;
    return VG_(read)(file, out, (Int)bytes);
}

/* A file that changes the user or the group, or has capabilities, runs with other rights, which Valgrind can't give it.
 */
static Bool is_privileged(const HChar *path)
{
    struct vg_stat status;
    if (sr_isError(VG_(stat)(path, &status)))
        return False;
    return (status.mode & (SET_USER | SET_GROUP)) ||
           (VG_(geteuid)() != 0 &&
            !sr_isError(VG_(do_syscall)(__NR_getxattr, (UWord)path, (UWord) "security.capability", 0, 0, 0, 0, 0, 0)));
}

static Bool is_recorder(const HChar *path)
{
    const HChar *name = notes_file_name(path);
    return VG_STREQ(name, "assay-record") || VG_STREQ(name, "valgrind") || VG_STREQ(name, "valgrind.bin");
}

/* The interpreter of a script, into path[LINE_BYTES]; False if the file is none. */
static Bool find_interpreter(Int file, HChar path[LINE_BYTES])
{
    HChar line[LINE_BYTES + 1] = "";
    SizeT start = 2, length = 0;
    if (read_file(file, line, LINE_BYTES, 0) < 3 || line[0] != '#' || line[1] != '!')
        return False;
    while (line[start] == ' ' || line[start] == '\t')
        start++;
    for (; line[start + length] && line[start + length] != ' ' && line[start + length] != '\t' &&
           line[start + length] != '\n';
         length++)
        path[length] = line[start + length];
    path[length] = '\0';
    return length > 0;
}

/* A change of the root directory, or of the user. */
static Bool is_out_of_reach(void)
{
    const HChar *out = config_get()->out;
    HChar *path = VG_(malloc)("assay.reach", VG_(strlen)(VG_(libdir)) + (out ? VG_(strlen)(out) : 0) + 32);
    VG_(sprintf)(path, "%s/assay-amd64-linux", VG_(libdir));
    Bool far =
        VG_(access)(path, False, False, True) != 0 || VG_(access)(VG_(name_of_launcher), False, False, True) != 0;
    if (out) {
        VG_(strcpy)(path, out);
        path[notes_file_name(out) - out] = '\0';
        far |= VG_(access)(path, False, True, True) != 0;
    }
    VG_(free)(path);
    return far;
}

/* Why Valgrind can't run this program; NULL: it can, or the execution fails. *binary: it is no script. */
static const HChar *find_obstacle(const HChar *path, Bool *binary)
{
    HChar interpreter[LINE_BYTES];
    enum program_kind kind;
    SysRes file = VG_(open)(path, VKI_O_RDONLY, 0);
    *binary = False;
    if (sr_isError(file))
        return sr_Err(file) == VKI_EACCES && VG_(access)(path, False, False, True) == 0 ? "it can't be read" : NULL;
    *binary = program_image_look(read_file, (Int)sr_Res(file), &kind);
    Bool script = !*binary && find_interpreter((Int)sr_Res(file), interpreter);
    VG_(close)((Int)sr_Res(file));
    if (script) {
        const HChar *why = find_obstacle(interpreter, binary);
        *binary = False;
        return why;
    }
    if (!*binary)
        return NULL;
    if (kind == PROGRAM_FOREIGN)
        return "it is not a 64-bit program for x86-64";
    if (is_recorder(path))
        return "it records programs itself";
    if (kind == PROGRAM_SANITIZED)
        return "it was compiled with a sanitizer, which does not work under Valgrind";
    if (is_privileged(path))
        return "it is set-user-ID, set-group-ID or has file capabilities";
    return is_out_of_reach() ? "Valgrind or the output directory can't be reached any more" : NULL;
}

/* ---------------------------------------------------------------------------- what is passed on -- */

static void drop_options(const HChar *prefix)
{
    for (Word i = VG_(sizeXA)(VG_(args_for_valgrind)); i-- > 0;) {
        const HChar *option = *(HChar **)VG_(indexXA)(VG_(args_for_valgrind), i);
        if (VG_(strncmp)(option, prefix, VG_(strlen)(prefix)) == 0)
            VG_(removeIndexXA)(VG_(args_for_valgrind), i);
    }
}

static void add_option(const HChar *prefix, const HChar *value)
{
    HChar *option = VG_(malloc)("assay.option", VG_(strlen)(prefix) + VG_(strlen)(value) + 1);
    VG_(strcpy)(option, prefix);
    VG_(strcat)(option, value);
    VG_(addToXA)(VG_(args_for_valgrind), &option);
}

static void add_filters(const struct filter *filter)
{
    if (!filter)
        return;
    add_filters(filter->older);
    HChar *text = filters_text(filter);
    add_option(FILTER, text);
    VG_(free)(text);
}

/* A script's interpreter gets the path. */
static void pass_on(const HChar *program, const HChar **arguments, Bool binary)
{
    HChar limits[LIMITS_TEXT_BYTES];
    drop_options(FILTER);
    drop_options(CALLED);
    drop_options(LIMITS);
    limits_text(limits);
    add_option(LIMITS, limits);
    add_filters(filters_of(VG_(get_running_tid)()));
    if (binary && arguments && arguments[0] && !VG_STREQ(arguments[0], program))
        add_option(CALLED, arguments[0]);
}

Bool __wrap_vgPlain_should_we_trace_this_child(const HChar *program, const HChar **arguments)
{
    HChar text[TEXT_BYTES];
    Bool binary;
    const HChar *why = find_obstacle(program, &binary);
    if (!why && !__real_vgPlain_should_we_trace_this_child(program, arguments))
        why = "it is a Java virtual machine";
    leaves = why != NULL;
    if (why) {
        VG_(snprintf)(text, TEXT_BYTES, "starts %s, which is not recorded: %s", notes_file_name(program), why);
        if (notes_add(text) && !config_get()->methods && !config_get()->unmeasured) {
            raw_writer_resume(); /* the process's file says no more than that another program follows */
            raw_writer_end(RAW_EXEC, RAW_EXEC_NOTED);
        }
    } else {
        pass_on(program, arguments, binary);
    }
    return !leaves;
}

/* Just before the execution the kernel gets the program's limits and, if it runs without Valgrind, its filters. */
SysRes __wrap_vgPlain_do_syscall(UWord number, UWord a1, UWord a2, UWord a3, UWord a4, UWord a5, UWord a6, UWord a7,
                                 UWord a8)
{
    if (number == __NR_execve) {
        const struct filter *filter = leaves ? filters_of(VG_(get_running_tid)()) : NULL;
        limits_pass_on(leaves);
        if (filter && !filters_install(filter))
            notes_add("its filters of system calls could not be passed on to the program that it executed");
    }
    return __real_vgPlain_do_syscall(number, a1, a2, a3, a4, a5, a6, a7, a8);
}

/* Whether the path leads to Valgrind, as the link /proc/PID/exe of every recorded process does. */
static Bool leads_to_tool(const HChar *path)
{
    struct vg_stat status, own;
    HChar *tool = VG_(malloc)("assay.tool", VG_(strlen)(VG_(libdir)) + 32);
    VG_(sprintf)(tool, "%s/assay-amd64-linux", VG_(libdir));
    Bool same = !sr_isError(VG_(stat)(path, &status)) && !sr_isError(VG_(stat)(tool, &own)) && status.dev == own.dev &&
                status.ino == own.ino;
    VG_(free)(tool);
    return same;
}

/* The process that a path /proc/PID/exe names; 0: this one. */
static Long process_of(const HChar *path)
{
    static const HChar FOLDER[] = "/proc/";
    HChar *rest;
    if (VG_(strncmp)(path, FOLDER, sizeof FOLDER - 1) != 0)
        return 0;
    Long process = VG_(strtoll10)(path + sizeof FOLDER - 1, &rest);
    return VG_STREQ(rest, "/exe") ? process : 0;
}

/* All processes of the recorder keep their program open as the same number. */
Addr execute_path(const struct call *call)
{
    static HChar *copy;
    HChar link[48];
    const HChar *path = (const HChar *)call->arguments[0];
    if (call->number != __NR_execve || !VG_(am_is_valid_for_client)((Addr)path, 1, VKI_PROT_READ) ||
        !leads_to_tool(path))
        return 0;
    if (!copy) {
        SysRes memory = VG_(am_mmap_anon_float_client)(PATH_BYTES, VKI_PROT_READ | VKI_PROT_WRITE);
        if (sr_isError(memory))
            return 0;
        copy = (HChar *)sr_Res(memory);
    }
    if (process_of(path) != 0)
        VG_(sprintf)(link, "/proc/%lld/fd/%d", process_of(path), VG_(cl_exec_fd));
    else
        VG_(sprintf)(link, "/proc/self/fd/%d", VG_(cl_exec_fd));
    SSizeT length = VG_(readlink)(link, copy, PATH_BYTES - 1);
    if (length <= 0)
        return 0;
    copy[length] = '\0';
    return (Addr)copy;
}

/* ---------------------------------------------------------------------------- this program -- */

static void add_pattern(struct patterns *patterns, const HChar *text)
{
    if (patterns->count < PATTERNS_MAX)
        patterns->texts[patterns->count++] = text;
}

Bool execute_option(const HChar *argument)
{
    const HChar *text;
    if (VG_STR_CLO(argument, "--assay-filter", text)) {
        if (!filters_inherit(text))
            VG_(fmsg_bad_option)(argument, "Not a filter.\n");
    } else if (VG_STR_CLO(argument, "--assay-limits", text)) {
        if (!limits_inherit(text))
            VG_(fmsg_bad_option)(argument, "Must be two limits of descriptors and four of bytes.\n");
    } else if (VG_STR_CLO(argument, "--assay-called", called)) {
    } else if (VG_STR_CLO(argument, "--assay-only", text)) {
        add_pattern(&only, text);
    } else if (VG_STR_CLO(argument, "--assay-skip", text)) {
        add_pattern(&skip, text);
    } else {
        return False;
    }
    return True;
}

static Bool matches(const struct patterns *patterns, const HChar *file, const HChar *name)
{
    for (UInt i = 0; i < patterns->count; i++)
        if (VG_(string_match)(patterns->texts[i], file) || VG_(string_match)(patterns->texts[i], name))
            return True;
    return False;
}

Bool execute_wants_program(void)
{
    HChar path[PATH_BYTES];
    VG_(client_fname)(path, sizeof path, False);
    const HChar *file = notes_file_name(path), *name = notes_file_name(called ? called : VG_(args_the_exename));
    return (only.count == 0 || matches(&only, file, name)) && !matches(&skip, file, name);
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

/* Removes a variable from the environment as the kernel has laid it out: what follows, with the auxiliary vector, which
 * ends with a pair of zero and anything, moves up. */
static void remove_variable(const HChar *prefix)
{
    UWord *at = (UWord *)VG_(client_envp);
    while (*at && VG_(strncmp)((const HChar *)*at, prefix, VG_(strlen)(prefix)) != 0)
        at++;
    if (!*at)
        return;
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
    remove_variable("VALGRIND_LIB=");
    return __real_vgPlain_do_exec(path, program);
}

/* What the program reads from /proc/self/cmdline. */
static void rewrite_command_line(void)
{
    Int file = VG_(cl_cmdline_fd);
    if (file < 0)
        return;
    VG_(do_syscall)(__NR_ftruncate, (UWord)file, 0, 0, 0, 0, 0, 0, 0);
    VG_(lseek)(file, 0, VKI_SEEK_SET);
    VG_(write)(file, called, (Int)VG_(strlen)(called) + 1);
    for (Word i = 0; i < VG_(sizeXA)(VG_(args_for_client)); i++) {
        const HChar *word = *(HChar **)VG_(indexXA)(VG_(args_for_client), i);
        VG_(write)(file, word, (Int)VG_(strlen)(word) + 1);
    }
}

/* Valgrind's core has made the program's path its first word. Puts back the name by which the program was called, if
 * there is room. */
static void set_first_word(ThreadId tid)
{
    HChar **first = (HChar **)VG_(get_SP)(tid) + 1;
    SizeT bytes = VG_(strlen)(called) + 1;
    HChar *place = *first;
    if (bytes > VG_(strlen)(place) + 1) {
        SysRes more = VG_(am_mmap_anon_float_client)(bytes, VKI_PROT_READ | VKI_PROT_WRITE);
        if (sr_isError(more))
            return;
        place = (HChar *)sr_Res(more);
    }
    VG_(memcpy)(place, called, bytes);
    *first = place;
}

/* The core's signal frames are larger than the kernel's, whose size it hides: it turns that entry of the auxiliary
 * vector, and others, into ones that are ignored. The first of them tells the program how large a stack it needs. */
static void set_frame_size(ThreadId tid)
{
    enum { IGNORED = 1, FRAME_SIZE = 51, OTHERS = 2048 };
    UWord *at = (UWord *)VG_(get_SP)(tid) + 1;
    for (Int i = 0; i < 2; i++) /* the arguments, the environment */
        for (; *at++;)
            ;
    while (*at && *at != IGNORED)
        at += 2;
    if (!*at)
        return;
    at[0] = FRAME_SIZE;
    at[1] = 3 * sizeof(VexGuestAMD64State) + OTHERS;
}

static void thread_begins(ThreadId tid)
{
    static Bool begun;
    if (begun)
        return;
    if (called)
        set_first_word(tid);
    set_frame_size(tid);
    begun = True;
}

static void in_child(ThreadId tid)
{
    (void)tid;
    log_open_child();
}

void execute_init(void)
{
    VG_(atfork)(NULL, NULL, in_child);
    VG_(do_syscall)(__NR_prctl, SET_NAME, (UWord)notes_file_name(VG_(args_the_exename)), 0, 0, 0, 0, 0, 0);
    if (called)
        rewrite_command_line();
    VG_(track_pre_thread_first_insn)(thread_begins);
}

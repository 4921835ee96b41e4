#include "collect/exact/tool/process/execute.h"

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
#include "collect/exact/tool/process/begin.h"
#include "collect/exact/tool/process/filters.h"
#include "collect/exact/tool/process/limits.h"
#include "collect/exact/tool/process/notes.h"
#include "collect/exact/tool/process/own_file.h"
#include "collect/exact/tool/state/config.h"

/* The kernel reads this much of a script's first line. PATTERNS_MAX: of each of the two lists. */
enum { LINE_BYTES = 256, PATH_BYTES = 4096, TEXT_BYTES = 384, PATTERNS_MAX = 64 };
enum { SET_USER = 04000, SET_GROUP = 02000, EMPTY_PATH = 0x1000, NO_LINK = 0x100 /* flags of execveat(2) */ };

static const HChar FILTER[] = "--assay-filter=", CALLED[] = "--assay-called=", LIMITS[] = "--assay-limits=",
                   TOOL[] = "/assay-amd64-linux"; /* in the core's directory of tools */

struct patterns {
    const HChar *texts[PATTERNS_MAX];
    UInt count;
};

static struct patterns only, skip;
static Bool leaves; /* the program that is executed now runs without Valgrind */

/* The program that is executed now by its descriptor; negative: by a path. `lent` is another number of the same file,
 * which the next Valgrind has, too. */
static struct {
    Int own, lent;
} descriptor = {-1, -1};

/* ---------------------------------------------------------------------------- which programs are left alone -- */

static long execute_read_file(int file, void *out, size_t bytes, uint64_t at)
{
    if (VG_(lseek)(file, (Off64T)at, VKI_SEEK_SET) < 0)
        return -1;
    return VG_(read)(file, out, (Int)bytes);
}

/* The interpreter of a script, into path[LINE_BYTES]; False if the file is not a script. */
static Bool execute_find_interpreter(Int file, HChar path[LINE_BYTES])
{
    HChar line[LINE_BYTES + 1] = "";
    SizeT start = 2, length = 0;
    if (execute_read_file(file, line, LINE_BYTES, 0) < 3 || line[0] != '#' || line[1] != '!')
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
static Bool execute_is_out_of_reach(void)
{
    const HChar *out = config_get()->out;
    HChar *path = VG_(malloc)("assay.reach", VG_(strlen)(VG_(libdir)) + (out ? VG_(strlen)(out) : 0) + sizeof TOOL);
    VG_(sprintf)(path, "%s%s", VG_(libdir), TOOL);
    Bool far = VG_(access)(path, False, False, True) != 0;
    if (out) {
        VG_(strcpy)(path, out);
        path[notes_file_name(out) - out] = '\0';
        far |= VG_(access)(path, False, True, True) != 0;
    }
    VG_(free)(path);
    return far;
}

/* Why Valgrind can't run this program; NULL: it can, or the execution fails. *binary: it is not a script. */
static const HChar *execute_find_obstacle(const HChar *path, Bool *binary)
{
    HChar interpreter[LINE_BYTES];
    enum program_kind kind;
    SysRes file = VG_(open)(path, VKI_O_RDONLY, 0);
    *binary = False;
    if (sr_isError(file))
        return sr_Err(file) == VKI_EACCES && VG_(access)(path, False, False, True) == 0 ? "it can't be read" : NULL;
    *binary = program_image_look(execute_read_file, (Int)sr_Res(file), &kind);
    Bool script = !*binary && execute_find_interpreter((Int)sr_Res(file), interpreter);
    VG_(close)((Int)sr_Res(file));
    if (script) {
        const HChar *why = execute_find_obstacle(interpreter, binary);
        *binary = False;
        return why;
    }
    if (!*binary)
        return NULL;
    if (kind == PROGRAM_FOREIGN)
        return "it is not a 64-bit program for x86-64";
    const HChar *name = notes_file_name(path);
    if (VG_STREQ(name, "assay-record") || VG_STREQ(name, "valgrind") || VG_STREQ(name, "valgrind.bin"))
        return "it records programs itself";
    if (kind == PROGRAM_SANITIZED)
        return "it was compiled with a sanitizer, which does not work under Valgrind";
    /* Such a file runs with other rights, which Valgrind can't give it. */
    struct vg_stat status;
    if (!sr_isError(VG_(stat)(path, &status)) &&
        ((status.mode & (SET_USER | SET_GROUP)) ||
         (VG_(geteuid)() != 0 &&
          !sr_isError(VG_(do_syscall)(__NR_getxattr, (UWord)path, (UWord) "security.capability", 0, 0, 0, 0, 0, 0)))))
        return "it is set-user-ID, set-group-ID or has file capabilities";
    return execute_is_out_of_reach() ? "Valgrind or the output directory can't be reached any more" : NULL;
}

/* ---------------------------------------------------------------------------- what is passed on -- */

static void execute_drop_options(const HChar *prefix)
{
    for (Word i = VG_(sizeXA)(VG_(args_for_valgrind)); i-- > 0;) {
        const HChar *option = *(HChar **)VG_(indexXA)(VG_(args_for_valgrind), i);
        if (VG_(strncmp)(option, prefix, VG_(strlen)(prefix)) == 0)
            VG_(removeIndexXA)(VG_(args_for_valgrind), i);
    }
}

static void execute_add_option(const HChar *prefix, const HChar *value)
{
    HChar *option = VG_(malloc)("assay.option", VG_(strlen)(prefix) + VG_(strlen)(value) + 1);
    VG_(strcpy)(option, prefix);
    VG_(strcat)(option, value);
    VG_(addToXA)(VG_(args_for_valgrind), &option);
}

static void execute_add_filters(const struct filter *filter)
{
    if (!filter)
        return;
    execute_add_filters(filter->older);
    HChar *text = filters_text(filter);
    execute_add_option(FILTER, text);
    VG_(free)(text);
}

Bool __wrap_vgPlain_should_we_trace_this_child(const HChar *program, const HChar **arguments)
{
    HChar text[TEXT_BYTES];
    Bool binary;
    const HChar *why = execute_find_obstacle(program, &binary);
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
        HChar limits[LIMITS_TEXT_BYTES];
        execute_drop_options(FILTER);
        execute_drop_options(CALLED);
        execute_drop_options(LIMITS);
        limits_text(limits);
        execute_add_option(LIMITS, limits);
        execute_add_filters(filters_of(VG_(get_running_tid)()));
        /* A script's interpreter gets the path. */
        if (binary && arguments && arguments[0] && !VG_STREQ(arguments[0], program))
            execute_add_option(CALLED, arguments[0]);
    }
    return !leaves;
}

/*
 * Just before the execution the kernel gets the program's limits and, if it runs without Valgrind, its filters.
 *
 * The core would start its launcher, which has libraries, and so would have those that the program's environment
 * preloads into the next one: started by that alone they would write, and do, everything twice. All that the launcher
 * does for a program of this kind is to name itself in the environment and to start the tool.
 */
SysRes __wrap_vgPlain_do_syscall(UWord number, UWord a1, UWord a2, UWord a3, UWord a4, UWord a5, UWord a6, UWord a7,
                                 UWord a8)
{
    static const HChar LAUNCHER[] = "VALGRIND_LAUNCHER=";
    if (number != __NR_execve)
        return __real_vgPlain_do_syscall(number, a1, a2, a3, a4, a5, a6, a7, a8);
    const struct filter *filter = leaves ? filters_of(VG_(get_running_tid)()) : NULL;
    limits_pass_on(leaves);
    if (filter && !filters_install(filter))
        notes_add("its filters of system calls could not be passed on to the program that it executed");
    if (leaves && descriptor.lent < 0)
        return __real_vgPlain_do_syscall(number, a1, a2, a3, a4, a5, a6, a7, a8);
    if (leaves) {
        VG_(fcntl)(descriptor.lent, VKI_F_SETFD, VKI_FD_CLOEXEC); /* the kernel does what the program asked for */
        return __real_vgPlain_do_syscall(__NR_execveat, (UWord)descriptor.own, (UWord) "", a2, a3, EMPTY_PATH, 0, 0, 0);
    }
    HChar **environment = (HChar **)a3;
    SizeT count = 0;
    while (environment && environment[count])
        count++;
    HChar **all = VG_(malloc)("assay.execute", (count + 2) * sizeof *all);
    VG_(memcpy)(all, environment, count * sizeof *all);
    all[count] = VG_(malloc)("assay.execute", sizeof LAUNCHER + VG_(strlen)(VG_(name_of_launcher)));
    VG_(sprintf)(all[count], "%s%s", LAUNCHER, VG_(name_of_launcher));
    all[count + 1] = NULL;
    HChar *path = VG_(malloc)("assay.execute", VG_(strlen)(VG_(libdir)) + sizeof TOOL);
    VG_(sprintf)(path, "%s%s", VG_(libdir), TOOL);
    SysRes result = __real_vgPlain_do_syscall(__NR_execve, (UWord)path, a2, (UWord)all, 0, 0, 0, 0, 0);
    VG_(free)(path);
    VG_(free)(all[count]);
    VG_(free)(all);
    return result;
}

/*
 * A file that is executed by its descriptor may have no path. The core gets one that leads through the descriptor, or,
 * where that is closed as the program begins, through another number that is not.
 */
static Bool execute_descriptor(struct call *call)
{
    Int own = (Int)call->arguments[0], flags;
    const HChar *path = (const HChar *)call->arguments[1];
    HChar *copy;
    if (!(call->arguments[4] & EMPTY_PATH) || (call->arguments[4] & ~(UWord)(EMPTY_PATH | NO_LINK)) ||
        !VG_(am_is_valid_for_client)((Addr)path, 1, VKI_PROT_READ) || *path || own < 0 || own >= VG_(fd_hard_limit) ||
        (flags = VG_(fcntl)(own, VKI_F_GETFD, 0)) < 0 || !(copy = own_file_page()))
        return False;
    if (flags & VKI_FD_CLOEXEC) {
        HChar interpreter[LINE_BYTES];
        Off64T at = VG_(lseek)(own, 0, VKI_SEEK_CUR);
        Bool script = execute_find_interpreter(own, interpreter);
        if (at >= 0)
            VG_(lseek)(own, at, VKI_SEEK_SET);
        if (script) /* its interpreter could not open it */
            VG_(strcpy)(copy, "/nonexistent");
        else
            descriptor.lent = VG_(fcntl)(own, VKI_F_DUPFD, (Addr)VG_(fd_hard_limit));
        if (descriptor.lent >= 0)
            VG_(sprintf)(copy, BEGIN_LENT "%d", descriptor.lent);
    } else {
        VG_(sprintf)(copy, "/dev/fd/%d", own);
    }
    descriptor.own = own;
    *call = (struct call){
        .number = __NR_execve, .arguments = {(UWord)copy, call->arguments[2], call->arguments[3]}, .next = call->next};
    return True;
}

Bool execute_rewrite(struct call *call)
{
    return own_file_rewrite(call) || (call->number == __NR_execveat && execute_descriptor(call));
}

void execute_returned(void)
{
    if (descriptor.lent >= 0)
        VG_(close)(descriptor.lent);
    descriptor.own = descriptor.lent = -1;
}

/* ---------------------------------------------------------------------------- this program -- */

static void execute_add_pattern(struct patterns *patterns, const HChar *text)
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
    } else if (VG_STR_CLO(argument, "--assay-called", text)) {
        begin_set_name(text);
    } else if (VG_STR_CLO(argument, "--assay-only", text)) {
        execute_add_pattern(&only, text);
    } else if (VG_STR_CLO(argument, "--assay-skip", text)) {
        execute_add_pattern(&skip, text);
    } else {
        return False;
    }
    return True;
}

static Bool execute_matches(const struct patterns *patterns, const HChar *file, const HChar *name)
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
    const HChar *file = notes_file_name(path), *name = notes_file_name(begin_name());
    return (only.count == 0 || execute_matches(&only, file, name)) && !execute_matches(&skip, file, name);
}

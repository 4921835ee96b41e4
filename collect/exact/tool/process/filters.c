#include "collect/exact/tool/process/filters.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_libcproc.h>
#include <valgrind/pub_tool_libcsignal.h>
#include <valgrind/pub_tool_mallocfree.h>
#include <valgrind/pub_tool_threadstate.h>
#include <valgrind/pub_tool_tooliface.h>
#include <valgrind/pub_tool_vki.h>
#include <valgrind/pub_tool_vkiscnums.h>

#include "collect/exact/tool/state/core.h"
#include "collect/exact/tool/process/notes.h"
#include "collect/exact/tool/state/config.h"
#include "collect/exact/tool/state/shadow_memory.h"
#include "collect/seccomp/seccomp.h"

enum { TIDS_MAX = 1 << 16, ERRNO_MOST = 4095, WAIT_ALL = 0x40000000 };

/* From <sys/prctl.h> and <signal.h>, which a program without libc does not include. */
enum { SET_DUMPABLE = 4, GET_SECCOMP = 21, SET_SECCOMP = 22, SIGNAL_OF_FILTER = 1 };

struct rules {
    const struct filter *newest;
    Bool strict; /* read, write, exit and rt_sigreturn only */
    Int id;      /* the kernel's, of the thread; 0: not known before its first system call */
};

/* By the core while it runs the program. */
static const Int unblocked[] = {VKI_SIGSEGV, VKI_SIGBUS, VKI_SIGFPE,  VKI_SIGILL,
                                VKI_SIGTRAP, VKI_SIGSYS, VKI_SIGSTOP, VKI_SIGKILL};

static struct rules rules[TIDS_MAX];
static void (*end_process)(void);

const struct filter *filters_of(ThreadId tid)
{
    return rules[tid].newest;
}

/* ---------------------------------------------------------------------------- what a filter leads to -- */

/* The signal goes to the default action, whatever the program wants. */
static void filters_force_default(ThreadId tid)
{
    vki_sigaction_toK_t action = {.ksa_handler = VKI_SIG_DFL};
    vki_sigset_t set;
    VG_(sigemptyset)(&set);
    VG_(sigaddset)(&set, VKI_SIGSYS);
    VG_(do_sys_sigaction)(VKI_SIGSYS, &action, NULL);
    VG_(do_sys_sigprocmask)(tid, VKI_SIG_UNBLOCK, &set, NULL);
}

/* SIGSYS, as force_sig_seccomp() of the kernel sends it. */
static void filters_send_sigsys(ThreadId tid, const struct call *call, UInt data)
{
    vki_siginfo_t info;
    VG_(memset)(&info, 0, sizeof info);
    info.si_signo = VKI_SIGSYS;
    info.si_errno = (Int)data;
    info.si_code = SIGNAL_OF_FILTER;
    /* struct { void *call_addr; int syscall; unsigned arch; }, of which Valgrind's header knows nothing */
    UChar *fields = (UChar *)&info._sifields;
    UInt number = (UInt)call->number, architecture = AUDIT_ARCH_X86_64;
    VG_(memcpy)(fields, &call->next, sizeof call->next);
    VG_(memcpy)(fields + sizeof call->next, &number, sizeof number);
    VG_(memcpy)(fields + sizeof call->next + sizeof number, &architecture, sizeof architecture);
    VG_(do_syscall)
    (__NR_rt_tgsigqueueinfo, (UWord)VG_(getpid)(), (UWord)VG_(gettid)(), VKI_SIGSYS, (UWord)&info, 0, 0, 0, 0);
    VG_(poll_signals)(tid);
}

static void filters_kill_process(ThreadId tid, const struct call *call, UInt data)
{
    /* A signal with a smaller number would be delivered before SIGSYS. */
    if (calls_take_signals(tid, call, VKI_SIGSYS))
        return;
    filters_force_default(tid);
    filters_send_sigsys(tid, call, data);
}

/* The thread alone ends; the last one ends the process by a signal. */
static void filters_kill_thread(ThreadId tid, UInt trc, const struct call *call, Int signal)
{
    if (VG_(count_living_threads)() > 1) {
        calls_replace(tid, trc, __NR_exit, (UWord)signal);
    } else if (signal == VKI_SIGSYS) {
        filters_kill_process(tid, call, 0);
    } else {
        end_process();
        VG_(kill)(VG_(getpid)(), signal);
    }
}

/* Whether the vDSO answers this call of the C library without the kernel. */
static Bool filters_is_vdso_call(const struct call *call)
{
    enum { REALTIME = 0, MONOTONIC = 1, FIRST_OTHER = 4, LAST_OTHER = 7, TAI = 11 };
    UWord clock = call->arguments[0];
    return call->number == __NR_gettimeofday || call->number == __NR_time || call->number == __NR_getcpu ||
           (call->number == __NR_clock_gettime &&
            (clock <= MONOTONIC || clock == TAI || (clock >= FIRST_OTHER && clock <= LAST_OTHER)));
}

/* What the filters say; the newest goes first. */
static UInt filters_run(const struct filter *filter, const struct call *call)
{
    struct seccomp_data data = {(int)call->number, AUDIT_ARCH_X86_64, call->next, {0}};
    UInt result = SECCOMP_RET_ALLOW;
    for (Int i = 0; i < 6; i++)
        data.args[i] = call->arguments[i];
    for (; filter; filter = filter->older) {
        UInt value = seccomp_run(filter->code, filter->length, &data);
        if (seccomp_goes_before(value, result))
            result = value;
    }
    return result;
}

/* Does what the filters want. False if they allow the call. */
static Bool filters_refuse(ThreadId tid, UInt trc, const struct call *call)
{
    vki_sigaction_fromK_t action;
    vki_sigset_t blocked;
    UInt value = filters_run(rules[tid].newest, call), data = value & SECCOMP_RET_DATA;
    switch (value & SECCOMP_RET_ACTION_FULL) {
    case SECCOMP_RET_ALLOW:
    case SECCOMP_RET_LOG:
        return False;
    default:
        if (filters_is_vdso_call(call))
            return False;
    }
    switch (value & SECCOMP_RET_ACTION_FULL) {
    case SECCOMP_RET_TRACE: /* without a tracer, and without a listener */
    case SECCOMP_RET_USER_NOTIF:
        calls_set_result(tid, -VKI_ENOSYS);
        break;
    case SECCOMP_RET_ERRNO:
        calls_set_result(tid, -(Long)(data < ERRNO_MOST ? data : ERRNO_MOST));
        break;
    case SECCOMP_RET_TRAP:
        if (calls_take_signals(tid, call, VKI_SIGSYS)) /* those with a smaller number come first */
            break;
        VG_(do_sys_sigaction)(VKI_SIGSYS, NULL, &action);
        VG_(do_sys_sigprocmask)(tid, VKI_SIG_BLOCK, NULL, &blocked);
        if (action.ksa_handler == VKI_SIG_IGN || VG_(sigismember)(&blocked, VKI_SIGSYS))
            filters_force_default(tid); /* a program that ignores or blocks the signal is killed */
        filters_send_sigsys(tid, call, data);
        break;
    case SECCOMP_RET_KILL_THREAD:
        filters_kill_thread(tid, trc, call, VKI_SIGSYS);
        break;
    default:
        filters_kill_process(tid, call, data);
    }
    return True;
}

/*
 * While the tool or the program runs, the core blocks all signals but those that an instruction can raise, and polls
 * for the others. It also leaves SIGSYS unblocked, though it then fails when one arrives: that one is blocked, too.
 */
Int __wrap_vgPlain_sigprocmask(Int how, const vki_sigset_t *set, vki_sigset_t *old)
{
    vki_sigset_t running;
    VG_(sigfillset)(&running);
    for (Int i = 0; i < (Int)(sizeof unblocked / sizeof *unblocked); i++)
        VG_(sigdelset)(&running, unblocked[i]);
    if (how == VKI_SIG_SETMASK && set && VG_(iseqsigset)(set, &running)) {
        VG_(sigaddset)(&running, VKI_SIGSYS);
        set = &running;
    }
    return __real_vgPlain_sigprocmask(how, set, old);
}

/* ---------------------------------------------------------------------------- new filters -- */

static Long filters_install_in_kernel(UWord flags, UWord program)
{
    SysRes result = VG_(do_syscall)(__NR_seccomp, SECCOMP_SET_MODE_FILTER, flags, program, 0, 0, 0, 0, 0);
    return sr_isError(result) ? -(Long)sr_Err(result) : (Long)sr_Res(result);
}

/* Installs a filter in a process that ends at once, after those that the kernel would have already: it limits the
 * length of all. The process's status, as in wait(2), is the errno value; -1: there is none. */
static Int filters_try(const struct filter *older, UWord flags, UWord program)
{
    vki_sigaction_toK_t action = {.ksa_handler = VKI_SIG_DFL};
    Int status = 0;
    SysRes child = VG_(do_syscall)(__NR_clone, 0, 0, 0, 0, 0, 0, 0, 0); /* its parent gets no signal */
    if (!sr_isError(child) && sr_Res(child) == 0) {
        VG_(sigaction)(VKI_SIGSYS, &action, NULL);
        VG_(sigaction)(VKI_SIGILL, &action, NULL);
        VG_(do_syscall)(__NR_prctl, SET_DUMPABLE, 0, 0, 0, 0, 0, 0, 0);
        if (older)
            filters_install(older);
        Long result = filters_install_in_kernel(flags, program);
        /* Ends the trial, whatever the filter thinks of that. */
        VG_(do_syscall)(__NR_exit_group, result < 0 ? (UWord)-result : 0, 0, 0, 0, 0, 0, 0, 0);
        __builtin_trap();
    }
    return sr_isError(child) || VG_(waitpid)((Int)sr_Res(child), &status, WAIT_ALL) < 0 ? -1 : status;
}

/* What the kernel says of a filter: 0, or an errno value. */
static UWord filters_check(const struct filter *older, UWord flags, UWord program)
{
    enum { SIGNAL = 0x7f };
    struct vki_rlimit files, none;
    /* A filter that has killed the trial, since this may not end in another way, has been installed; unless an older
     * one has killed it. */
    Int status = filters_try(older, flags, program);
    if (older && status > 0 && (status & SIGNAL))
        status = filters_try(NULL, flags, program);
    if (status >= 0)
        return status & SIGNAL ? 0 : (UWord)status >> 8 & 0xff;

    /*
     * No process can be made. The kernel looks at the flags first, then at the filter, and then, if there shall be a
     * listener (since Linux 5.0), for a descriptor, of which it finds none: EMFILE says that the filter is good.
     */
    Long result = filters_install_in_kernel(flags, 0);
    if (result != -VKI_EFAULT)
        return (UWord)-result;
    if (__real_vgPlain_getrlimit(VKI_RLIMIT_NOFILE, &files) != 0)
        return VKI_ENOMEM;
    none = (struct vki_rlimit){0, files.rlim_max};
    if (VG_(setrlimit)(VKI_RLIMIT_NOFILE, &none) != 0)
        return VKI_ENOMEM;
    result = filters_install_in_kernel(SECCOMP_FILTER_FLAG_NEW_LISTENER, program);
    VG_(setrlimit)(VKI_RLIMIT_NOFILE, &files);
    return result == -VKI_EMFILE ? 0 : (UWord)-result;
}

static struct filter *filters_copy(const struct sock_fprog *program, const struct filter *older)
{
    SizeT bytes = program->len * sizeof *program->filter;
    struct filter *filter = VG_(malloc)("assay.filter", sizeof *filter + bytes);
    filter->older = older;
    filter->length = program->len;
    VG_(memcpy)(filter->code, program->filter, bytes);
    if (!config_get()->methods && !config_get()->unmeasured) {
        shadow_read((Addr)program, sizeof *program);
        shadow_read((Addr)program->filter, bytes);
    }
    return filter;
}

/* The oldest of the other threads that have filters of their own, which is the first that the kernel meets: its rules,
 * or NULL. */
static const struct rules *filters_find_diverging(ThreadId tid)
{
    const struct rules *first = NULL;
    for (ThreadId other = 1; other < VG_N_THREADS; other++) {
        if (!VG_(is_valid_tid)(other))
            continue;
        const struct filter *own = rules[other].newest, *shared = rules[tid].newest;
        while (shared && shared != own)
            shared = shared->older;
        if ((rules[other].strict || shared != own) && (!first || rules[other].id < first->id))
            first = &rules[other];
    }
    return first;
}

/* The result of the system call. */
static Long filters_add(ThreadId tid, UWord flags, UWord program)
{
    const struct filter *older = rules[tid].newest;
    UWord error = rules[tid].strict ? VKI_EINVAL : filters_check(older, flags, program);
    if (error)
        return -(Long)error;
    if (flags & SECCOMP_FILTER_FLAG_NEW_LISTENER) {
        /* Another process handles some of the program's calls: this works only if the kernel filters them. */
        Long result = filters_install_in_kernel(flags, program);
        if (result >= 0)
            notes_add("it lets another process answer its system calls: this one also gets those of Valgrind");
        return result;
    }
    if (flags & SECCOMP_FILTER_FLAG_TSYNC) {
        const struct rules *diverging = filters_find_diverging(tid);
        if (diverging)
            return diverging->id == 0 || (flags & SECCOMP_FILTER_FLAG_TSYNC_ESRCH) ? -VKI_ESRCH : diverging->id;
        const struct filter *filter = filters_copy((const struct sock_fprog *)program, older);
        for (ThreadId other = 1; other < VG_N_THREADS; other++)
            if (VG_(is_valid_tid)(other))
                rules[other].newest = filter;
    } else {
        rules[tid].newest = filters_copy((const struct sock_fprog *)program, older);
    }
    return 0;
}

static Long filters_set_strict(ThreadId tid, Bool valid)
{
    if (!valid || rules[tid].newest)
        return -VKI_EINVAL;
    rules[tid].strict = True;
    return 0;
}

Bool filters_handle(ThreadId tid, UInt trc, const struct call *call)
{
    const UWord *a = call->arguments;
    if (rules[tid].id == 0)
        rules[tid].id = VG_(gettid)();
    if (rules[tid].strict && call->number != __NR_read && call->number != __NR_write && call->number != __NR_exit &&
        call->number != __NR_rt_sigreturn && !filters_is_vdso_call(call)) {
        filters_kill_thread(tid, trc, call, VKI_SIGKILL);
        return True;
    }
    if (rules[tid].newest && filters_refuse(tid, trc, call))
        return True;
    /* The program's questions and wishes about filters, unless the core can answer. */
    if (call->number == __NR_prctl && a[0] == GET_SECCOMP && rules[tid].newest)
        calls_set_result(tid, SECCOMP_MODE_FILTER);
    else if (call->number == __NR_prctl && a[0] == SET_SECCOMP && a[1] == SECCOMP_MODE_STRICT)
        calls_set_result(tid, filters_set_strict(tid, True));
    else if (call->number == __NR_prctl && a[0] == SET_SECCOMP && a[1] == SECCOMP_MODE_FILTER)
        calls_set_result(tid, filters_add(tid, 0, a[2]));
    else if (call->number == __NR_seccomp && (UInt)a[0] == SECCOMP_SET_MODE_STRICT)
        calls_set_result(tid, filters_set_strict(tid, (UInt)a[1] == 0 && a[2] == 0));
    else if (call->number == __NR_seccomp && (UInt)a[0] == SECCOMP_SET_MODE_FILTER)
        calls_set_result(tid, filters_add(tid, (UInt)a[1], a[2]));
    else if (call->number == __NR_seccomp) {
        SysRes result = VG_(do_syscall)(__NR_seccomp, a[0], a[1], a[2], 0, 0, 0, 0, 0);
        calls_set_result(tid, sr_isError(result) ? -(Long)sr_Err(result) : (Long)sr_Res(result));
    } else
        return False;
    return True;
}

/* ---------------------------------------------------------------------------- heirs -- */

static void filters_start_thread(ThreadId tid, ThreadId child)
{
    if (tid != VG_INVALID_THREADID)
        rules[child] = rules[tid];
    rules[child].id = 0;
}

static void filters_in_child(ThreadId tid)
{
    rules[tid].id = 0;
}

void filters_init(void (*before_kill)(void))
{
    end_process = before_kill;
    VG_(track_pre_thread_ll_create)(filters_start_thread);
    VG_(atfork)(NULL, NULL, filters_in_child);
}

HChar *filters_text(const struct filter *filter)
{
    static const HChar digits[] = "0123456789abcdef";
    const UChar *bytes = (const UChar *)filter->code;
    SizeT count = filter->length * sizeof *filter->code;
    HChar *text = VG_(malloc)("assay.filter.text", 2 * count + 1);
    for (SizeT i = 0; i < count; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
    }
    text[2 * count] = '\0';
    return text;
}

Bool filters_inherit(const HChar *text)
{
    SizeT count = VG_(strlen)(text) / 2, length = count / sizeof(struct sock_filter);
    struct filter *filter = VG_(malloc)("assay.filter", sizeof *filter + count);
    UChar *bytes = (UChar *)filter->code;
    Bool good = length > 0 && count % sizeof(struct sock_filter) == 0;
    *filter = (struct filter){rules[1].newest, (UInt)length};
    for (SizeT i = 0; i < count && good; i++) {
        HChar pair[3] = {text[2 * i], text[2 * i + 1], '\0'}, *rest;
        bytes[i] = (UChar)VG_(strtoll16)(pair, &rest);
        good = *rest == '\0';
    }
    if (good)
        rules[1].newest = filter;
    else
        VG_(free)(filter);
    return good;
}

Bool filters_install(const struct filter *filter)
{
    struct sock_fprog program = {(unsigned short)filter->length, (struct sock_filter *)filter->code};
    if (filter->older && !filters_install(filter->older))
        return False;
    return !sr_isError(
        __real_vgPlain_do_syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, 0, (UWord)&program, 0, 0, 0, 0, 0));
}

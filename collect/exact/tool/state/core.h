/*
 * core.h - functions of Valgrind's core that its headers do not offer to tools. The tool is linked with the core's
 * archive: some of these it calls, and some, which the linker wraps (Makefile: TOOL_WRAPS), it stands in for. They have
 * been the same since Valgrind 3.15 at least; a core that lacks one does not link.
 */
#ifndef ASSAY_EXACT_TOOL_STATE_CORE_H
#define ASSAY_EXACT_TOOL_STATE_CORE_H

#include <valgrind/pub_tool_basics.h>
#include <valgrind/pub_tool_vki.h>

/* --- called --- */

/* A system call of Valgrind's own. */
SysRes VG_(do_syscall)(UWord number, UWord a1, UWord a2, UWord a3, UWord a4, UWord a5, UWord a6, UWord a7, UWord a8);

/* Delivers a pending signal, unless the program blocks it, as if it had come before the next instruction. */
void VG_(poll_signals)(ThreadId tid);

/* What the program believes of its signals. */
SysRes VG_(do_sys_sigaction)(Int number, const vki_sigaction_toK_t *action, vki_sigaction_fromK_t *old);
SysRes VG_(do_sys_sigprocmask)(ThreadId tid, Int how, vki_sigset_t *set, vki_sigset_t *old);

/* System calls of the core itself: they do not change what the program believes. */
Int VG_(access)(const HChar *path, Bool read, Bool write, Bool execute);
Int VG_(fcntl)(Int fd, Int command, Addr argument);
Int VG_(kill)(Int pid, Int number);
Int VG_(sigaction)(Int number, const vki_sigaction_toK_t *action, vki_sigaction_fromK_t *old);
Int VG_(sigemptyset)(vki_sigset_t *set);
Int VG_(sigfillset)(vki_sigset_t *set);
Int VG_(sigaddset)(vki_sigset_t *set, Int number);
Int VG_(sigismember)(const vki_sigset_t *set, Int number);

Int VG_(setrlimit)(Int resource, const struct vki_rlimit *limit);
Int VG_(safe_fd)(Int fd); /* the same among Valgrind's numbers; closes fd */
Bool VG_(iseqsigset)(const vki_sigset_t *one, const vki_sigset_t *other);
Int VG_(count_living_threads)(void);
Bool VG_(is_valid_tid)(ThreadId tid);
SysRes VG_(am_mmap_anon_float_client)(SizeT bytes, Int protection);

/* A symbol as it is written in the source; the text lives until the next call. */
void VG_(demangle)(Bool cxx, Bool z, const HChar *symbol, const HChar **text);

/* Which code the core checks for changes at each use: by default all that does not come from a file. */
enum core_checks { CORE_CHECK_NONE, CORE_CHECK_STACK, CORE_CHECK_ALL, CORE_CHECK_ALL_BUT_FILES };
extern enum core_checks VG_(clo_smc_check);

extern HChar **VG_(client_envp); /* Valgrind's environment, which becomes the program's; the auxiliary vector follows */
extern Int VG_(cl_cmdline_fd);   /* what the program reads from /proc/self/cmdline */

/* Descriptors from the second on are Valgrind's; the program may open those below the first. */
extern Int VG_(fd_soft_limit), VG_(fd_hard_limit);
extern struct vki_rlimit VG_(client_rlimit_data), VG_(client_rlimit_stack); /* that the program believes it has */
extern Addr VG_(brk_limit);                                                 /* the end of its heap, for brk(2) */
extern Int VG_(cl_exec_fd);                                                 /* its file */

struct core_sink {
    Int fd;
    UInt type;
    HChar *name;
};
extern struct core_sink VG_(log_output_sink);

extern const HChar *VG_(libdir);           /* where the tool is */
extern const HChar *VG_(name_of_launcher); /* what starts it */

/* --- wrapped: __real_… is the core's own --- */

/* Makes the system call at which the thread is; `trc` is the instruction that makes it. */
void __wrap_vgPlain_client_syscall(ThreadId tid, UInt trc);
void __real_vgPlain_client_syscall(ThreadId tid, UInt trc);

/* Whether the program that a process executes runs under Valgrind, too. */
Bool __wrap_vgPlain_should_we_trace_this_child(const HChar *program, const HChar **arguments);
Bool __real_vgPlain_should_we_trace_this_child(const HChar *program, const HChar **arguments);

SysRes __wrap_vgPlain_do_syscall(UWord number, UWord a1, UWord a2, UWord a3, UWord a4, UWord a5, UWord a6, UWord a7,
                                 UWord a8);
SysRes __real_vgPlain_do_syscall(UWord number, UWord a1, UWord a2, UWord a3, UWord a4, UWord a5, UWord a6, UWord a7,
                                 UWord a8);

/* Sets the signals that the kernel blocks for this thread. */
Int __wrap_vgPlain_sigprocmask(Int how, const vki_sigset_t *set, vki_sigset_t *old);
Int __real_vgPlain_sigprocmask(Int how, const vki_sigset_t *set, vki_sigset_t *old);

/* Loads the program, as execve(2) does, before the tool's options are read. */
struct core_program;
Int __wrap_vgPlain_do_exec(const HChar *path, struct core_program *program);
Int __real_vgPlain_do_exec(const HChar *path, struct core_program *program);

Int __wrap_vgPlain_getrlimit(Int resource, struct vki_rlimit *limit);
Int __real_vgPlain_getrlimit(Int resource, struct vki_rlimit *limit);

/* Opens the log. */
void __wrap_vgPlain_init_log_xml_sinks(UInt log_to, UInt xml_to, Int log, Int xml);
void __real_vgPlain_init_log_xml_sinks(UInt log_to, UInt xml_to, Int log, Int xml);

/* Reports a signal that an instruction of the program raises to an attached debugger; True: deliver it. */
Bool __wrap_vgPlain_gdbserver_report_signal(vki_siginfo_t *info, ThreadId tid);
Bool __real_vgPlain_gdbserver_report_signal(vki_siginfo_t *info, ThreadId tid);

/* Reads the lines and the inlined functions of a file's code from its DWARF sections; symbols and unwind tables are
 * read elsewhere. The arguments are the sections. */
void __wrap_vgModuleLocal_read_debuginfo_dwarf3(void);

/* Makes a temporary file in TMPDIR or /tmp: its descriptor, and its path in *path; or -1. */
Int __wrap_vgPlain_mkstemp(const HChar *part, HChar *path);
Int __real_vgPlain_mkstemp(const HChar *part, HChar *path);

#endif

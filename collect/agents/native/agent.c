/*
 * The beginning and the end of the native agent in a process.
 */
#include "collect/agents/native/chosen.h"
#include "collect/agents/native/native.h"
#include "collect/agents/native/patch.h"
#include "collect/agents/native/select.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/signals.h"
#include "collect/perf/reserved_fd.h"

static pid_t recorded_process; /* not that of a child of vfork */

/* Since native_agent_before_fork(): whether this thread took the linker's lock; and whether the child can't be
 * recorded, since others kept the lock, or since it forks in a callback of dl_iterate_phdr(), in which its own writer
 * would wait for it. */
static bool linker_held, linker_busy;

static void native_agent_before_fork(void)
{
    sampler_before_fork();
    linker_busy = sampler_writer() && linker_is_own();
    methods_before_fork(linker_lock_before_fork);
    modules_before_fork(); /* first, as patch_loaded() takes its lock */
    select_before_fork();
    linker_held = sampler_writer() && linker_hold(); /* nobody asks the linker if nothing is recorded */
    linker_busy |= sampler_writer() && !linker_held;
}

static void native_agent_after_fork_in_parent(void)
{
    if (linker_held)
        linker_release();
    select_after_fork_in_parent();
    modules_after_fork_in_parent();
    methods_after_fork_in_parent();
    sampler_after_fork_in_parent();
}

static void native_agent_after_fork_in_child(void)
{
    recorded_process = getpid();
    if (linker_held)
        linker_release_in_child();
    modules_forget();
    announce_begin();
    select_after_fork_in_child();
    methods_after_fork_in_child();
    chooser_forget();
    patch_in_again();
    if (linker_busy) {
        linker_forget();
        methods_end();
        sampler_report("the dynamic linker was busy as its parent forked: this process is not recorded");
    }
    sampler_after_fork_in_child(!linker_busy);
    if (chosen_active)
        chooser_begin_thread();
    methods_start_in_child();
}

static uint64_t native_agent_align_up(uint64_t value, uint64_t alignment)
{
    return (value + alignment - 1) & ~(alignment - 1);
}

/* Go's linker marks its programs with a note of this name, among others. */
static bool native_agent_is_in_go(void)
{
    static const char NAME[] = "Go";
    const ElfW(Phdr) *headers = (const void *)(uintptr_t)getauxval(AT_PHDR);
    for (size_t i = 0; i < getauxval(AT_PHNUM); i++) {
        const ElfW(Phdr) *segment = &headers[i];
        if (segment->p_type != PT_NOTE)
            continue;
        uint64_t at = _r_debug.r_map->l_addr + segment->p_vaddr, end = at + segment->p_memsz;
        uint64_t alignment = segment->p_align == 8 ? 8 : 4;
        while (at + sizeof(ElfW(Nhdr)) + sizeof NAME <= end) {
            const ElfW(Nhdr) *note = (const void *)(uintptr_t)at;
            if (note->n_namesz >= sizeof NAME && memcmp(note + 1, NAME, sizeof NAME) == 0)
                return true;
            at += native_agent_align_up(
                native_agent_align_up(sizeof *note + note->n_namesz, alignment) + note->n_descsz, alignment);
        }
    }
    return false;
}

static enum trace_role native_agent_thread_role(const char *thread_name)
{
    (void)thread_name;
    return ROLE_NATIVE;
}

/* Does what glibc does when the last thread ends. */
static void native_agent_on_deserted(void)
{
    agent_end();
    exit(0);
}

static struct sampler_hooks hooks = {
    .collector = "native",
    .walk = native_walk_stack,
    .function = walk_function,
    .frame = walk_frame,
    .is_own = walk_is_own,
    .describe = modules_describe,
    .on_cycle = modules_look_again,
    .role = native_agent_thread_role,
    .on_deserted = native_agent_on_deserted,
    .outside = true,
    .alternate_stacks = true,
};

static int native_agent_start(const struct sampler_config *config)
{
    methods_find_jumps();
    if (methods_is_simulated()) /* the kernel runs the tool, and calls the main thread by its name */
        prctl(PR_SET_NAME, program_invocation_short_name);
    if (methods_wanted(config->metadata))
        return methods_start(config);
    walk_prepare();
    guard_install_handlers();
    hooks.shares_signal = native_agent_is_in_go();
    hooks.alternate_stacks = !hooks.shares_signal;
    /* OCaml's garbage collector knows each return address in its code, and follows them; its linker exports this
     * table. */
    hooks.no_stubs =
        hooks.shares_signal
            ? "it is written in Go, which looks at its return addresses: its calls are not found by steps"
        : dlsym(RTLD_DEFAULT, "caml_frametable") != NULL
            ? "it is written in OCaml, which looks at its return addresses: its calls are not found by steps"
            : NULL;
    int error = chosen_wanted(config->metadata) ? chosen_start(config, &hooks, native_methods_run_pairs)
                                                : sampler_start(config, &hooks, NULL);
    mask_open();
    return error;
}

static bool native_agent_is_wanted(const struct sampler_config *config)
{
    /* This agent has no clocks that only a JVM has. */
    bool clock = strcmp(config->clock, "safepoint") != 0 && config->source != SOURCE_EXTERNAL;
    /* Valgrind's launcher, and programs that the exact tool lets run unmeasured, have no simulated counters. */
    bool here = !methods_wants_simulated(config->metadata) || methods_is_simulated();
    bool methods = methods_wanted(config->metadata);
    if ((!clock && !methods) || !here)
        return false;

    /* The agent inside the JVM records java, javac, jshell and the other launchers of a JDK. This takes the linker's
     * own list, as a preloaded library that interposes dl_iterate_phdr() has not been initialized yet (fakechroot's
     * would crash). */
    for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next) {
        const char *slash = strrchr(map->l_name, '/');
        if (strcmp(slash ? slash + 1 : map->l_name, "libjli.so") == 0)
            return false;
    }
    if (!sampler_wants_program(config))
        return false;

    static const char KEY[] = "\nTracerPid:"; /* each sample would be a stop that its tracer sees */
    char text[4096];
    int fd = methods ? -1 : open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[length > 0 ? length : 0] = '\0';
    const char *line = strstr(text, KEY);
    long by = line ? strtol(line + sizeof KEY - 1, NULL, 10) : 0;
    if (by > 0) {
        snprintf(text, sizeof text, "process %ld traces it, so it is not recorded", by);
        sampler_note_early(config, text);
        return false;
    }

    /* A program that has a sigaction() of its own, as Erlang's, sees to it that no handler runs on its stacks, since
     * they have no room below for a signal's frame. Samples go by alternate stacks; the traps of watchpoints can't. */
    bool lacks_space =
        (config->watch.wanted || config->calls) && dlsym(RTLD_DEFAULT, "sigaction") != (void *)(uintptr_t)sigaction;
    if (lacks_space)
        sampler_note_early(config,
                           "it has a sigaction() of its own, as its stacks have no room for traps: it is not recorded");
    return !lacks_space;
}

static const char *path = "";

static void native_agent_find_path(void)
{
    Dl_info found;
    if (dladdr((void *)(uintptr_t)native_agent_find_path, &found) && found.dli_fname)
        path = found.dli_fname;
}

const char *agent_path(void)
{
    return path;
}

/* Sets what the C library's own constructor is about to set, which runs later (-z initfirst). */
static void native_agent_set_program_name(char **arguments, char **environment)
{
    if (!environ)
        environ = environment;
    if (*program_invocation_name || !arguments[0])
        return;
    const char *slash = strrchr(arguments[0], '/');
    program_invocation_name = arguments[0];
    program_invocation_short_name = slash ? arguments[0] + (slash - arguments[0]) + 1 : arguments[0];
}

/* A handler of exit() that runs after the destructors of the program and of all libraries: handlers run in reverse
 * order of registration, and the one that runs destructors is registered after this library's constructor. (A
 * destructor here would run before those of libraries that this one does not use.) */
static void native_agent_end_at_exit(int status, void *nothing)
{
    (void)status;
    (void)nothing;
    agent_end();
}

/*
 * Where another process waits for what it shall write. False if the pool is out of reach, behind a change of user or
 * namespace by a program that has closed its descriptors, as sandboxes do. Writing would take threads of this process,
 * and a sandbox counts its threads (that of Chromium ends with a second one).
 */
static bool native_agent_find_pool(struct sampler_config *config, int inherited)
{
    char text[128];
    int error = *config->pool ? pool_attach(config->pool, inherited) : 0;
    if (!error)
        return true;
    snprintf(text, sizeof text, "it can't reach the process that writes traces (%s): it is not recorded",
             strerrordesc_np(error));
    sampler_note_early(config, text);
    return false;
}

__attribute__((constructor)) static void native_agent_begin(int count, char **arguments, char **environment)
{
    struct sampler_config config;
    native_agent_set_program_name(arguments, environment);
    interpose_find_free();
    interpose_find_object();
    interpose_find_syscall();
    interpose_find_signals();
    interpose_find_transfers();
    interpose_find_waits();
    methods_find_injected();
    if (!sampler_configure(&config)) {
        dlerror();
        return;
    }
    recorded_process = getpid();
    native_agent_find_path();
    reserved_fd_grow_table(); /* also for the JVM agent, which starts when there are threads */
    /* The descriptor of the pool that the program before this one has handed down; −1: none. */
    const char *recorded = getenv(SAMPLER_RECORDED_ENVIRONMENT);
    int inherited;
    if (recorded && sscanf(recorded, SAMPLER_RECORDED_POOL, &inherited) == 1)
        unsetenv(SAMPLER_RECORDED_ENVIRONMENT);
    else
        inherited = -1;
    bool is_wanted = native_agent_is_wanted(&config);
    if (!is_wanted)
        pool_drop(inherited);
    if (is_wanted && native_agent_find_pool(&config, inherited)) {
        sampler_set_arguments(count, arguments);
        linker_find_lock();
        if (native_agent_start(&config) == 0) {
            on_exit(native_agent_end_at_exit, NULL);
            pthread_atfork(native_agent_before_fork, native_agent_after_fork_in_parent,
                           native_agent_after_fork_in_child);
            if (!sampler_is_outside())
                fatal_signals_install();
        }
    }
    json_decref(config.metadata);
    dlerror(); /* the program must not see the failures of our own look-ups */
}

static bool over; /* this library makes no system calls of its own any more */

void agent_end_from_handler(unsigned timeout_ms)
{
    if (!over && !methods_end_from_handler(timeout_ms))
        sampler_seal_from_handler(timeout_ms);
}

bool agent_has_handler(uintptr_t handler)
{
    return handler == (uintptr_t)guard_handle || handler == (uintptr_t)fatal_signals_handle ||
           sampler_has_handler(handler);
}

void agent_end(void)
{
    if (over)
        return;
    methods_end();
    chosen_end();
    shadow_report();
    int error = sampler_stop();
    select_report();
    if (error)
        sampler_report("its trace is not complete: %s", strerrordesc_np(error));
}

/* A child of vfork that may no longer make all system calls, though its parent may. */
static _Atomic pid_t restricted_child;

void agent_end_for_good(const char *reason)
{
    if (over || !sampler_is_recording())
        return;
    sampler_note(reason);
    if (getpid() != recorded_process) {
        sampler_listen_no_more();
        restricted_child = getpid();
        return;
    }
    agent_end();
    /* The program sees the default there; now that is so. */
    struct signals_action known;
    const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGSEGV, SIGBUS};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (signals_exchange(signals[i], NULL, &known) && agent_has_handler(known.handler))
            signals_exchange(signals[i], &(struct signals_action){0}, NULL);
    mask_end();
    unsetenv(SAMPLER_ENVIRONMENT);
    over = true;
}

bool agent_has_ended_for_good(void)
{
    return over || (restricted_child && restricted_child == getpid());
}

static sampler_chain_function *_Atomic successor;

/* The JVM agent finds this by name, and calls it to take over the process. Its handlers are hidden by `chain`. */
EXPORT void assay_native_stand_down(sampler_chain_function *chain);
void assay_native_stand_down(sampler_chain_function *chain)
{
    agent_end();
    atomic_store(&successor, chain);
}

bool agent_chain(int signal, const struct sigaction *action, struct sigaction *before)
{
    sampler_chain_function *chain = atomic_load(&successor);
    return sampler_chain(signal, action, before) || (chain && chain(signal, action, before));
}

void *interpose_next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

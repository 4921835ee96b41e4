/*
 * Records which functions are entered and left in programs compiled with -finstrument-functions: the compiler inserts
 * calls of the two functions below. (patch.h does so for -fpatchable-function-entry.) If an exception leaves a
 * function, it makes the same call as a return if gcc compiled the function for exceptions, and none otherwise; a
 * longjmp makes no call. So exceptions and longjmps are recorded as events of their own.
 */
#include "collect/agents/native/chosen.h"
#include "collect/agents/native/native.h"
#include "collect/agents/native/patch.h"
#include "collect/agents/native/select.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <unwind.h>

#include "base/clock.h"

/* Where the stack of the caller of this function ends, above the return address and the frame pointer. */
#define HERE ((uint64_t)(uintptr_t)__builtin_frame_address(0) + 2 * sizeof(uint64_t))
#define UNTRACED __attribute__((no_instrument_function))

/* The hook of assay inject, whose library comes after this one; NULL if there is none. It does work in one function. */
static void (*injected)(void *function, void *from);

void methods_find_injected(void)
{
    injected = (void (*)(void *, void *))interpose_next("assay_inject_enter");
}

/* The probe in its code has already recorded a function that was compiled with both options. Its own hook is the first
 * in the call, and passes the address of the function itself or of the one that it is a copy of. The hooks that follow
 * belong to functions that were inlined into it. The first does as well, if the function is not a copy and the hook
 * passes another address: the function was then compiled without a hook of its own. A function without room for a probe
 * that a function with a probe calls as a tail call returns to the same location, but has not been recorded. */
static UNTRACED bool native_methods_is_seen_entering(uint64_t function, uint64_t location, const void *call_site)
{
    struct shadow_entry *call = shadow_inside(location);
    if (!call)
        return false;
    if (call->hooks == 0 && (uint64_t)(uintptr_t)call_site == SHADOW_HOOK && patch_may_hook(call, function))
        call->hooked = function;
    return call->hooked == function && call->hooks++ == 0;
}

static UNTRACED bool native_methods_is_seen_leaving(uint64_t function, uint64_t location)
{
    struct shadow_entry *call = shadow_inside(location);
    return call && call->hooked == function && call->hooks > 0 && --call->hooks == 0;
}

EXPORT void __cyg_profile_func_enter(void *function, void *call_site);
EXPORT UNTRACED void __cyg_profile_func_enter(void *function, void *call_site)
{
    uint64_t method = (uint64_t)(uintptr_t)function;
    if (announce_at_entry)
        announce_entered(method);
    if (!select_passes(method) && !native_methods_is_seen_entering(method, HERE, call_site) &&
        !methods_mark_plain(MARK_ENTER, method, HERE)) {
        /* What the usual case of mode methods has not recorded. */
        if (chosen_active)
            chosen_enter(method, HERE);
        else
            methods_mark(MARK_ENTER, method, HERE);
    }
    if (injected)
        injected(function, __builtin_return_address(0));
}

EXPORT void __cyg_profile_func_exit(void *function, void *call_site);
EXPORT UNTRACED void __cyg_profile_func_exit(void *function, void *call_site)
{
    /* The compiler may end the function with a jump to this one, which then returns to the function's caller. The
     * function's return address is still there, and is the location of the patched function, if any, that made it as a
     * tail call. */
    bool gone = __builtin_return_address(0) == call_site;
    uint64_t inside = HERE - (gone ? sizeof(uint64_t) : 0);
    uint64_t method = (uint64_t)(uintptr_t)function, location = inside | (gone ? METHODS_PLACE_ABOVE : 0);
    if (!select_passes(method) && !native_methods_is_seen_leaving(method, inside) &&
        !methods_mark_plain(MARK_EXIT, method, location)) {
        if (chosen_active)
            chosen_leave(method, location & ~(uint64_t)METHODS_PLACE_ABOVE, location & METHODS_PLACE_ABOVE);
        else
            methods_mark(MARK_EXIT, method, location);
    }
}

static const char cxx[] = "libstdc++.so.6", gcc[] = "libgcc_s.so.1";

/* Finds a function of a runtime, which may have been loaded with RTLD_LOCAL; NULL: it is not there. */
static void *native_methods_find_in_library(const char *name, const char *library)
{
    void *found = interpose_next(name), *handle = found ? NULL : dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    return handle ? dlsym(handle, name) : found;
}

/* Looked up before an exception is in flight, if that is possible. */
static struct {
    void (*_Atomic set_ip)(struct _Unwind_Context *, _Unwind_Ptr);
    _Unwind_Word (*_Atomic stack_of)(struct _Unwind_Context *);
    _Unwind_Reason_Code (*_Atomic backtrace)(_Unwind_Trace_Fn, void *);
} unwinder;

static bool native_methods_find_unwinder(void)
{
    if (!unwinder.stack_of)
        unwinder.stack_of =
            (_Unwind_Word(*)(struct _Unwind_Context *))native_methods_find_in_library("_Unwind_GetCFA", gcc);
    if (!unwinder.set_ip)
        unwinder.set_ip =
            (void (*)(struct _Unwind_Context *, _Unwind_Ptr))native_methods_find_in_library("_Unwind_SetIP", gcc);
    if (!unwinder.backtrace)
        unwinder.backtrace =
            (_Unwind_Reason_Code(*)(_Unwind_Trace_Fn, void *))native_methods_find_in_library("_Unwind_Backtrace", gcc);
    return unwinder.stack_of && unwinder.set_ip && unwinder.backtrace;
}

/* Finds a function of the C++ runtime. Someone has called it to throw or to catch, so it is there. */
static void *native_methods_find_in_cxx(const char *name)
{
    void *found = native_methods_find_in_library(name, cxx);
    if (!found)
        abort();
    native_methods_find_unwinder();
    return found;
}

/* The functions that throw in C++. They all call the unwinder, of which this library contains a copy of its own. */
EXPORT void __cxa_throw(void *exception, void *type, void (*destroy)(void *));
EXPORT void __cxa_throw(void *exception, void *type, void (*destroy)(void *))
{
    static void (*_Atomic next)(void *, void *, void (*)(void *));
    if (!next)
        next = (void (*)(void *, void *, void (*)(void *)))native_methods_find_in_cxx("__cxa_throw");
    methods_mark(MARK_THROW, 0, HERE);
    shadow_throw();
    sampler_put_back(false);
    next(exception, type, destroy);
}

EXPORT void __cxa_rethrow(void);
EXPORT void __cxa_rethrow(void)
{
    static void (*_Atomic next)(void);
    if (!next)
        next = (void (*)(void))native_methods_find_in_cxx("__cxa_rethrow");
    methods_mark(MARK_THROW, 0, HERE);
    shadow_throw();
    sampler_put_back(false);
    next();
}

/* std::rethrow_exception(std::exception_ptr) */
EXPORT void _ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE(void *pointer);
EXPORT void _ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE(void *pointer)
{
    static void (*_Atomic next)(void *);
    if (!next)
        next =
            (void (*)(void *))native_methods_find_in_cxx("_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE");
    methods_mark(MARK_THROW, 0, HERE);
    shadow_throw();
    sampler_put_back(false);
    next(pointer);
}

/* After a jump to a location on this thread's stack: the frames in front of it are left. */
static void native_methods_restore_waits(uint64_t location)
{
    enum { STACK = 8 << 20 };
    uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0);
    sampler_put_again(here - STACK, location);
}

EXPORT void *__cxa_begin_catch(void *exception);
EXPORT void *__cxa_begin_catch(void *exception)
{
    static void *(*_Atomic next)(void *);
    if (!next)
        next = (void *(*)(void *))native_methods_find_in_cxx("__cxa_begin_catch");
    methods_mark(MARK_CATCH, 0, HERE);
    shadow_catch(HERE);
    native_methods_restore_waits(HERE);
    return next(exception);
}

/* A personality routine sets through _Unwind_SetIP() where a function continues, to clean up or to catch.
 * The functions below it have been left, and clang calls nothing for them. The name has libgcc's version, since the
 * unwinder that is linked into this library defines it without one. */
EXPORT void methods_land(struct _Unwind_Context *context, _Unwind_Ptr address);
__asm__(".symver methods_land, _Unwind_SetIP@GCC_3.0, remove");
EXPORT void methods_land(struct _Unwind_Context *context, _Unwind_Ptr address)
{
    if (!native_methods_find_unwinder())
        abort(); /* a personality routine calls it: it is there */
    methods_mark(MARK_JUMP, 0, unwinder.stack_of(context));
    unwinder.set_ip(context, address);
}

/* A walk that begins in methods_walk(), which its caller does not know of. */
struct walk {
    _Unwind_Trace_Fn visit;
    void *arg;
    bool begun;
};

static _Unwind_Reason_Code native_methods_visit_frame(struct _Unwind_Context *context, void *user)
{
    struct walk *walk = user;
    bool own = !walk->begun;
    walk->begun = true;
    return own ? _URC_NO_REASON : walk->visit(context, walk->arg);
}

/* Interposes _Unwind_Backtrace(), which must see the real return addresses. The name is versioned as above. */
EXPORT _Unwind_Reason_Code methods_walk(_Unwind_Trace_Fn visit, void *arg);
__asm__(".symver methods_walk, _Unwind_Backtrace@GCC_3.3, remove");
EXPORT _Unwind_Reason_Code methods_walk(_Unwind_Trace_Fn visit, void *arg)
{
    struct walk walk = {.visit = visit, .arg = arg};
    if (!native_methods_find_unwinder())
        abort(); /* somebody calls it: it is there */
    shadow_pause();
    sampler_put_back(true);
    _Unwind_Reason_Code result = unwinder.backtrace(native_methods_visit_frame, &walk);
    sampler_put_again(0, 0);
    shadow_resume();
    return result;
}

/* Interposes the C library's backtrace(), which must see the real return addresses, but not this function. */
EXPORT int backtrace(void **frames, int max);
EXPORT int backtrace(void **frames, int max)
{
    enum { MOST = 1024 };
    static int (*_Atomic next)(void **, int);
    void *found[MOST + 1];
    if (!next)
        next = (int (*)(void **, int))interpose_next("backtrace");
    shadow_pause();
    sampler_put_back(true);
    int count = max > 0 ? next(found, (max < MOST ? max : MOST) + 1) - 1 : 0;
    sampler_put_again(0, 0);
    shadow_resume();
    if (count > 0)
        memcpy(frames, found + 1, (size_t)count * sizeof *frames);
    return count > 0 ? count : 0;
}

/* Looked up beforehand, since they may be called in signal handlers. */
typedef void jump_function(struct __jmp_buf_tag *, int);
static jump_function *next_longjmp, *next_siglongjmp, *next_checked;

void methods_find_jumps(void)
{
    next_longjmp = (jump_function *)interpose_next("longjmp");
    next_siglongjmp = (jump_function *)interpose_next("siglongjmp");
    next_checked = (jump_function *)interpose_next("__longjmp_chk");
}

/* Where the stack ends after the jump. The C library stores it rotated and mixed with a secret of the process. */
static uint64_t native_methods_jump_stack(const struct __jmp_buf_tag *location)
{
    enum { RSP = 6, ROTATED = 17 };
    uint64_t mixed = (uint64_t)location->__jmpbuf[RSP], secret;
    __asm__("mov %%fs:0x30, %0" : "=r"(secret));
    return (mixed >> ROTATED | mixed << (64 - ROTATED)) ^ secret;
}

static _Noreturn void native_methods_jump(jump_function *const *next, struct __jmp_buf_tag *location, int value)
{
    if (!*next)
        methods_find_jumps();
    methods_mark(MARK_JUMP, 0, native_methods_jump_stack(location));
    shadow_jump();
    sampler_put_back(false);
    native_methods_restore_waits(native_methods_jump_stack(location));
    (*next)(location, value);
    abort();
}

EXPORT void longjmp(jmp_buf location, int value)
{
    native_methods_jump(&next_longjmp, location, value);
}

EXPORT void _longjmp(jmp_buf location, int value)
{
    native_methods_jump(&next_longjmp, location, value);
}

EXPORT void siglongjmp(sigjmp_buf location, int value)
{
    native_methods_jump(&next_siglongjmp, location, value);
}

EXPORT void __longjmp_chk(jmp_buf location, int value);
EXPORT _Noreturn void __longjmp_chk(jmp_buf location, int value)
{
    native_methods_jump(&next_checked, location, value);
}

/* Makes a method for each function. */
static bool native_methods_describe_frame(void *user, const struct trace_raw_frame *frame,
                                          struct trace_frame_text *text)
{
    static char name[FRAME_NAME_BYTES];
    bool known = modules_describe(user, frame, text);
    if (known)
        frame_text_of_function(text, name);
    return known;
}

static void *native_methods_replace_last_thread(void *nothing)
{
    agent_end();
    exit(0);
    return nothing;
}

EXPORT _Noreturn void pthread_exit(void *value)
{
    void (*next)(void *) = (void (*)(void *))interpose_next("pthread_exit");
    shadow_pause(); /* for good: it unwinds the stack */
    sampler_put_back(false);
    next(value);
    abort();
}

/* CPU time of the recorder's start, in this process. */
static struct {
    pid_t process;
    uint64_t ns;
} start;

static void native_methods_collect_records(void *user)
{
    static bool leaving, reported;
    static struct trace_stream *stream;
    static pid_t process; /* the one to which the stream belongs */
    pthread_t thread;
    if (methods_lacks_allocated() && !reported && methods_has_recorded()) {
        reported = true;
        sampler_report(METHODS_NO_ALLOCATED);
    }
    modules_look_again(user);
    if (methods_collect() && methods_has_recorded() &&
        (process == getpid() || trace_stream_open(sampler_writer(), 0, METHODS_RECORDER, ROLE_NATIVE, &stream) == 0)) {
        process = getpid();
        /* The child of a fork has not started the recorder itself. */
        methods_report_cost(stream, start.process == process ? start.ns : 0);
    }
    /* If only the rest of the main thread and the calling thread, the writer's, remain, the process would have ended. A
     * thread that has left has no memory, and so no program: this is the main thread's. Reading its state would take a
     * descriptor. */
    enum { LINKS = 2, LEFT = 2 }; /* of the directory itself */
    struct stat tasks;
    char program[8];
    if (!leaving && stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink == LINKS + LEFT &&
        readlink("/proc/self/exe", program, sizeof program) < 0 && errno == ENOENT)
        leaving = pthread_create(&thread, NULL, native_methods_replace_last_thread, NULL) == 0;
}

static UNTRACED __attribute__((noinline)) void native_methods_empty_pair(void)
{
    __cyg_profile_func_enter((void *)(uintptr_t)native_methods_empty_pair, __builtin_return_address(0));
    __cyg_profile_func_exit((void *)(uintptr_t)native_methods_empty_pair, __builtin_return_address(0));
}

void native_methods_run_pairs(unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        native_methods_empty_pair();
}

static enum trace_role native_methods_thread_role(const char *thread_name)
{
    (void)thread_name;
    return ROLE_NATIVE;
}

/* Once the process has begun to record, and again in the child of a fork: reports to another process, if that reads the
 * records, what it has to know. */
static void native_methods_show_process(bool child)
{
    if (!methods_are_outside())
        return;
    if (child)
        announce_files_again();
    else
        announce_files();
    announce_at_entry = !load_is_watched();
    select_begin();
    methods_show();
}

int methods_start(const struct sampler_config *config)
{
    static const struct sampler_hooks hooks = {.collector = "native",
                                               .describe = native_methods_describe_frame,
                                               .on_cycle = native_methods_collect_records,
                                               .role = native_methods_thread_role,
                                               .outside = true,
                                               .events_only = true};
    uint64_t begun = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    native_methods_find_unwinder(); /* beforehand: unwinding may begin in a signal handler */
    select_prepare(json_object_get(config->metadata, "methods"));
    if (!*config->pool)
        modules_look_again(NULL); /* while there is a main thread, since the program has no name without it */
    size_t patched = patch_all();
    const struct methods_hooks own = {.role = native_methods_thread_role,
                                      .pairs = patched > 0 ? patch_pairs : native_methods_run_pairs,
                                      .chosen = select_wanted() ? select_has : NULL,
                                      .passed = patched > 0 ? patch_out : NULL};
    json_t *extra = methods_prepare(&own, config->metadata);
    int error = sampler_start(config, &hooks, extra);
    start.process = getpid();
    start.ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - begun;
    if (!error && (error = methods_begin(extra, start.ns)) != 0)
        sampler_stop();
    json_decref(extra);
    native_methods_show_process(false);
    return error;
}

void methods_start_in_child(void)
{
    methods_begin_in_child();
    native_methods_show_process(true);
}

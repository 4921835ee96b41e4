#include "collect/watch/watch.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/clock.h"
#include "collect/perf/event.h"
#include "collect/perf/kept.h"

struct watch_host watch_host;

/* Fields of a SIGTRAP from a perf event, which older headers lack; include/uapi/asm-generic/siginfo.h. */
enum { CODE_PERF = 6, FLAG_ASYNC = 1, PAGE = 4096 };

static _Atomic uint64_t epoch;
static _Thread_local struct watcher *own __attribute__((tls_model("initial-exec")));

/* ------------------------------------------------------------------------------------------ registers -- */

static struct perf_event_attr attributes(const struct watchpoint *point, bool writes_only)
{
    return (struct perf_event_attr){
        .size = sizeof(struct perf_event_attr),
        .type = PERF_TYPE_BREAKPOINT,
        .sample_period = 1,
        .wakeup_events = 1,
        .bp_type = writes_only ? HW_BREAKPOINT_W : HW_BREAKPOINT_RW,
        .bp_addr = point->low,
        .bp_len = point->window,
        .exclude_kernel = !point->kernel,
        .exclude_hv = 1,
        .remove_on_exec = 1,
        .sigtrap = 1,
        .sig_data = (uint64_t)(uintptr_t)point,
    };
}

/* A register for this thread, which watches nothing. */
static int open_register(struct watchpoint *point, pid_t tid, bool kernel)
{
    *point = (struct watchpoint){
        .fd = -1, .kernel = kernel, .low = (uint64_t)(uintptr_t)&epoch & ~UINT64_C(7), .window = WATCH_WINDOW};
    struct perf_event_attr attr = attributes(point, true);
    attr.disabled = 1;
    int fd = perf_keep(&attr, tid);
    if (fd < 0)
        return errno;
    point->fd = fd;
    return 0;
}

static int open_point(struct watchpoint *point, pid_t tid)
{
    int error = open_register(point, tid, true);
    return error == EACCES || error == EPERM ? open_register(point, tid, false) : error;
}

bool watch_arm(struct watchpoint *point, bool writes_only)
{
    struct perf_event_attr attr = attributes(point, writes_only);
    point->writes_only = writes_only;
    if (point->fd < 0) /* the candidate: stepping sees what it waits for */
        return true;
    point->armed = ioctl(point->fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr) == 0;
    return point->armed;
}

void watch_pause(struct watchpoint *point)
{
    if (point->fd >= 0)
        ioctl(point->fd, PERF_EVENT_IOC_DISABLE, 0);
}

void watch_resume(struct watchpoint *point)
{
    if (point->fd >= 0)
        ioctl(point->fd, PERF_EVENT_IOC_ENABLE, 0);
}

struct reservoir *watch_reservoir(struct watcher *watcher, const struct watchpoint *point, int *index)
{
    size_t at = (size_t)(point - watcher->points);
    bool elsewhere = at >= watcher->elsewhere_first && at < watcher->elsewhere_first + watcher->elsewhere.count;
    *index = (int)(at - (elsewhere ? watcher->elsewhere_first : watcher->stack_first));
    return elsewhere ? &watcher->elsewhere : &watcher->stack;
}

void watch_disarm(struct watcher *watcher, struct watchpoint *point)
{
    int index;
    point->armed = false;
    if (point->fd < 0)
        return;
    watch_pause(point);
    if (point == watcher->guard)
        return;
    if (watcher->guard && watcher->guard->armed && point->frame) {
        watcher->guard->armed = false;
        watch_pause(watcher->guard);
    }
    struct reservoir *reservoir = watch_reservoir(watcher, point, &index);
    reservoir_release(reservoir, index);
}

/*
 * Places on the stack and others have separate registers, so that the probability of each sample is known: one for the
 * stack, with its guard, and the rest for others; two or one serve both.
 */
static void assign(struct watcher *watcher, enum reservoir_policy policy)
{
    size_t count = watcher->count;
    bool guarded = count > 1;
    size_t free = guarded ? count - 1 : count;
    watcher->guard = guarded ? &watcher->points[count - 1] : NULL;
    watcher->stack_first = 0;
    watcher->elsewhere_first = free > 1 ? 1 : 0;
    reservoir_init(&watcher->stack, 1, policy);
    reservoir_init(&watcher->elsewhere, free > 1 ? free - 1 : 1, policy);
}

/* ------------------------------------------------------------------------------------------ life -- */

static struct watcher *memory_of(struct watcher **out)
{
    if (!*out) {
        void *memory = mmap(NULL, sizeof **out, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        *out = memory == MAP_FAILED ? NULL : memory;
    }
    return *out;
}

int watch_open(const struct watch_config *config, pid_t tid, uint64_t seed, uint64_t order, struct watcher **out)
{
    struct watcher *watcher = memory_of(out);
    int error = watcher ? 0 : ENOMEM;
    if (error)
        return error;
    watcher->tid = tid;
    watcher->count = 0;
    watcher->stepping = false;
    watcher->stream = NULL;
    while (watcher->count < config->registers && !(error = open_point(&watcher->points[watcher->count], tid)))
        watcher->count++;
    if (watcher->count == 0)
        return error;
    draw_init(&watcher->draw, seed ^ UINT64_C(0x7761746368), order);
    assign(watcher, config->policy);
    watcher->io = (struct kept){.fd = -1};
    if (config->waste == WASTE_DEAD_STORE && !watcher->points[0].kernel)
        watcher->io = system_open_io(tid);
    watcher->epoch = atomic_load(&epoch);
    return 0;
}

void watch_attach(struct watcher *watcher, struct trace_stream *stream)
{
    watcher->stream = stream;
}

static void close_points(struct watcher *watcher)
{
    for (size_t i = 0; i < watcher->count; i++) {
        close(watcher->points[i].fd);
        kept_forget();
    }
    kept_close(&watcher->io);
    watcher->count = 0;
}

void watch_close(struct watcher *watcher)
{
    if (!watcher || watcher->count == 0)
        return;
    for (size_t i = 0; i < watcher->count; i++)
        if (watcher->points[i].armed && &watcher->points[i] != watcher->guard)
            watch_count(watcher, OUTCOME_PENDING);
    watcher->stream = NULL;
    close_points(watcher);
}

void watch_forget(struct watcher *watcher)
{
    own = NULL;
    if (watcher)
        close_points(watcher);
}

/* Some virtual machines allow setting debug registers, but never trap: 0 if one counts a store and a load, else EIO. */
static int try_point(void)
{
    static volatile uint64_t place;
    const struct watchpoint point = {.low = (uint64_t)(uintptr_t)&place, .window = sizeof place};
    struct perf_event_attr attr = attributes(&point, false);
    attr.sigtrap = false; /* it only counts */
    attr.sample_period = attr.wakeup_events = 0;
    int fd = perf_keep(&attr, 0);
    if (fd < 0)
        return errno;
    place = 1;
    (void)place;
    bool trapped = perf_count(fd) == 2;
    close(fd);
    kept_forget();
    return trapped ? 0 : EIO;
}

int watch_probe(const struct watch_config *config)
{
    struct watchpoint point;
    if (!config->wanted)
        return 0;
    int error = open_point(&point, 0);
    if (!error) {
        close(point.fd);
        kept_forget();
        error = try_point();
    }
    return error;
}

enum watch_kernel watch_kernel(void)
{
    struct watchpoint point;
    enum watch_kernel kernel = WATCH_KERNEL_UNSEEN;
    if (open_point(&point, 0) == 0) {
        if (point.kernel)
            kernel = WATCH_KERNEL_SEEN;
        close(point.fd);
        kept_forget();
    }
    if (kernel == WATCH_KERNEL_UNSEEN && watch_host.config->waste == WASTE_DEAD_STORE) {
        struct kept io = system_open_io(gettid());
        if (kept_valid(&io))
            kernel = WATCH_KERNEL_LEFT_OUT;
        kept_close(&io);
    }
    return kernel;
}

const char *watch_kernel_name(enum watch_kernel kernel)
{
    static const char *const names[] = {
        [WATCH_KERNEL_SEEN] = "seen", [WATCH_KERNEL_LEFT_OUT] = "left-out", [WATCH_KERNEL_UNSEEN] = "unseen"};
    return names[kernel];
}

void watch_new_epoch(void)
{
    atomic_fetch_add(&epoch, 1);
}

void watch_count(struct watcher *watcher, enum trace_outcome outcome)
{
    uint64_t values[] = {[WATCH_TIME] = clock_ns(CLOCK_MONOTONIC), [WATCH_OUTCOME] = outcome, [WATCH_COUNT] = 1};
    trace_append(watcher->stream, TRACE_WATCH, values, sizeof values / sizeof *values);
}

/* ------------------------------------------------------------------------------------------ a sample -- */

/* [address, address + bytes) and its surroundings within the same pages, up to WATCH_VALUE bytes. */
bool watch_read(uint64_t address, unsigned bytes, struct memory *memory)
{
    enum { BEFORE = 16 };
    if (bytes == 0 || bytes > WATCH_VALUE)
        return false;
    uint64_t floor = address / PAGE * PAGE, ceiling = (address + bytes - 1) / PAGE * PAGE + PAGE;
    uint64_t room = (WATCH_VALUE - bytes) < BEFORE ? WATCH_VALUE - bytes : BEFORE;
    memory->low = address - floor < room ? floor : address - room;
    uint64_t rest = ceiling - memory->low;
    memory->bytes = rest < WATCH_VALUE ? (unsigned)rest : WATCH_VALUE;
    memcpy(memory->value, (const void *)memory->low, memory->bytes); /* NOLINT: the program's memory */
    return true;
}

/* A byte of the access, and the largest aligned part of the access around it that a register can watch. */
static void choose_window(struct watcher *watcher, struct watchpoint *point)
{
    const struct touch *first = &point->first;
    uint64_t end = first->address + first->bytes;
    point->chosen = first->address + draw_below(&watcher->draw, first->bytes);
    for (point->window = WATCH_WINDOW; point->window > 1; point->window /= 2) {
        point->low = point->chosen / point->window * point->window;
        if (point->low >= first->address && point->low + point->window <= end)
            return;
    }
    point->low = point->chosen;
}

void watch_fill(struct watcher *watcher, struct watchpoint *point)
{
    bool store = watch_host.config->waste != WASTE_SILENT_LOAD;
    point->first = watcher->sampled;
    choose_window(watcher, point);
    point->loaded = point->ignored = 0;
    if (store)
        watch_read(point->first.address, point->first.bytes, &point->kept);
    else
        point->kept = watcher->before;
    memcpy(point->now, (const void *)point->low, point->window); /* NOLINT: the program's memory */
    point->stack.depth = watcher->pending.depth;
    memcpy(point->stack.frames, watcher->pending.frames, watcher->pending.depth * sizeof *watcher->pending.frames);
    point->fd = -1;
    point->writes = system_writes(&watcher->io);
    point->frame = watcher->frame;
    point->armed = true;
    point->writes_only = watch_host.config->waste == WASTE_SILENT_STORE;
}

static struct watchpoint *take_register(struct watcher *watcher, int index)
{
    struct watchpoint *point = &watcher->points[index];
    int fd = point->fd;
    bool kernel = point->kernel;
    size_t bytes = offsetof(struct watchpoint, stack.frames) +
                   watcher->candidate.stack.depth * sizeof *watcher->candidate.stack.frames;
    memcpy(point, &watcher->candidate, bytes);
    point->fd = fd;
    point->kernel = kernel;
    return point;
}

/* A store over its return address shows that the frame is gone. */
static bool arm_guard(struct watcher *watcher, const struct watchpoint *point)
{
    struct watchpoint *guard = watcher->guard;
    if (!guard || point->frame <= WATCH_NO_FRAME)
        return true;
    guard->low = point->frame - sizeof(uint64_t);
    guard->window = sizeof(uint64_t);
    return watch_arm(guard, true);
}

void watch_offer(struct watcher *watcher)
{
    bool replaced, shared = watcher->elsewhere_first == watcher->stack_first;
    bool stack = watcher->candidate.frame && !shared;
    int index = reservoir_offer(stack ? &watcher->stack : &watcher->elsewhere, &watcher->draw, &replaced);
    if (index == RESERVOIR_NONE) {
        watch_count(watcher, OUTCOME_DECLINED);
        return;
    }
    if (replaced)
        watch_count(watcher, OUTCOME_REPLACED);
    if (replaced && watcher->guard && (stack || shared))
        watch_disarm(watcher, watcher->guard);
    struct watchpoint *point =
        take_register(watcher, index + (int)(stack ? watcher->stack_first : watcher->elsewhere_first));
    if (watch_arm(point, point->writes_only) && arm_guard(watcher, point))
        return;
    watch_disarm(watcher, point);
    watch_count(watcher, OUTCOME_BLOCKED);
}

static void give_up(struct watcher *watcher, struct watchpoint *point, enum trace_outcome outcome)
{
    watch_disarm(watcher, point);
    watch_count(watcher, outcome);
}

void watch_sweep(struct watcher *watcher, uint64_t stack_pointer)
{
    enum { RED_ZONE = 128 };
    for (size_t i = 0; i < watcher->count; i++)
        if (watcher->points[i].armed && watcher->points[i].frame &&
            watcher->points[i].chosen < stack_pointer - RED_ZONE)
            give_up(watcher, &watcher->points[i], OUTCOME_FRESH);
}

bool watch_may_hold(uint64_t address)
{
    enum { NEAR = 1 << 30 };
    const struct watcher *watcher = own;
    for (size_t i = 0; watcher && i < watcher->count; i++) {
        const struct watchpoint *point = &watcher->points[i];
        if (point->armed && !point->frame && point->chosen >= address && point->chosen - address < NEAR)
            return true;
    }
    return false;
}

void watch_freed(uint64_t address, uint64_t bytes)
{
    struct watcher *watcher = own;
    for (size_t i = 0; watcher && i < watcher->count; i++) {
        struct watchpoint *point = &watcher->points[i];
        if (!point->armed || point->chosen < address || point->chosen - address >= bytes)
            continue;
        if (atomic_exchange(&watcher->inside, true))
            return;
        if (point->armed)
            give_up(watcher, point, OUTCOME_FRESH);
        atomic_store(&watcher->inside, false);
    }
}

/* ------------------------------------------------------------------------------------------ signals -- */

static void begin_epoch(struct watcher *watcher)
{
    uint64_t now = atomic_load(&epoch);
    if (watcher->epoch == now)
        return;
    watcher->epoch = now;
    for (size_t i = 0; i < watcher->count; i++)
        if (watcher->points[i].armed && &watcher->points[i] != watcher->guard) {
            watch_disarm(watcher, &watcher->points[i]);
            watch_count(watcher, OUTCOME_COLLECTED);
        }
}

static uint64_t stack_pointer(const void *ucontext)
{
    return (uint64_t)((const ucontext_t *)ucontext)->uc_mcontext.gregs[REG_RSP];
}

void watch_tick(struct watcher *watcher, void *ucontext)
{
    own = watcher;
    if (watcher->count == 0 || atomic_exchange(&watcher->inside, true))
        return;
    begin_epoch(watcher);
    watch_sweep(watcher, stack_pointer(ucontext));
    if (!watcher->stepping)
        step_begin(watcher, ucontext);
    atomic_store(&watcher->inside, false);
}

/* A perf event's data: its user word, and whether the signal was delayed. */
static struct watchpoint *point_of(struct watcher *watcher, const siginfo_t *info, bool *late)
{
    struct {
        uint64_t data;
        uint32_t type, flags;
    } perf;
    memcpy(&perf, (const char *)&info->si_addr + sizeof info->si_addr, sizeof perf);
    *late = perf.flags & FLAG_ASYNC;
    for (size_t i = 0; i < watcher->count; i++)
        if (perf.data == (uint64_t)(uintptr_t)&watcher->points[i])
            return &watcher->points[i];
    return NULL;
}

static void on_guard(struct watcher *watcher)
{
    struct watchpoint *guarded = &watcher->points[watcher->stack_first];
    watch_disarm(watcher, watcher->guard);
    if (guarded->armed && guarded->frame)
        give_up(watcher, guarded, OUTCOME_FRESH);
}

static void on_point(struct watcher *watcher, struct watchpoint *point, void *ucontext)
{
    begin_epoch(watcher);
    watch_sweep(watcher, stack_pointer(ucontext));
    if (point->armed && point == watcher->guard)
        on_guard(watcher);
    else if (point->armed)
        hit_take(watcher, point, ucontext);
}

/*
 * It happened while the signal was blocked: one of our handlers has used the place. If it does so every time (below the
 * stack pointer, where handlers run, or errno), this never ends.
 */
static void on_late(struct watcher *watcher, struct watchpoint *point, const void *ucontext)
{
    uint64_t pc = (uint64_t)((const ucontext_t *)ucontext)->uc_mcontext.gregs[REG_RIP];
    watch_sweep(watcher, stack_pointer(ucontext));
    if (point->armed && watcher->late_at == pc && point != watcher->guard)
        give_up(watcher, point, OUTCOME_UNKNOWN);
    else if (point->armed && watcher->late_at == pc)
        on_guard(watcher);
    watcher->late_at = pc;
}

/* A step that was taken when stepping ended. */
static bool is_leftover(const siginfo_t *info, const struct watcher *watcher)
{
    return info->si_code == TRAP_TRACE && watcher && !watcher->stepping && !watch_host.handles(SIGTRAP);
}

bool watch_trap(const siginfo_t *info, void *ucontext)
{
    struct watcher *watcher = own;
    bool late = false;
    if (is_leftover(info, watcher))
        return true;
    if (info->si_code != CODE_PERF && !(info->si_code == TRAP_TRACE && watcher && watcher->stepping))
        return false;
    if (!watcher)
        return true;
    if (!watch_host.running() || !watcher->stream) {
        step_end(watcher, ucontext);
        return true;
    }
    struct watchpoint *point = info->si_code == CODE_PERF ? point_of(watcher, info, &late) : NULL;
    if (atomic_exchange(&watcher->inside, true))
        return true;
    if (late && point)
        on_late(watcher, point, ucontext);
    else if (watcher->stepping) /* steps check the watchpoints themselves */
        step_on(watcher, ucontext);
    else if (point)
        on_point(watcher, point, ucontext);
    atomic_store(&watcher->inside, false);
    return true;
}

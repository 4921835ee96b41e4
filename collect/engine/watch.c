#include "collect/engine/watch.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collect/engine/kept.h"
#include "collect/engine/state.h"
#include "collect/engine/task.h"

/* Of a SIGTRAP that a perf event sent, beyond what older headers know; include/uapi/asm-generic/siginfo.h. */
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
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .remove_on_exec = 1,
        .sigtrap = 1,
        .sig_data = (uint64_t)(uintptr_t)point,
    };
}

/* A register for this thread, which watches nothing. */
static int open_point(struct watchpoint *point, pid_t tid)
{
    *point = (struct watchpoint){.fd = -1, .low = (uint64_t)(uintptr_t)&epoch & ~UINT64_C(7), .window = WATCH_WINDOW};
    struct perf_event_attr attr = attributes(point, true);
    attr.disabled = 1;
    int fd = (int)syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0 || (fd = kept_move(fd)) < 0)
        return errno;
    point->fd = fd;
    return 0;
}

bool watch_arm(struct watchpoint *point, bool writes_only)
{
    struct perf_event_attr attr = attributes(point, writes_only);
    point->writes_only = writes_only;
    if (point->fd < 0) /* the candidate: what it waits for is seen by stepping */
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

void watch_disarm(struct watcher *watcher, struct watchpoint *point)
{
    point->armed = false;
    if (point->fd < 0)
        return;
    watch_pause(point);
    reservoir_release(&watcher->reservoir, (int)(point - watcher->points));
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
    reservoir_init(&watcher->reservoir, watcher->count, config->policy);
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
    watcher->count = 0;
}

void watch_close(struct watcher *watcher)
{
    if (!watcher || watcher->count == 0)
        return;
    for (size_t i = 0; i < watcher->count; i++)
        if (watcher->points[i].armed)
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

int watch_probe(const struct watch_config *config)
{
    struct watchpoint point;
    if (!config->wanted)
        return 0;
    int error = open_point(&point, 0);
    if (!error) {
        close(point.fd);
        kept_forget();
    }
    return error;
}

void watch_new_epoch(void)
{
    atomic_fetch_add(&epoch, 1);
}

void watch_count(struct watcher *watcher, enum trace_outcome outcome)
{
    uint64_t values[] = {[WATCH_TIME] = task_now_ns(), [WATCH_OUTCOME] = outcome, [WATCH_COUNT] = 1};
    trace_append(watcher->stream, TRACE_WATCH, values, sizeof values / sizeof *values);
}

/* ------------------------------------------------------------------------------------------ a sample -- */

/* As much of [address, address + bytes) and around it as lies in the same pages, up to WATCH_VALUE bytes. */
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
    bool store = sampler.config.watch.waste != WASTE_SILENT_LOAD;
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
    point->armed = true;
    point->writes_only = sampler.config.watch.waste == WASTE_SILENT_STORE;
}

static struct watchpoint *take_register(struct watcher *watcher, int index)
{
    struct watchpoint *point = &watcher->points[index];
    int fd = point->fd;
    size_t bytes = offsetof(struct watchpoint, stack.frames) +
                   watcher->candidate.stack.depth * sizeof *watcher->candidate.stack.frames;
    memcpy(point, &watcher->candidate, bytes);
    point->fd = fd;
    return point;
}

void watch_offer(struct watcher *watcher)
{
    bool replaced;
    int index = reservoir_offer(&watcher->reservoir, &watcher->draw, &replaced);
    if (index == RESERVOIR_NONE) {
        watch_count(watcher, OUTCOME_DECLINED);
        return;
    }
    if (replaced)
        watch_count(watcher, OUTCOME_REPLACED);
    struct watchpoint *point = take_register(watcher, index);
    if (watch_arm(point, point->writes_only))
        return;
    watch_disarm(watcher, point);
    watch_count(watcher, OUTCOME_BLOCKED);
}

/* ------------------------------------------------------------------------------------------ signals -- */

static void begin_epoch(struct watcher *watcher)
{
    uint64_t now = atomic_load(&epoch);
    if (watcher->epoch == now)
        return;
    watcher->epoch = now;
    for (size_t i = 0; i < watcher->count; i++)
        if (watcher->points[i].armed) {
            watch_disarm(watcher, &watcher->points[i]);
            watch_count(watcher, OUTCOME_COLLECTED);
        }
}

void watch_tick(struct watcher *watcher, void *ucontext)
{
    own = watcher;
    if (watcher->count == 0 || atomic_exchange(&watcher->inside, true))
        return;
    begin_epoch(watcher);
    if (!watcher->stepping)
        step_begin(watcher, ucontext);
    atomic_store(&watcher->inside, false);
}

/* What a perf event says of itself: the word that it was given, and whether the signal was delayed. */
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

static void on_point(struct watcher *watcher, struct watchpoint *point, void *ucontext)
{
    begin_epoch(watcher);
    if (point->armed)
        hit_take(watcher, point, ucontext);
}

/* A step that had been taken when stepping ended. */
static bool is_leftover(const siginfo_t *info, const struct watcher *watcher)
{
    return info->si_code == TRAP_TRACE && watcher && !watcher->stepping && !sampler_has_handler(SIGTRAP);
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
    if (atomic_load(&sampler.state) != SAMPLER_RUNNING || !watcher->stream) {
        step_end(watcher, ucontext);
        return true;
    }
    struct watchpoint *point = info->si_code == CODE_PERF ? point_of(watcher, info, &late) : NULL;
    /* What comes late has happened while the signal was blocked: our own handlers have looked at the place. */
    if (late || atomic_exchange(&watcher->inside, true))
        return true;
    if (watcher->stepping) /* steps look at the watchpoints themselves */
        step_on(watcher, ucontext);
    else if (point)
        on_point(watcher, point, ucontext);
    atomic_store(&watcher->inside, false);
    return true;
}

#include "trace/import/v8/durations.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/grow.h"

struct open_event {
    uint32_t frame;
    double end_us;  /* of X; INFINITY of B */
    double last_us; /* its own time is attributed up to here */
};
struct duration_thread {
    struct open_event *open;
    size_t capacity, depth;
    double last_us;
    uint32_t sink_thread;
    /* while events are taken */
    bool begun;
    bool x_at_last, b_at_last; /* an X or a B is at last_us */
    double x_ts_us, x_end_us;
    bool inner_first;      /* an X was written before one around it */
    double call_ts_us;     /* of the last B or E */
    uint32_t ended;        /* the frame of the last E at last_us, or 0 */
    uint64_t rises, falls; /* steps of time between these */
};

bool durations_add_thread(struct durations *durations, const char *pid, const char *tid, uint32_t *thread)
{
    *thread = text_set_add_tuple(&durations->keys, (const char *const[]){pid, tid}, 2);
    if (*thread == TEXT_SET_FULL)
        return false;
    struct duration_thread *threads = grow(durations->threads, &durations->thread_capacity, *thread, sizeof *threads);
    if (!threads)
        return false;
    durations->threads = threads;
    if (!threads[*thread].sink_thread)
        threads[*thread].sink_thread = sink_add_thread(durations->reading->sink, strtoull(tid, NULL, 10), "");
    return true;
}

static unsigned durations_open_profile(struct durations *durations)
{
    return sink_open_profile(durations->reading->sink, &(struct sink_profile){.name = "events",
                                                                              .unit = "ns",
                                                                              .unknown = UNKNOWN_PERIOD,
                                                                              .weight = "duration",
                                                                              .more = {{"calls", "calls"}}});
}

void durations_add_lost(struct durations *durations, uint32_t thread, uint64_t count)
{
    if (count > 0)
        sink_add_lost(durations->reading->sink, durations_open_profile(durations),
                      durations->threads[thread].sink_thread, count);
}

/* ------------------------------------------------------------------------------------------ taking -- */

/* Whether an event follows those of its thread in an order in which they can be opened and closed one by one. Where
 * several begin at once, an X comes before those within it, and after those that end; whether it is around a B only its
 * E shows. Whether an E and then a B of one name at one time are two events or an empty one shows later, too. */
static bool durations_is_next(const struct duration_thread *thread, const struct duration *event)
{
    if (!thread->begun || event->ts_us > thread->last_us)
        return true;
    if (event->ts_us < thread->last_us || event->phase != 'X')
        return event->ts_us == thread->last_us && !thread->x_at_last &&
               !(event->phase == 'B' && thread->ended == event->frame);
    return !thread->b_at_last && (!thread->x_at_last || event->end_us <= thread->x_end_us);
}

bool durations_add(struct durations *durations, const struct duration *event)
{
    struct duration_thread *thread = &durations->threads[event->thread];
    struct duration kept = *event;
    durations->unordered |= !durations_is_next(thread, event);
    const bool x = event->phase == 'X';
    thread->inner_first |= x && event->ts_us < thread->x_ts_us && event->end_us >= thread->x_end_us;
    thread->x_at_last = x || (thread->x_at_last && event->ts_us == thread->last_us);
    thread->b_at_last = event->phase == 'B' || (thread->b_at_last && event->ts_us == thread->last_us);
    if (event->phase == 'E' || event->ts_us != thread->last_us)
        thread->ended = event->phase == 'E' ? event->frame : 0;
    if (x) {
        thread->x_ts_us = event->ts_us;
        thread->x_end_us = event->end_us;
    } else {
        thread->rises += event->ts_us > thread->call_ts_us;
        thread->falls += event->ts_us < thread->call_ts_us;
        thread->call_ts_us = event->ts_us;
    }
    thread->last_us = event->ts_us;
    thread->begun = true;
    kept.number = durations->count++;
    if (!durations->waiting)
        durations->waiting = tmpfile();
    return durations->waiting && fwrite(&kept, sizeof kept, 1, durations->waiting) == 1;
}

/* ------------------------------------------------------------------------------------------ sorting -- */

static int durations_compare_times(double a, double b)
{
    return (a > b) - (a < b);
}

static int durations_by_time(const void *left, const void *right)
{
    const struct duration *a = left, *b = right;
    int order = (a->thread > b->thread) - (a->thread < b->thread);
    if (order == 0)
        order = durations_compare_times(a->ts_us, b->ts_us);
    return order ? order : (a->number > b->number) - (a->number < b->number);
}

/* What encloses others comes before them; an E that has done its work comes after all. */
static int durations_by_extent(const void *left, const void *right)
{
    const struct duration *a = left, *b = right;
    int order = !a->phase - !b->phase;
    if (order == 0)
        order = (a->thread > b->thread) - (a->thread < b->thread);
    if (order == 0)
        order = durations_compare_times(a->ts_us, b->ts_us);
    if (order == 0)
        order = durations_compare_times(b->end_us, a->end_us);
    return order ? order : (a->number > b->number) - (a->number < b->number);
}

/* Whether an E of the name of this B, left without a B, is at its time and before it; it is then taken. */
static bool durations_use_earlier_exit(struct duration *events, size_t at)
{
    enum { FARTHEST = 64 };
    for (size_t i = at; i-- > 0 && at - i <= FARTHEST && events[i].ts_us == events[at].ts_us;)
        if (events[i].phase == 'E' && events[i].frame == events[at].frame) {
            events[i].phase = '\0';
            return true;
        }
    return false;
}

/* Ends a B by an E of another name, or by none. One that an E of its name and time comes before is empty. */
static void durations_end_without_exit(struct durations *durations, struct duration *event, double at_us,
                                       uint64_t *count)
{
    event->end_us = event->empty ? event->ts_us : at_us;
    durations->no_entry -= event->empty;
    *count += !event->empty;
}

/* Gives each B of one thread the time of its E. An E ends the innermost B of its name, or the innermost if it has none,
 * and those above it end there too. */
static bool durations_pair_thread(struct durations *durations, struct duration *events, size_t count)
{
    struct stack open = {0};
    bool good = true;
    for (size_t i = 0; good && i < count; i++) {
        struct duration *event = &events[i];
        size_t at = open.depth;
        if (event->phase == 'B') {
            event->empty = durations_use_earlier_exit(events, i);
            good = stack_push(&open, (uint32_t)i);
        }
        if (event->phase != 'E')
            continue;
        while (at > 0 && event->frame && events[open.frames[at - 1]].frame != event->frame)
            at--;
        if (at == 0) {
            durations->no_entry++;
            continue;
        }
        for (; open.depth > at; open.depth--)
            durations_end_without_exit(durations, &events[open.frames[open.depth - 1]], event->ts_us,
                                       &durations->no_exit);
        events[open.frames[--open.depth]].end_us = event->ts_us;
        event->phase = '\0';
    }
    for (; open.depth > 0; open.depth--)
        durations_end_without_exit(durations, &events[open.frames[open.depth - 1]], events[count - 1].ts_us,
                                   &durations->never_ended);
    stack_free(&open);
    return good;
}

/* Makes an X of each B, and sorts. */
static bool durations_sort_file(struct durations *durations)
{
    const size_t count = (size_t)durations->count, size = count * sizeof(struct duration);
    if (durations->count > UINT32_MAX || fflush(durations->waiting) != 0)
        return false;
    struct duration *events = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(durations->waiting), 0);
    if (events == MAP_FAILED)
        return false;

    /* Events at one time remain in the order of the file, or in the opposite one if the file is in the opposite order:
     * from the last to the first, or, of X, the inner ones first. */
    for (int64_t i = 0; i < durations->count; i++) {
        const struct duration_thread *thread = &durations->threads[events[i].thread];
        if (events[i].phase == 'X' ? thread->inner_first : thread->falls > thread->rises)
            events[i].number = -events[i].number;
    }
    qsort(events, count, sizeof *events, durations_by_time);
    bool good = true;
    for (size_t i = 0, end; good && i < count; i = end) {
        for (end = i + 1; end < count && events[end].thread == events[i].thread;)
            end++;
        good = durations_pair_thread(durations, events + i, end - i);
    }
    for (size_t i = 0; good && i < count; i++)
        events[i].phase = events[i].phase == 'B' ? 'X' : events[i].phase == 'E' ? '\0' : events[i].phase;
    if (good)
        qsort(events, count, sizeof *events, durations_by_extent);
    munmap(events, size);
    return good;
}

/* ------------------------------------------------------------------------------------------ own times -- */

/* The innermost open event gets the time up to `until`, and counts as a call if it ends there. */
static void durations_pass_time(struct durations *durations, struct duration_thread *thread, double until_us, bool ends)
{
    struct open_event *top = &thread->open[thread->depth - 1];
    const double ns = (until_us - top->last_us) * 1e3;
    const bool lasts = ns >= 0.5 && ns < 9e18;
    if (lasts || ends) {
        struct stack *stack = &durations->stack;
        stack->depth = 0;
        for (size_t i = thread->depth; i-- > 0;)
            durations->full |= !stack_push(stack, thread->open[i].frame);
        const bool timed = top->last_us > 0 && top->last_us < 9e15;
        sink_add_sample(durations->reading->sink,
                        &(struct sink_sample){.profile = durations_open_profile(durations),
                                              .thread = thread->sink_thread,
                                              .time_ns = timed ? (uint64_t)(top->last_us * 1e3) : 0,
                                              .weight = lasts ? (uint64_t)llround(ns) : 0,
                                              .more = {ends},
                                              .frames = stack->frames,
                                              .depth = stack->depth});
    }
    top->last_us = until_us;
}

/* An X that ends with another one, though its own end is later by more than rounding, overlaps it. */
static void durations_close_top(struct durations *durations, struct duration_thread *thread, double at_us)
{
    assert(thread->depth > 0);
    durations_pass_time(durations, thread, at_us, true);
    const double end_us = thread->open[thread->depth - 1].end_us;
    durations->overlapping += !isinf(end_us) && end_us > at_us + 1;
    if (--thread->depth > 0)
        thread->open[thread->depth - 1].last_us = at_us;
}

static void durations_open_event(struct durations *durations, struct duration_thread *thread,
                                 const struct duration *event)
{
    double end_us = event->phase == 'B' ? INFINITY : event->end_us;
    if (thread->depth > 0) {
        struct open_event *around = &thread->open[thread->depth - 1];
        durations_pass_time(durations, thread, event->ts_us, false);
        durations->overlapping += !isinf(end_us) && end_us > around->end_us + 1;
        if (end_us > around->end_us)
            end_us = around->end_us; /* rounding of times */
    }
    struct open_event *open = grow(thread->open, &thread->capacity, thread->depth, sizeof *open);
    if (!open) {
        durations->full = true;
        return;
    }
    thread->open = open;
    open[thread->depth++] = (struct open_event){event->frame, end_us, event->ts_us};
}

bool durations_finish(struct durations *durations)
{
    struct duration event;
    if (!durations->waiting)
        return true;
    if ((durations->unordered && !durations_sort_file(durations)) || fseek(durations->waiting, 0, SEEK_SET) != 0)
        return false;
    while (!durations->full && !sink_has_failed(durations->reading->sink) &&
           fread(&event, sizeof event, 1, durations->waiting) == 1 && event.phase) {
        struct duration_thread *thread = &durations->threads[event.thread];
        thread->last_us = event.ts_us;
        while (thread->depth > 0 && thread->open[thread->depth - 1].end_us <= event.ts_us) /* an X that has ended */
            durations_close_top(durations, thread, thread->open[thread->depth - 1].end_us);
        if (event.phase == 'E') {
            /* An exit: of the innermost event of its name, or if it has none, of the innermost without a length of its
             * own. */
            size_t at = thread->depth;
            while (at > 0 &&
                   (!isinf(thread->open[at - 1].end_us) || (event.frame && thread->open[at - 1].frame != event.frame)))
                at--;
            if (at == 0) {
                durations->no_entry++;
            } else {
                while (thread->depth >= at) {
                    durations->no_exit += thread->depth > at && isinf(thread->open[thread->depth - 1].end_us);
                    durations_close_top(durations, thread, event.ts_us);
                }
            }
        } else
            durations_open_event(durations, thread, &event);
    }
    /* Events that are still open: X ends at its own time; B was never ended. */
    for (uint32_t i = 0; i < durations->keys.count && i < durations->thread_capacity; i++) {
        struct duration_thread *thread = &durations->threads[i];
        while (thread->depth > 0) {
            double end = thread->open[thread->depth - 1].end_us;
            durations->never_ended += isinf(end) != 0;
            durations_close_top(durations, thread, isinf(end) ? thread->last_us : end);
        }
    }
    return !durations->full && !ferror(durations->waiting);
}

void durations_free(struct durations *durations)
{
    for (size_t i = 0; durations->threads && i < durations->keys.count && i < durations->thread_capacity; i++)
        free(durations->threads[i].open);
    text_set_free(&durations->keys);
    free(durations->threads);
    stack_free(&durations->stack);
    if (durations->waiting)
        fclose(durations->waiting);
}

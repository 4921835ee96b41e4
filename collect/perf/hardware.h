/*
 * hardware.h - hardware events of a thread, read at each event of its methods.
 *
 * The recorder has encoded the events and checked that reading them is cheap; a thread opens its own when it first
 * enters a method. They count only the thread's user code, and are pinned: if others take a counter away, it stops
 * instead of being shared. Impossible readings are corrected here: a counter never runs backwards, and never faster
 * than a processor can.
 */
#ifndef ASSAY_PERF_HARDWARE_H
#define ASSAY_PERF_HARDWARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <jansson.h>
#include <linux/perf_event.h>

enum { HARDWARE_MAX = 4 };

/* The counters of a thread. All zero: none are open. */
struct hardware {
    bool open;
    int fds[HARDWARE_MAX];
    uint64_t ids[HARDWARE_MAX];                       /* the kernel's, to check that a descriptor is still ours */
    struct perf_event_mmap_page *pages[HARDWARE_MAX]; /* for rdpmc; NULL: read by system calls */
};

/* The last reading of a counter; readings come in order of time. */
struct hardware_history {
    uint64_t raw, value;
    uint64_t ns; /* when */
};

/* Adds an event for every thread: {name, type, config, config1, config2, rdpmc}. False: it is not such an object. */
bool hardware_add(const json_t *event);
size_t hardware_count(void);
void hardware_forget(void); /* removes all events; only while no thread has any open */

/* More than any processor counts in a nanosecond: eight instructions per cycle at 6 GHz make 48. */
enum { HARDWARE_EVENTS_PER_NS = 50 };

/* Opens the events for the calling thread. False: one of them can't be opened, so none is open; errno says why. */
bool hardware_open(struct hardware *hardware);
void hardware_close(struct hardware *hardware);

/* Does the same for another thread of this process; its counters are read by system calls. */
bool hardware_open_thread(struct hardware *hardware, pid_t tid);

/* Reads what event `which` of the calling thread has counted; 0 if it can't be read any more. False: none is open. */
bool hardware_read(const struct hardware *hardware, size_t which, uint64_t *value);

/* Does the same with rdpmc and the page that the kernel keeps for an event; `counter` is the instruction. False: the
 * event is not on a counter now. */
bool hardware_from_page(const volatile struct perf_event_mmap_page *page, uint64_t (*counter)(uint32_t index),
                        uint64_t *value);

/* Takes a reading at `ns`: history->value rises by what is possible. False: the reading was impossible. */
bool hardware_take(struct hardware_history *history, uint64_t raw, uint64_t ns);

#endif

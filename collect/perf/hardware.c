#include "collect/perf/hardware.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collect/perf/event.h"
#include "collect/perf/reserved_fd.h"

enum { PAGE = 4096 };

static struct {
    struct perf_event_attr attr;
    bool rdpmc;
} events[HARDWARE_MAX];
static size_t count;

static uint64_t hardware_json_number(const json_t *object, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(object, key));
}

bool hardware_add(const json_t *event)
{
    if (!json_is_object(event) || count == HARDWARE_MAX)
        return false;
    events[count].rdpmc = json_is_true(json_object_get(event, "rdpmc"));
    events[count++].attr = (struct perf_event_attr){.size = sizeof(struct perf_event_attr),
                                                    .type = (uint32_t)hardware_json_number(event, "type"),
                                                    .config = hardware_json_number(event, "config"),
                                                    .config1 = hardware_json_number(event, "config1"),
                                                    .config2 = hardware_json_number(event, "config2"),
                                                    .pinned = 1,
                                                    .exclude_kernel = 1,
                                                    .exclude_hv = 1};
    return true;
}

size_t hardware_count(void)
{
    return count;
}

void hardware_forget(void)
{
    count = 0;
}

bool hardware_open(struct hardware *hardware)
{
    return hardware_open_thread(hardware, gettid());
}

bool hardware_open_thread(struct hardware *hardware, pid_t tid)
{
    bool own = tid == gettid();
    *hardware = (struct hardware){.fds = {-1, -1, -1, -1}};
    hardware->open = true;
    for (size_t i = 0; i < count && hardware->open; i++) {
        int fd = perf_keep(&events[i].attr, tid);
        hardware->open = fd >= 0;
        if (fd < 0)
            continue;
        void *page = events[i].rdpmc && own ? mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
        hardware->pages[i] = page == MAP_FAILED ? NULL : page;
        hardware->fds[i] = fd;
        ioctl(fd, PERF_EVENT_IOC_ID, &hardware->ids[i]);
    }
    int why = errno;
    if (!hardware->open)
        hardware_close(hardware);
    errno = why;
    return hardware->open;
}

void hardware_close(struct hardware *hardware)
{
    for (size_t i = 0; i < count && hardware->ids[i]; i++) {
        uint64_t id;
        if (hardware->pages[i])
            munmap(hardware->pages[i], PAGE);
        if (ioctl(hardware->fds[i], PERF_EVENT_IOC_ID, &id) == 0 && id == hardware->ids[i])
            close(hardware->fds[i]);
        reserved_fd_release();
    }
    *hardware = (struct hardware){0};
}

static uint64_t rdpmc(uint32_t index)
{
    uint32_t low, high;
    __asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
    return (uint64_t)high << 32 | low;
}

bool hardware_from_page(const volatile struct perf_event_mmap_page *page, uint64_t (*counter)(uint32_t index),
                        uint64_t *value)
{
    uint32_t sequence, index;
    do {
        sequence = page->lock;
        __asm__ volatile("" : : : "memory");
        index = page->cap_user_rdpmc ? page->index : 0;
        if (index == 0)
            return false;
        unsigned unused = 64u - page->pmc_width; /* the counter is signed, and narrower than a word */
        *value = (uint64_t)page->offset + (uint64_t)((int64_t)(counter(index - 1) << unused) >> unused);
        __asm__ volatile("" : : : "memory");
    } while (page->lock != sequence);
    return true;
}

bool hardware_read(const struct hardware *hardware, size_t which, uint64_t *value)
{
    if (!hardware->open)
        return false;
    if (hardware->pages[which] && hardware_from_page(hardware->pages[which], rdpmc, value))
        return true;
    *value = perf_count(hardware->fds[which]);
    return true;
}

bool hardware_take(struct hardware_history *history, uint64_t raw, uint64_t ns)
{
    static const uint64_t BETWEEN_NS = 4000; /* the reading itself and its time are apart */
    uint64_t most = (ns - history->ns + BETWEEN_NS) * HARDWARE_EVENTS_PER_NS;
    bool possible = raw >= history->raw && (history->ns == 0 || raw - history->raw <= most);
    if (possible)
        history->value += raw - history->raw;
    history->raw = raw;
    history->ns = ns;
    return possible;
}

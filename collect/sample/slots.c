#include "collect/sample/slots.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { BLOCK_SLOTS = 256, BLOCKS_MAX = 4096, BUCKETS = 1024, FD_PAGE = 1024, FD_PAGES = 4096, GUARD_BYTES = 4096 };

static struct slot *_Atomic blocks[BLOCKS_MAX];
static _Atomic size_t block_count;
static _Atomic size_t slot_count; /* the first so many slots of the blocks have been used */
static struct slot *free_slots;   /* of these */
static struct slot *buckets[BUCKETS];
static struct slot *_Atomic *_Atomic fd_pages[FD_PAGES];

/* Memory straight from the kernel: untouched parts cost nothing, and the program's malloc is not disturbed. */
static void *slots_map_pages(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static struct slot **slots_bucket(pid_t tid)
{
    return &buckets[(unsigned)tid % BUCKETS];
}

static bool slots_add_block(void)
{
    size_t count = atomic_load(&block_count);
    struct slot *block = count < BLOCKS_MAX ? slots_map_pages(BLOCK_SLOTS * sizeof *block) : NULL;
    if (!block)
        return false;
    atomic_store(&blocks[count], block);
    atomic_store(&block_count, count + 1);
    return true;
}

static struct slot *slots_at(size_t number)
{
    return &atomic_load(&blocks[number / BLOCK_SLOTS])[number % BLOCK_SLOTS];
}

/* A slot that no thread has; without memory NULL. Those that have never been used are not touched before: most programs
 * need only one, and each page of the others would cost a fault before the program begins. */
static struct slot *slots_find_free(void)
{
    size_t count = atomic_load(&slot_count);
    if (free_slots)
        return free_slots;
    return count < atomic_load(&block_count) * BLOCK_SLOTS || slots_add_block() ? slots_at(count) : NULL;
}

struct slot *slots_take(pid_t tid)
{
    struct slot *slot = slots_find_free();
    if (!slot)
        return NULL;
    struct trace_raw_frame *frames = slot->frames;
    char *stack = slot->stack;
    if (!frames) {
        size_t frames_bytes = TRACE_STACK_MAX * sizeof *frames;
        frames = slots_map_pages(frames_bytes + GUARD_BYTES + SLOT_STACK_BYTES);
        if (!frames)
            return NULL;
        stack = (char *)frames + frames_bytes + GUARD_BYTES;
        mprotect(stack - GUARD_BYTES, GUARD_BYTES, PROT_NONE);
        /* The first signals need no new pages then, whose faults the kernel would count as the program's. */
        enum { PAGE = 4096, TOUCHED = 4 * PAGE };
        for (size_t at = SLOT_STACK_BYTES - TOUCHED; at < SLOT_STACK_BYTES; at += PAGE)
            ((volatile char *)stack)[at] = 0;
    }
    bool is_new = slot != free_slots;
    if (!is_new)
        free_slots = slot->next;
    struct watcher *watcher = slot->watcher;
    struct calls *calls = slot->calls;
    memset(slot, 0, sizeof *slot);
    slot->frames = frames;
    slot->stack = stack;
    slot->watcher = watcher;
    slot->calls = calls;
    atomic_store(&slot->fd, -1);
    slot->stat.fd = -1;
    slot->ticks = &slot->own_ticks;
    slot->next = *slots_bucket(tid);
    *slots_bucket(tid) = slot;
    atomic_store(&slot->tid, tid);
    if (is_new)
        atomic_fetch_add(&slot_count, 1);
    return slot;
}

void slots_release(struct slot *slot)
{
    struct slot **link = slots_bucket(atomic_load(&slot->tid));
    while (*link != slot)
        link = &(*link)->next;
    *link = slot->next;
    atomic_store(&slot->stream, NULL);
    atomic_store(&slot->tid, 0);
    slot->next = free_slots;
    free_slots = slot;
}

struct slot *slots_of_tid(pid_t tid)
{
    struct slot *slot = *slots_bucket(tid);
    while (slot && atomic_load(&slot->tid) != tid)
        slot = slot->next;
    return slot;
}

void slots_each(void (*visit)(struct slot *slot, void *user), void *user)
{
    size_t count = atomic_load(&slot_count);
    for (size_t i = 0; i < count; i++) {
        struct slot *slot = slots_at(i);
        if (atomic_load(&slot->tid) != 0)
            visit(slot, user);
    }
}

bool slots_bind_fd(int fd, struct slot *slot)
{
    if (fd < 0 || fd >= FD_PAGE * FD_PAGES)
        return false;
    struct slot *_Atomic *page = atomic_load(&fd_pages[fd / FD_PAGE]);
    if (!page) {
        page = slots_map_pages(FD_PAGE * sizeof *page);
        if (!page)
            return false;
        atomic_store(&fd_pages[fd / FD_PAGE], page);
    }
    atomic_store(&page[fd % FD_PAGE], slot);
    return true;
}

struct slot *slots_of_fd(int fd)
{
    if (fd < 0 || fd >= FD_PAGE * FD_PAGES)
        return NULL;
    struct slot *_Atomic *page = atomic_load(&fd_pages[fd / FD_PAGE]);
    return page ? atomic_load(&page[fd % FD_PAGE]) : NULL;
}

bool slots_holds(const void *pointer)
{
    size_t count = atomic_load(&block_count);
    for (size_t b = 0; b < count; b++) {
        const struct slot *block = atomic_load(&blocks[b]);
        if ((const struct slot *)pointer >= block && (const struct slot *)pointer < block + BLOCK_SLOTS)
            return ((const char *)pointer - (const char *)block) % (ptrdiff_t)sizeof *block == 0;
    }
    return false;
}

bool slots_hold_stack(const void *address)
{
    size_t count = atomic_load(&slot_count);
    for (size_t i = 0; i < count; i++) {
        const char *stack = slots_at(i)->stack;
        if (stack && (const char *)address >= stack && (const char *)address < stack + SLOT_STACK_BYTES)
            return true;
    }
    return false;
}

static void slots_release_any(struct slot *slot, void *user)
{
    (void)user;
    int fd = atomic_load(&slot->fd);
    if (fd >= 0)
        slots_bind_fd(fd, NULL);
    slots_release(slot);
}

void slots_reset(void)
{
    slots_each(slots_release_any, NULL);
}

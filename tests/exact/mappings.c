/*
 * mappings SEED STEPS - maps, unmaps, moves, resizes and protects pages at random, loads from them, and prints what
 * mode spatial-load must find by a model of its own: for each place that maps, "NAME EVENTS WASTED", its pairs of
 * loads.
 *
 * Every page belongs to the object of the mmap(2) that made it, however it was moved, or to none. A load is of one
 * byte, 0 or 1, which was stored just before; it makes a pair if another load of the same object came before.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 4096, PAGES = 48, ROOM = PROT_READ | PROT_WRITE, PLACES = 4, OBJECTS_MAX = 1 << 16 };

enum place { NOWHERE, FIRST, SECOND, STACK };

static char *const arena = (char *)(UINT64_C(1) << 33);

struct page {
    int object;     /* 0: none */
    int number;     /* among the pages of its mmap(2) */
    int mapping;    /* of which mmap(2) it is; 0: not mapped */
    int protection; /* how often it was made executable */
};

struct object {
    enum place place;
    int previous; /* value; -1: none */
};

static struct page pages[PAGES];
static struct object objects[OBJECTS_MAX];
static int object_count, mapping_count;
static uint64_t events[PLACES], wasted[PLACES], state;

static int below(int limit)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((state >> 33) % (uint64_t)limit);
}

static void must(int right, const char *what)
{
    if (!right) {
        perror(what);
        exit(1);
    }
}

static char *at(int page)
{
    return arena + (size_t)page * PAGE;
}

/* ---------------------------------------------------------------------------- what maps -- */

enum { HOW = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED };

__attribute__((noipa)) static void *first_place(int page, int count)
{
    void *p = mmap(at(page), (size_t)count * PAGE, ROOM, HOW, -1, 0);
    must(p != MAP_FAILED, "mmap");
    return p;
}

__attribute__((noipa)) static void *second_place(int page, int count)
{
    void *p = mmap(at(page), (size_t)count * PAGE, ROOM, HOW, -1, 0);
    must(p != MAP_FAILED, "mmap");
    return p;
}

__attribute__((noipa)) static void *stack_place(int page, int count)
{
    void *p = mmap(at(page), (size_t)count * PAGE, ROOM, HOW | MAP_STACK, -1, 0);
    must(p != MAP_FAILED, "mmap");
    return p;
}

static void map(void)
{
    int page = below(PAGES), count = 1 + below(6 < PAGES - page ? 6 : PAGES - page);
    enum place place = 1 + (enum place)below(3);
    if (place == FIRST)
        first_place(page, count);
    else if (place == SECOND)
        second_place(page, count);
    else
        stack_place(page, count);
    must(++object_count < OBJECTS_MAX, "objects");
    objects[object_count] = (struct object){place, -1};
    mapping_count++;
    for (int i = 0; i < count; i++)
        pages[page + i] = (struct page){place == STACK ? 0 : object_count, i, mapping_count, 0};
}

/* ---------------------------------------------------------------------------- what changes mappings -- */

static void unmap(void)
{
    int page = below(PAGES), count = 1 + below(4 < PAGES - page ? 4 : PAGES - page);
    must(munmap(at(page), (size_t)count * PAGE) == 0, "munmap");
    for (int i = 0; i < count; i++)
        pages[page + i] = (struct page){0};
}

/* Pages from this one on that the kernel has as one mapping, `most` at most. */
static int together(int page, int most)
{
    int count = pages[page].mapping ? 1 : 0;
    while (count && count < most && page + count < PAGES && pages[page + count].mapping == pages[page].mapping &&
           pages[page + count].number == pages[page].number + count &&
           pages[page + count].protection == pages[page].protection)
        count++;
    return count;
}

static void set(int page, int count, const struct page *values)
{
    for (int i = 0; i < count; i++)
        pages[page + i] = values[i];
}

/* Some pages go elsewhere, and may become one more or less. */
static void move(void)
{
    int page = below(PAGES), count = together(page, 1 + below(4));
    int after = count + below(3) - 1, to = below(PAGES);
    if (count == 0 || after < 1 || to + after > PAGES || (to < page + count && page < to + after))
        return;
    void *p = mremap(at(page), (size_t)count * PAGE, (size_t)after * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, at(to));
    must(p == at(to), "mremap");
    struct page moved[8];
    for (int i = 0; i < after; i++) {
        moved[i] = pages[page + (i < count ? i : count - 1)];
        moved[i].number = pages[page].number + i;
    }
    for (int i = 0; i < count; i++)
        pages[page + i] = (struct page){0};
    set(to, after, moved);
}

static void shrink(void)
{
    int page = below(PAGES), count = together(page, 4);
    if (count < 2)
        return;
    must(mremap(at(page), (size_t)count * PAGE, PAGE, 0) == at(page), "mremap");
    for (int i = 1; i < count; i++)
        pages[page + i] = (struct page){0};
}

/* Only where the next page is free and this one the last of its mapping: elsewhere it depends on the kernel. */
static void grow(void)
{
    int page = below(PAGES - 1);
    if (!pages[page].mapping || pages[page + 1].mapping || mremap(at(page), PAGE, 2 * PAGE, 0) != at(page))
        return;
    pages[page + 1] = pages[page];
    pages[page + 1].number++;
}

static void make_executable(void)
{
    int page = below(PAGES), count = together(page, 2);
    if (count == 0)
        return;
    must(mprotect(at(page), (size_t)count * PAGE, ROOM | PROT_EXEC) == 0, "mprotect");
    for (int i = 0; i < count; i++) {
        pages[page + i].object = 0;
        pages[page + i].protection++;
    }
}

/* ---------------------------------------------------------------------------- loads -- */

__attribute__((noipa)) static void load(const char *p)
{
    __asm__ volatile("movb (%0), %%al" : : "r"(p) : "rax", "memory");
}

static void look(void)
{
    int page = below(PAGES), value = below(2);
    char *place = at(page) + below(PAGE);
    if (!pages[page].mapping)
        return;
    *place = (char)value;
    load(place);
    struct object *object = &objects[pages[page].object];
    if (pages[page].object == 0)
        return;
    events[object->place] += object->previous >= 0;
    wasted[object->place] += object->previous == value;
    object->previous = value;
}

int main(int argc, char **argv)
{
    static void (*const change[])(void) = {map, map, map, unmap, move, move, shrink, grow, make_executable};
    state = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    for (long step = argc > 2 ? strtol(argv[2], NULL, 10) : 1000; step > 0; step--) {
        if (below(5) == 0)
            change[below(sizeof change / sizeof *change)]();
        look();
    }
    printf("first_place %" PRIu64 " %" PRIu64 "\nsecond_place %" PRIu64 " %" PRIu64 "\n", events[FIRST], wasted[FIRST],
           events[SECOND], wasted[SECOND]);
    return 0;
}

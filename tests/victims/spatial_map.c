/*
 * Spatial load redundancy in mappings: what the program maps is an object, known by the line of its mmap(2), from then
 * until it is unmapped. All mappings here hold zeros, unless it says otherwise.
 *
 * One block with the four values of listing 3.2: two of four loads, in every pass.
 * pair spatial-load @kept* @kept* 4*n-1 16*n-4 2*n/8*n of @kept_map
 *
 * A block that is mapped, loaded from twice and unmapped in every round, at the same address: two loads of one block
 * make a pair, those of different blocks do not.
 * pair spatial-load @fresh* @fresh_again* n 8*n all in none of @fresh_map
 *
 * The same, mapped over what the round before has left.
 * pair spatial-load @over* @over_again* n 8*n all in none of @over_map
 *
 * A file of sevens, mapped to be read.
 * pair spatial-load @file* @file* n-1 8*(n-1) all of @file_map
 *
 * A reservation without access that is opened by mprotect.
 * pair spatial-load @opened* @opened* n-1 8*(n-1) all of @reserved_map
 *
 * mremap to another place, three pages from two: the block remains the object that it was, the added page belongs to
 * it, and what is mapped where it was is another.
 * pair spatial-load @before* @moved* n 8*n all in none of @moved_map
 * pair spatial-load @moved* @added* n 8*n all in none of @moved_map
 *
 * A block that shrinks to its first page; what is mapped in place of the second is another object, and first loaded
 * from between two loads of the block.
 * pair spatial-load @head* @head_again* n 8*n all in none of @shrunk_map
 *
 * Three pages, of which the middle one is mapped anew: the others remain one object.
 * pair spatial-load @low* @high* n 8*n all in none of @split_map
 *
 * Blocks of an allocator, pvalloc() and cfree() below, in a mapping that main has made: a block is an object of its own
 * until it is freed, around it and afterwards it is the mapping. Sevens are in the block, zeros around it.
 * pair spatial-load @block* @block_again* n 8*n all in none of @block_get
 * pair spatial-load @around* @freed* n 8*n none of @pool_map
 * pair spatial-load @freed* @around* n-1 8*(n-1) none of @pool_map
 *
 * victim_own: what the allocator maps by itself, in its own call, is no object around its blocks.
 *
 * Code: victim_code loads from pages that can be executed, from the start or since mprotect: no object.
 *
 * mode spatial-load
 */
#include <malloc.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "victim.h"

enum { PAGE = 4096, ROOM = PROT_READ | PROT_WRITE };

/* clang-format off */
VICTIM static void victim_kept(const void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: xor %%ecx, %%ecx")
        LINE("2: movl (%[p],%%rcx,4), %%eax") /* @kept */
        LINE("inc %%ecx")
        LINE("cmp $4, %%ecx")
        LINE("jne 2b")
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n) : [p] "r"(p) : "rax", "rcx", "memory", "cc");
}

VICTIM static void victim_fresh(const void *p)
{
    __asm__ volatile(
        LINE("movq 64(%[p]), %%rax") /* @fresh */
        LINE("movq 5000(%[p]), %%rax") /* @fresh_again */
        : : [p] "r"(p) : "rax", "memory");
}

VICTIM static void victim_over(const void *p)
{
    __asm__ volatile(
        LINE("movq 64(%[p]), %%rax") /* @over */
        LINE("movq 5000(%[p]), %%rax") /* @over_again */
        : : [p] "r"(p) : "rax", "memory");
}

VICTIM static void victim_file(const void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: movq (%[p],%[n],8), %%rax") /* @file */
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n) : [p] "r"(p) : "rax", "memory", "cc");
}

VICTIM static void victim_opened(const void *p, uint64_t n)
{
    __asm__ volatile(
        LINE("1: movq (%[p],%[n],8), %%rax") /* @opened */
        LINE("dec %[n]")
        LINE("jnz 1b")
        : [n] "+r"(n) : [p] "r"(p) : "rax", "memory", "cc");
}

VICTIM static void victim_before(const void *p)
{
    __asm__ volatile(
        LINE("movq 64(%[p]), %%rax") /* @before */
        : : [p] "r"(p) : "rax", "memory");
}

VICTIM static void victim_moved(const void *p)
{
    __asm__ volatile(
        LINE("movq 4160(%[p]), %%rax") /* @moved */
        LINE("movq 8256(%[p]), %%rax") /* @added */
        : : [p] "r"(p) : "rax", "memory");
}

VICTIM static void victim_left(const void *p)
{
    __asm__ volatile(
        LINE("movq 64(%[p]), %%rax")
        : : [p] "r"(p) : "rax", "memory");
}

VICTIM static void victim_head(const void *p)
{
    __asm__ volatile(
        LINE("movq 64(%[p]), %%rax") /* @head */
        : : [p] "r"(p) : "rax", "memory");
}

VICTIM static void victim_shrunk(const void *p)
{
    __asm__ volatile(
        LINE("movq 4160(%[p]), %%rax")
        LINE("movq 128(%[p]), %%rax") /* @head_again */
        : : [p] "r"(p) : "rax", "memory");
}

VICTIM static void victim_low(const void *p)
{
    __asm__ volatile(
        LINE("movq 64(%[p]), %%rax") /* @low */
        : : [p] "r"(p) : "rax", "memory");
}

VICTIM static void victim_split(const void *p)
{
    __asm__ volatile(
        LINE("movq 4160(%[p]), %%rax")
        LINE("movq 8256(%[p]), %%rax") /* @high */
        : : [p] "r"(p) : "rax", "memory");
}

VICTIM static void victim_block(const void *p)
{
    __asm__ volatile(
        LINE("movq 8(%[p]), %%rax") /* @block */
        LINE("movq -64(%[p]), %%rcx") /* @around */
        LINE("movq 16(%[p]), %%rax") /* @block_again */
        : : [p] "r"(p) : "rax", "rcx", "memory");
}

VICTIM static void victim_freed(const void *p)
{
    __asm__ volatile(
        LINE("movq 16(%[p]), %%rax") /* @freed */
        : : [p] "r"(p) : "rax", "memory");
}

VICTIM static void victim_own(const void *p)
{
    __asm__ volatile(
        LINE("movq 256(%[p]), %%rax")
        LINE("movq 512(%[p]), %%rax")
        : : [p] "r"(p) : "rax", "memory");
}

VICTIM static void victim_code(const void *p)
{
    __asm__ volatile(
        LINE("movq 64(%[p]), %%rax")
        LINE("movq 128(%[p]), %%rax")
        : : [p] "r"(p) : "rax", "memory");
}
/* clang-format on */

static void must(int right)
{
    if (!right)
        exit(1);
}

/* Where mmap's own frame ends, its caller's line is what the list above names. */
static void *good(void *p)
{
    must(p != MAP_FAILED);
    return p;
}
#define MAP(at, bytes, protection, how, file)                                                                          \
    good(mmap(at, bytes, protection, (how) | MAP_PRIVATE | ((at) ? MAP_FIXED : 0), file, 0))
#define BARE(at, bytes) MAP(at, bytes, ROOM, MAP_ANONYMOUS, -1)

static char *pool;

/* The block at byte 256 of the pool, or of a mapping of its own. */
__attribute__((noipa)) void *pvalloc(size_t size)
{
    return size == 64 ? pool + 256 : BARE(NULL, size);
}

__attribute__((noipa)) void cfree(void *p)
{
    (void)p;
}

static void keep(uint64_t n)
{
    int *block = BARE(NULL, 4 * sizeof *block); /* @kept_map */
    for (int k = 0; k < 4; k++)
        block[k] = k < 3 ? 1 : 15;
    victim_kept(block, n);
    must(munmap(block, 4 * sizeof *block) == 0);
}

static void map_file(uint64_t n)
{
    enum { VALUES = VICTIM_ROUNDS_MAX + 1 };
    static uint64_t sevens[VALUES];
    int file = memfd_create("sevens", 0);
    for (int k = 0; k < VALUES; k++)
        sevens[k] = 7;
    must(write(file, sevens, sizeof sevens) == sizeof sevens);
    victim_file(MAP(NULL, sizeof sevens, PROT_READ, 0, file), n); /* @file_map */
}

static void open_reserved(uint64_t n)
{
    size_t bytes = (size_t)1 << 33;
    char *p = MAP(NULL, bytes, PROT_NONE, MAP_ANONYMOUS | MAP_NORESERVE, -1); /* @reserved_map */
    must(mprotect(p + bytes / 2, 16 * PAGE, ROOM) == 0);
    victim_opened(p + bytes / 2, n);
    must(munmap(p, bytes) == 0);
}

static void move(char *old, char *near)
{
    char *p = BARE(old, 2 * PAGE); /* @moved_map */
    victim_before(p);
    victim_moved(good(mremap(p, 2 * PAGE, 3 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, near)));
    victim_left(BARE(old, 2 * PAGE));
}

static void cut(char *at)
{
    char *p = BARE(at, 2 * PAGE); /* @shrunk_map */
    victim_head(p);
    must(mremap(p, 2 * PAGE, PAGE, 0) == p);
    BARE(p + PAGE, PAGE);
    victim_shrunk(p);
}

static void split(char *at)
{
    char *p = BARE(at, 3 * PAGE); /* @split_map */
    victim_low(p);
    must(munmap(p + PAGE, PAGE) == 0);
    BARE(p + PAGE, PAGE);
    victim_split(p);
}

static void allocate(void)
{
    char *block = pvalloc(64); /* @block_get */
    for (int k = 0; k < 64; k++)
        block[k] = 7;
    victim_block(block);
    cfree(block);
    victim_freed(block);
    char *own = pvalloc(128);
    victim_own(own);
    must(munmap(own, 128) == 0);
}

static void execute(void)
{
    char *p = MAP(NULL, PAGE, ROOM | PROT_EXEC, MAP_ANONYMOUS, -1), *q = BARE(NULL, PAGE);
    must(mprotect(q, PAGE, PROT_READ | PROT_EXEC) == 0);
    victim_code(p);
    victim_code(q);
    must(munmap(p, PAGE) == 0 && munmap(q, PAGE) == 0);
}

int main(int argc, char **argv)
{
    uint64_t n = VICTIM_ROUNDS(argc, argv);
    char *at = BARE(NULL, 16 * PAGE), *over = BARE(NULL, 2 * PAGE);
    pool = BARE(NULL, PAGE); /* @pool_map */
    keep(n);
    map_file(n);
    open_reserved(n);
    for (uint64_t i = 0; i < n; i++) {
        char *fresh = BARE(NULL, 2 * PAGE); /* @fresh_map */
        victim_fresh(fresh);
        must(munmap(fresh, 2 * PAGE) == 0);
        victim_over(BARE(over, 2 * PAGE)); /* @over_map */
        move(at, at + 4 * PAGE);
        cut(at + 8 * PAGE);
        split(at + 12 * PAGE);
        allocate();
        execute();
    }
    return 0;
}

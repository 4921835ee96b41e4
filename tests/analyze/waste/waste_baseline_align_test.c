/* Lines of a function before and after an edit: which is which, by hand. */
#include "analyze/waste/baseline/waste_baseline_align.h"

#include <ctype.h>
#include <stdlib.h>

#include "tests/tap.h"

enum { LINES = 8 };

/* Lines by number, and a letter for what they do: equal letters agree, '-' with none. */
struct text {
    uint64_t numbers[LINES];
    const char *letters;
};

struct both {
    const struct text *old, *new;
};

static bool is_alike(const void *user, size_t i, size_t j)
{
    const struct both *both = user;
    return both->old->letters[i] != '-' && both->old->letters[i] == both->new->letters[j];
}

/* Letters from M on call functions; 'm' is 'M' after a change. */
static enum align_calls compare_calls(const void *user, size_t i, size_t j)
{
    const struct both *both = user;
    int old = toupper(both->old->letters[i]), new = toupper(both->new->letters[j]);
    return old < 'M' || new < 'M' ? ALIGN_NEUTRAL : old == new ? ALIGN_SAME : ALIGN_CLASH;
}

/* `expected`: the new number of each old line, 0 if it has none. */
static void is_aligned(const struct text *old, const struct text *new, const uint64_t *expected, const char *what)
{
    struct align_line before[LINES], after[LINES];
    size_t n = strlen(old->letters), m = strlen(new->letters), wrong = 0;
    for (size_t i = 0; i < n; i++)
        before[i].position = old->numbers[i];
    for (size_t j = 0; j < m; j++)
        after[j].position = new->numbers[j];
    const struct both both = {old, new};
    int error = align_lines(before, n, after, m, &(struct align_facts){is_alike, compare_calls, &both});
    for (size_t i = 0; i < n; i++) {
        size_t partner = before[i].partner;
        uint64_t found = partner == SIZE_MAX ? 0 : after[partner].position;
        wrong += found != expected[i] || (found != 0 && after[partner].partner != i);
    }
    if (!ok(error == 0 && wrong == 0, "%s", what))
        for (size_t i = 0; i < n; i++)
            printf("# %llu: %lld\n", (unsigned long long)before[i].position,
                   before[i].partner == SIZE_MAX ? -1LL : (long long)after[before[i].partner].position);
}

static void test_anchors(void)
{
    is_aligned(&(struct text){{10, 11, 12}, "abc"}, &(struct text){{14, 15, 16}, "abc"}, (uint64_t[]){14, 15, 16},
               "code above a function moves all of its lines");
    is_aligned(&(struct text){{10, 11, 12}, "abc"}, &(struct text){{10, 11, 14}, "abc"}, (uint64_t[]){10, 11, 14},
               "lines that are inserted within it move those below");
    is_aligned(&(struct text){{10, 11, 12}, "abc"}, &(struct text){{10, 11}, "ac"}, (uint64_t[]){10, 0, 11},
               "a line that is removed has no partner");
    is_aligned(&(struct text){{10, 11}, "ab"}, &(struct text){{11, 12}, "ab"}, (uint64_t[]){11, 12},
               "a shift by one line: what stands at an old number is another line");
    is_aligned(&(struct text){{10, 20, 30}, "aaa"}, &(struct text){{10, 30}, "aa"}, (uint64_t[]){10, 0, 30},
               "of equal lines those keep their numbers that have them");
    is_aligned(&(struct text){{10, 20, 30}, "aaa"}, &(struct text){{25, 45}, "aa"}, (uint64_t[]){25, 0, 45},
               "of equal lines those go together that have one shift");
    is_aligned(&(struct text){{10, 11}, "ab"}, &(struct text){{10, 11}, "ba"}, (uint64_t[]){11, 0},
               "of two lines that changed places the earlier one has moved");
}

static void test_between(void)
{
    is_aligned(&(struct text){{10, 11, 12}, "a-c"}, &(struct text){{14, 15, 16}, "a-c"}, (uint64_t[]){14, 15, 16},
               "a line that changed has the shift of the line before it");
    is_aligned(&(struct text){{10, 11}, "-b"}, &(struct text){{14, 15}, "-b"}, (uint64_t[]){14, 15},
               "before the first anchor it has the shift of the line after it");
    is_aligned(&(struct text){{10, 20}, "-b"}, &(struct text){{10, 24}, "-b"}, (uint64_t[]){10, 24},
               "  or its own number, if there is no such line");
    is_aligned(&(struct text){{10, 12, 20}, "a-c"}, &(struct text){{10, 15, 23}, "a-c"}, (uint64_t[]){10, 15, 23},
               "between two shifts it has that of the line after it if none is at the first");
    is_aligned(&(struct text){{10, 20}, "--"}, &(struct text){{10, 21}, "--"}, (uint64_t[]){10, 0},
               "without anchors lines are what they were by number");
    is_aligned(&(struct text){{10, 11, 12}, "ab-"}, &(struct text){{14, 15, 12 + 1000}, "ab-"}, (uint64_t[]){14, 15, 0},
               "a line elsewhere is no partner");
    is_aligned(&(struct text){{10, 11}, "x-"}, &(struct text){{11, 12}, "xy"}, (uint64_t[]){11, 12},
               "a changed line follows its shift, though another one stands at its old number");
    is_aligned(&(struct text){{10, 11, 12, 20}, "aMS-"}, &(struct text){{10, 11, 20}, "aT-"},
               (uint64_t[]){10, 11, 0, 20}, "lines that clash are a pair if nothing else is there");
    is_aligned(&(struct text){{10, 11, 12, 13}, "aMSc"}, &(struct text){{10, 11, 12}, "asc"},
               (uint64_t[]){10, 0, 11, 12}, "  and not if another line at one of the shifts does not clash");
    is_aligned(&(struct text){{10, 11, 12, 13}, "aMSc"}, &(struct text){{10, 11, 12}, "a-c"},
               (uint64_t[]){10, 11, 0, 12}, "  but a line that calls nothing clashes with none");
    is_aligned(&(struct text){{10, 11, 12, 13}, "a-Sc"}, &(struct text){{10, 11, 12}, "asc"},
               (uint64_t[]){10, 0, 11, 12}, "lines that call the same functions go together first");
    is_aligned(&(struct text){{10}, "a"}, &(struct text){{0}, ""}, (uint64_t[]){0}, "nothing is left");
    is_aligned(&(struct text){{0}, ""}, &(struct text){{7}, "a"}, (uint64_t[]){0}, "nothing was there");
}

static bool is_never_alike(const void *user, size_t i, size_t j)
{
    (void)i, (void)j;
    *(size_t *)(uintptr_t)user += 1;
    return true;
}

static enum align_calls never_call(const void *user, size_t i, size_t j)
{
    (void)user, (void)i, (void)j;
    return ALIGN_NEUTRAL;
}

/* One line more than are compared: 1025 * 1024 pairs. */
static void test_limit(void)
{
    enum { MANY = 1025 };
    struct align_line *old = calloc(2 * MANY, sizeof *old), *new = old + MANY;
    size_t asked = 0, wrong = 0;
    for (size_t i = 0; i < MANY; i++)
        old[i].position = new[i].position = i + 1;
    ok(align_lines(old, MANY, new, MANY - 1, &(struct align_facts){is_never_alike, never_call, &asked}) == 0 &&
           asked == 0,
       "too many lines are not compared");
    for (size_t i = 0; i < MANY; i++)
        wrong += old[i].partner != (i < MANY - 1 ? i : SIZE_MAX);
    is_u64(wrong, 0, "  but have the partners of their numbers");
    free(old);
}

int main(void)
{
    test_anchors();
    test_between();
    test_limit();
    return done_testing();
}

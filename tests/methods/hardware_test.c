/*
 * hardware_test.c - counters read from the page that the kernel keeps for an event, which no machine without counters
 * has: pages made by hand, as perf_event_open(2) describes them. And readings that no processor can give.
 */
#include "collect/methods/hardware.h"

#include "tests/tap.h"

static uint64_t shown;
static uint32_t asked;
static struct perf_event_mmap_page page;
static unsigned changes; /* of the page while the counter is being read */

static uint64_t counter(uint32_t index)
{
    asked = index;
    if (changes > 0) {
        changes--;
        page.lock++;
        page.offset += 1000;
    }
    return shown;
}

static void test_page(void)
{
    uint64_t value = 7;
    ok(!hardware_from_page(&page, counter, &value), "a page that permits no rdpmc");
    page.cap_user_rdpmc = 1;
    page.pmc_width = 48;
    ok(!hardware_from_page(&page, counter, &value), "an event that is on no counter");
    page.index = 3;
    page.offset = 5000;
    shown = 42;
    ok(hardware_from_page(&page, counter, &value) && value == 5042 && asked == 2,
       "offset and counter, which is index - 1");
    page.offset = INT64_C(1) << 47; /* the kernel begins a counter that is to overflow at a negative number */
    shown = (UINT64_C(1) << 48) - 100;
    ok(hardware_from_page(&page, counter, &value) && value == (UINT64_C(1) << 47) - 100,
       "a counter of 48 bits has a sign");
    page.offset = 0;
    shown = 1;
    changes = 2;
    ok(hardware_from_page(&page, counter, &value) && value == 2001, "read anew if the page changes meanwhile");
}

static void test_take(void)
{
    struct hardware_history history = {0};
    ok(hardware_take(&history, 1000000, 1000) && history.value == 1000000, "the first reading is what it is");
    ok(hardware_take(&history, 1400000, 101000) && history.value == 1400000, "four events in a ns");
    ok(!hardware_take(&history, 1400000 + (UINT64_C(1) << 48), 201000) && history.value == 1400000,
       "a jump is left out");
    ok(hardware_take(&history, 1500000 + (UINT64_C(1) << 48), 301000) && history.value == 1500000,
       "what comes after it counts");
    ok(!hardware_take(&history, 10, 401000) && history.value == 1500000, "backwards is left out");
    ok(hardware_take(&history, 20, 501000) && history.value == 1500010, "what comes after it counts");
}

int main(void)
{
    test_page();
    test_take();
    return done_testing();
}

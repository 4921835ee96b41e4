/*
 * hardware_test.c - counters read from the page that the kernel maps for an event. Machines without counters have no
 * such page, so these are made by hand, as perf_event_open(2) describes them. Also readings that no processor can give.
 */
#include "collect/perf/hardware.h"

#include "tests/tap.h"

static uint64_t shown;
static uint32_t asked;
static struct perf_event_mmap_page page;
static unsigned changes; /* how often the page still changes while the counter is being read */

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
    ok(!hardware_from_page(&page, counter, &value), "a page that does not permit rdpmc is not read");
    page.cap_user_rdpmc = 1;
    page.pmc_width = 48;
    ok(!hardware_from_page(&page, counter, &value), "an event without a counter is not read");
    page.index = 3;
    page.offset = 5000;
    shown = 42;
    ok(hardware_from_page(&page, counter, &value) && value == 5042 && asked == 2,
       "the value is the offset plus that of counter index - 1");
    page.offset = INT64_C(1) << 47; /* the kernel begins a counter that is to overflow at a negative number */
    shown = (UINT64_C(1) << 48) - 100;
    ok(hardware_from_page(&page, counter, &value) && value == (UINT64_C(1) << 47) - 100,
       "a 48-bit counter is sign-extended");
    page.offset = 0;
    shown = 1;
    changes = 2;
    ok(hardware_from_page(&page, counter, &value) && value == 2001,
       "a page that changes during the reading is read again");
}

static void test_take(void)
{
    struct hardware_history history = {0};
    ok(hardware_take(&history, 1000000, 1000) && history.value == 1000000, "the first reading is taken as it is");
    ok(hardware_take(&history, 1400000, 101000) && history.value == 1400000, "four events per ns are taken");
    ok(!hardware_take(&history, 1400000 + (UINT64_C(1) << 48), 201000) && history.value == 1400000,
       "a jump that no processor makes is left out");
    ok(hardware_take(&history, 1500000 + (UINT64_C(1) << 48), 301000) && history.value == 1500000,
       "  and later events count");
    ok(!hardware_take(&history, 10, 401000) && history.value == 1500000, "a step backwards is left out");
    ok(hardware_take(&history, 20, 501000) && history.value == 1500010, "  and later events count");
}

int main(void)
{
    test_page();
    test_take();
    return done_testing();
}

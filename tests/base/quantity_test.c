/* quantity_test.c - numbers with units. */
#include "base/quantity.h"

#include "tests/tap.h"

static const struct {
    const char *text;
    bool good;
    uint64_t ns;
} TIMES[] = {
    {"10ms", true, 10000000}, {"10", true, 10000000},
    {"0", true, 0},           {"2.5us", true, 2500},
    {"2.5 µs", true, 2500},   {".5s", true, 500000000},
    {"1e3ns", true, 1000},    {"0.4ns", true, 0},
    {"0.6ns", true, 1},       {"9007199s", true, 9007199000000000},
    {"9007200s", false, 0},   {"1e300s", false, 0},
    {"1e999s", false, 0},     {"", false, 0},
    {"ms", false, 0},         {".", false, 0},
    {"-1ms", false, 0},       {"+1ms", false, 0},
    {" 1ms", false, 0},       {"0x10", false, 0},
    {"nan", false, 0},        {"inf", false, 0},
    {"1min", false, 0},       {"1 ms ", false, 0},
    {"1,5ms", false, 0},
};

static const struct {
    const char *text;
    bool good;
    uint64_t count;
} COUNTS[] = {
    {"0", true, 0},
    {"30", true, 30},
    {"007", true, 7},
    {"9223372036854775807", true, INT64_MAX},
    {"9223372036854775808", false, 0},
    {"99999999999999999999999", false, 0},
    {"", false, 0},
    {"-1", false, 0},
    {"+1", false, 0},
    {"1.0", false, 0},
    {"1e3", false, 0},
    {"0x10", false, 0},
    {" 1", false, 0},
    {"1 ", false, 0},
};

int main(void)
{
    for (size_t i = 0; i < sizeof TIMES / sizeof *TIMES; i++) {
        uint64_t ns = 77;
        ok(quantity_time(TIMES[i].text, &ns) == TIMES[i].good, "time \"%s\" is accepted or refused", TIMES[i].text);
        is_u64(ns, TIMES[i].good ? TIMES[i].ns : 77, "  its value is right, or untouched if refused");
    }
    for (size_t i = 0; i < sizeof COUNTS / sizeof *COUNTS; i++) {
        uint64_t count = 77;
        ok(quantity_count(COUNTS[i].text, &count) == COUNTS[i].good, "count \"%s\" is accepted or refused",
           COUNTS[i].text);
        is_u64(count, COUNTS[i].good ? COUNTS[i].count : 77, "  its value is right, or untouched if refused");
    }
    return done_testing();
}

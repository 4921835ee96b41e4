/* Values in the unit that suits them. Expected texts are conversions by hand: 10,700,000 ns are 10.7 ms. */
#include "analyze/compare/scaled.h"

#include <math.h>
#include <string.h>

#include "tests/tap.h"

static const struct {
    const char *unit;
    double old, new;
    const char *old_text, *new_text;
} VALUES[] = {
    {"ns", 10.7e6, 11.5e6, "10.7 ms", "11.5 ms"},
    {"ns", 999.4, 12, "999 ns", "12.0 ns"}, /* a value far below the other has its own digits */
    {"ns", 999.6, 500.5, "1.00 µs", "0.50 µs"},
    {"s", 0.0107, 0.0115, "10.7 ms", "11.5 ms"},
    {"s", 1234.5, 1300.25, "1234 s", "1300 s"},
    {"min", 2.5, 3.25, "2.50 min", "3.25 min"},
    {"ns/op", 2500, 3.5e6, "0.00250 ms/op", "3.50 ms/op"},
    {"us/iter", 1500.5, 1600.5, "1.50 ms/iter", "1.60 ms/iter"},
    {"B/op", 64, 80, "64 B/op", "80 B/op"},
    {"kB", 1500.5, 2500.5, "1.50 MB", "2.50 MB"},
    {"KiB", 2048, 3072, "2 MiB", "3 MiB"},
    {"Mbit/s", 2500.5, 900.5, "2.50 Gbit/s", "0.90 Gbit/s"},
    {"Hz", 2.5e9, 3.25e9, "2.50 GHz", "3.25 GHz"},
    {"ops/s", 123456.5, 234567.5, "123456 ops/s", "234568 ops/s"},
    {"ops/s", 12345678, 12345679, "12.3M ops/s", "12.3M ops/s"},
    {"allocs/op", 2, 5, "2 allocs/op", "5 allocs/op"},
    {NULL, 1.5, 2.25, "1.50", "2.25"},
    {NULL, 3e9, 2.5e9, "3.00G", "2.50G"},
    {"ns", 0, 0, "0 ns", "0 ns"},
    {"ns", NAN, 7e6, "", "7 ms"},
    {"ns", 7e6, NAN, "7 ms", ""},
};

int main(void)
{
    for (size_t i = 0; i < sizeof VALUES / sizeof *VALUES; i++) {
        const double values[2] = {VALUES[i].old, VALUES[i].new};
        const struct scale scale = scaled_choose(VALUES[i].unit, fmax(values[0], values[1]));
        char texts[2][SCALED_MAX];
        scaled_pair(values, &scale, 3, texts);
        ok(strcmp(texts[0], VALUES[i].old_text) == 0 && strcmp(texts[1], VALUES[i].new_text) == 0,
           "%g and %g %s: '%s' and '%s'", values[0], values[1], VALUES[i].unit ? VALUES[i].unit : "without a unit",
           texts[0], texts[1]);
    }
    const double close[2] = {12345678, 12345679};
    const struct scale scale = scaled_choose("ops/s", close[1]);
    char texts[2][SCALED_MAX];
    scaled_pair(close, &scale, 8, texts);
    ok(strcmp(texts[0], "12.345678M ops/s") == 0 && strcmp(texts[1], "12.345679M ops/s") == 0,
       "eight digits: '%s' and '%s'", texts[0], texts[1]);
    return done_testing();
}

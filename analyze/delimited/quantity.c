#include "analyze/delimited/quantity.h"

#include <math.h>
#include <string.h>
#include <strings.h>

static const struct quantity_unit units[] = {
    {"ns", "time", 1, -9},
    {"us", "time", 1, -6},
    {"ms", "time", 1, -3},
    {"s", "time", 1, 0},
    {"min", "time", 60, 0},
    {"h", "time", 3600, 0},
    {"B", "bytes", 1, 0},
    {"kB", "bytes", 1, 3},
    {"MB", "bytes", 1, 6},
    {"GB", "bytes", 1, 9},
    {"TB", "bytes", 1, 12},
    {"KiB", "bytes", 1 << 10, 0},
    {"MiB", "bytes", 1 << 20, 0},
    {"GiB", "bytes", 1 << 30, 0},
    {"TiB", "bytes", INT64_C(1) << 40, 0},
    {"B/s", "bytes/s", 1, 0},
    {"kB/s", "bytes/s", 1, 3},
    {"MB/s", "bytes/s", 1, 6},
    {"GB/s", "bytes/s", 1, 9},
    {"KiB/s", "bytes/s", 1 << 10, 0},
    {"MiB/s", "bytes/s", 1 << 20, 0},
    {"GiB/s", "bytes/s", 1 << 30, 0},
    {"bit/s", "bits/s", 1, 0},
    {"kbit/s", "bits/s", 1, 3},
    {"Mbit/s", "bits/s", 1, 6},
    {"Gbit/s", "bits/s", 1, 9},
    {"ns/op", "time/op", 1, -9},
    {"us/op", "time/op", 1, -6},
    {"ms/op", "time/op", 1, -3},
    {"s/op", "time/op", 1, 0},
    {"ns/iter", "time/iter", 1, -9},
    {"us/iter", "time/iter", 1, -6},
    {"ms/iter", "time/iter", 1, -3},
    {"s/iter", "time/iter", 1, 0},
    {"B/op", "bytes/op", 1, 0},
    {"kB/op", "bytes/op", 1, 3},
    {"KiB/op", "bytes/op", 1 << 10, 0},
    {"op/s", "op/s", 1, 0},
    {"ops/ns", "ops/s", 1, 9},
    {"ops/us", "ops/s", 1, 6},
    {"ops/ms", "ops/s", 1, 3},
    {"ops/s", "ops/s", 1, 0},
    {"Hz", "frequency", 1, 0},
    {"kHz", "frequency", 1, 3},
    {"MHz", "frequency", 1, 6},
    {"GHz", "frequency", 1, 9},
    {"J", "energy", 1, 0},
    {"mJ", "energy", 1, -3},
    {"W", "power", 1, 0},
    {"mW", "power", 1, -3},
    {"%", "%", 1, 0},
};

/* Other spellings. */
static const struct {
    const char *spelling, *name;
} spellings[] = {
    {"\u00b5s", "us"},       {"\u03bcs", "us"},    {"nsec", "ns"},        {"usec", "us"},
    {"msec", "ms"},          {"sec", "s"},         {"nsecs", "ns"},       {"usecs", "us"},
    {"msecs", "ms"},         {"secs", "s"},        {"nanosecond", "ns"},  {"microsecond", "us"},
    {"millisecond", "ms"},   {"second", "s"},      {"nanoseconds", "ns"}, {"microseconds", "us"},
    {"milliseconds", "ms"},  {"seconds", "s"},     {"minute", "min"},     {"minutes", "min"},
    {"hour", "h"},           {"hours", "h"},       {"KB", "kB"},          {"byte", "B"},
    {"bytes", "B"},          {"B/sec", "B/s"},     {"kB/sec", "kB/s"},    {"KB/sec", "kB/s"},
    {"KB/s", "kB/s"},        {"MB/sec", "MB/s"},   {"GB/sec", "GB/s"},    {"\u00b5s/op", "us/op"},
    {"\u03bcs/op", "us/op"}, {"ops/sec", "ops/s"}, {"Joules", "J"},
};

static bool is_text(struct rows_cell cell, const char *text)
{
    return cell.length == strlen(text) && memcmp(cell.text, text, cell.length) == 0;
}

static struct rows_cell without_brackets(struct rows_cell cell)
{
    cell = rows_trim(cell);
    bool brackets = cell.length > 2 && ((cell.text[0] == '[' && cell.text[cell.length - 1] == ']') ||
                                        (cell.text[0] == '(' && cell.text[cell.length - 1] == ')'));
    return brackets ? rows_trim((struct rows_cell){cell.text + 1, cell.length - 2}) : cell;
}

static const struct quantity_unit *unit_called(struct rows_cell name)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (is_text(name, units[i].name))
            return &units[i];
    return NULL;
}

const struct quantity_unit *quantity_unit_named(struct rows_cell name)
{
    name = without_brackets(name);
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
        if (is_text(name, spellings[i].spelling))
            return unit_called((struct rows_cell){spellings[i].name, strlen(spellings[i].name)});
    return unit_called(name);
}

/* The characters of a number, as many as there are: decimal_parse() decides whether they form one. An e belongs to them
 * only before a digit or a sign. */
static size_t number_length(struct rows_cell cell)
{
    size_t i = 0;
    while (i < cell.length) {
        char c = cell.text[i], next = i + 1 < cell.length ? cell.text[i + 1] : '\0';
        bool power = (c == 'e' || c == 'E') && next && strchr("+-0123456789", next);
        if (!power && !(c && strchr("+-.0123456789", c)))
            break;
        i++;
    }
    return i;
}

bool quantity_parse(struct rows_cell cell, struct decimal *value, const struct quantity_unit **unit)
{
    cell = rows_trim(cell);
    size_t length = number_length(cell);
    struct rows_cell name = rows_trim((struct rows_cell){cell.text + length, cell.length - length});
    if (length == 0 || name.length == 0 || *name.text == '[' || *name.text == '(')
        return false;
    *unit = quantity_unit_named(name);
    return *unit && decimal_parse(cell.text, length, value) == STATS_OK;
}

static double size_of(const struct quantity_unit *unit)
{
    return (double)unit->multiplier * pow(10, unit->exponent);
}

const struct quantity_unit *quantity_smaller(const struct quantity_unit *a, const struct quantity_unit *b)
{
    return size_of(b) < size_of(a) ? b : a;
}

const struct quantity_unit *quantity_base(const struct quantity_unit *unit)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].kind, unit->kind) == 0 && units[i].multiplier == 1 && units[i].exponent == 0)
            return &units[i];
    return unit;
}

bool quantity_convert(struct decimal *value, const struct quantity_unit *from, const struct quantity_unit *to)
{
    static const int64_t most = INT64_C(999999999999999999);
    int64_t factor = from->multiplier / to->multiplier, digits;
    if (from == to)
        return true;
    if (strcmp(from->kind, to->kind) != 0)
        return false;
    if (from->multiplier % to->multiplier == 0 && !__builtin_mul_overflow(value->digits, factor, &digits) &&
        digits <= most && digits >= -most) {
        *value = (struct decimal){digits, value->exponent + from->exponent - to->exponent};
        return true;
    }
    return decimal_of_double(decimal_to_double(*value) * size_of(from) / size_of(to), value) == STATS_OK;
}

int quantity_vote(struct rows_cell cell)
{
    static const char *const missing[] = {"", "-", "nan", "na", "inf", "+inf", "-inf", "null"};
    struct decimal value;
    const struct quantity_unit *unit;
    cell = rows_trim(cell);
    enum stats_status status = decimal_parse(cell.text, cell.length, &value);
    if (status == STATS_OK || quantity_parse(cell, &value, &unit))
        return 1;
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        if (cell.length == strlen(missing[i]) &&
            (cell.length == 0 || strncasecmp(cell.text, missing[i], cell.length) == 0))
            return 0;
    return status == STATS_DOMAIN ? -1 : 0; /* a number out of range is no name */
}

#include "table/csv/quantity.h"

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
    {"\u03bcs/op", "us/op"}, {"ops/sec", "ops/s"}, {"sec/op", "s/op"},    {"Joules", "J"},
};

static bool quantity_cell_is_text(struct rows_cell cell, const char *text)
{
    return cell.length == strlen(text) && memcmp(cell.text, text, cell.length) == 0;
}

static const struct quantity_unit *quantity_find_unit(struct rows_cell name)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (quantity_cell_is_text(name, units[i].name))
            return &units[i];
    return NULL;
}

const struct quantity_unit *quantity_unit_named(struct rows_cell name)
{
    name = rows_trim(name);
    if (name.length > 2 && ((name.text[0] == '[' && name.text[name.length - 1] == ']') ||
                            (name.text[0] == '(' && name.text[name.length - 1] == ')')))
        name = rows_trim((struct rows_cell){name.text + 1, name.length - 2});
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
        if (quantity_cell_is_text(name, spellings[i].spelling))
            return quantity_find_unit((struct rows_cell){spellings[i].name, strlen(spellings[i].name)});
    return quantity_find_unit(name);
}

/* The characters of a number, as many as there are: decimal_parse() decides whether they form one. An e belongs to them
 * only before a digit or a sign. */
static size_t quantity_number_length(struct rows_cell cell)
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

/* Adds a number of seconds: "1.2" times the factor. False if it is none, or too many digits. */
static bool quantity_add_seconds(struct rows_cell number, int64_t factor, struct decimal *sum)
{
    struct decimal value;
    int64_t digits;
    if (number.length == 0 || !strchr("0123456789", *number.text) ||
        decimal_parse(number.text, number.length, &value) != STATS_OK || value.exponent > 0 ||
        __builtin_mul_overflow(value.digits, factor, &value.digits))
        return false;
    while (value.exponent < sum->exponent) {
        sum->exponent--;
        if (__builtin_mul_overflow(sum->digits, 10, &sum->digits))
            return false;
    }
    while (sum->exponent < value.exponent) {
        value.exponent--;
        if (__builtin_mul_overflow(value.digits, 10, &value.digits))
            return false;
    }
    return !__builtin_add_overflow(sum->digits, value.digits, &digits) && (sum->digits = digits, true);
}

/* "1:02.5", "1:02:03": minutes and seconds, with hours in front. */
static bool quantity_parse_clock(struct rows_cell cell, struct decimal *seconds)
{
    size_t colons = 0, since = 0;
    const char *part = cell.text;
    *seconds = (struct decimal){0, 0};
    for (size_t i = 0; i < cell.length; i++)
        colons += cell.text[i] == ':';
    if (colons < 1 || colons > 2)
        return false;
    for (size_t i = 0; i <= cell.length; i++) {
        if (i < cell.length && cell.text[i] != ':')
            continue;
        const struct rows_cell number = {part, (size_t)(cell.text + i - part)};
        int64_t factor = colons - since == 2 ? 3600 : colons - since == 1 ? 60 : 1;
        bool whole = !memchr(number.text, '.', number.length),
             two = number.length >= 2 && (number.length == 2 || !whole);
        if ((factor > 1 && !whole) || (since > 0 && !two) || !quantity_add_seconds(number, factor, seconds))
            return false;
        part = cell.text + i + 1;
        since++;
    }
    return true;
}

/* "0m1.2s", "1h2m3s": as time(1) and others print it. */
static bool quantity_parse_spelled(struct rows_cell cell, struct decimal *seconds)
{
    static const struct {
        char letter;
        int64_t factor;
    } parts[] = {{'h', 3600}, {'m', 60}, {'s', 1}};
    size_t taken = 0, next = 0;
    *seconds = (struct decimal){0, 0};
    while (cell.length > 0) {
        size_t length = quantity_number_length(cell);
        while (next < 3 && (length >= cell.length || parts[next].letter != cell.text[length]))
            next++;
        if (next == 3 || !quantity_add_seconds((struct rows_cell){cell.text, length}, parts[next].factor, seconds))
            return false;
        cell = (struct rows_cell){cell.text + length + 1, cell.length - length - 1};
        taken++;
        next++;
    }
    return taken > 1;
}

bool quantity_parse(struct rows_cell cell, struct decimal *value, const struct quantity_unit **unit)
{
    cell = rows_trim(cell);
    if (cell.length > 2 && (quantity_parse_clock(cell, value) || quantity_parse_spelled(cell, value))) {
        *unit = quantity_find_unit((struct rows_cell){"s", 1});
        return true;
    }
    size_t length = quantity_number_length(cell);
    struct rows_cell name = rows_trim((struct rows_cell){cell.text + length, cell.length - length});
    if (length == 0 || name.length == 0 || *name.text == '[' || *name.text == '(')
        return false;
    *unit = quantity_unit_named(name);
    return *unit && decimal_parse(cell.text, length, value) == STATS_OK;
}

static double quantity_unit_size(const struct quantity_unit *unit)
{
    return (double)unit->multiplier * pow(10, unit->exponent);
}

const struct quantity_unit *quantity_smaller(const struct quantity_unit *a, const struct quantity_unit *b)
{
    return quantity_unit_size(b) < quantity_unit_size(a) ? b : a;
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
    return decimal_of_double(decimal_to_double(*value) * quantity_unit_size(from) / quantity_unit_size(to), value) ==
           STATS_OK;
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
    return status == STATS_DOMAIN ? -1 : 0; /* a number out of range is not a name */
}

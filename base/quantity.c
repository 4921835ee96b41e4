#include "base/quantity.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    double ns;
} UNITS[] = {{"", 1e6}, {"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}};

bool quantity_time(const char *text, uint64_t *ns)
{
    if (!isdigit((unsigned char)text[0]) && text[0] != '.')
        return false; /* strtod() would accept signs, "inf" and "nan" */
    char *end;
    double value = strtod(text, &end);
    if (end == text || (text[0] == '0' && tolower((unsigned char)text[1]) == 'x'))
        return false;
    while (*end == ' ')
        end++;
    for (size_t i = 0; i < sizeof UNITS / sizeof *UNITS; i++) {
        if (strcmp(end, UNITS[i].name) != 0)
            continue;
        double result = round(value * UNITS[i].ns);
        if (!(result <= 0x1p53))
            return false;
        *ns = (uint64_t)result;
        return true;
    }
    return false;
}

bool quantity_count(const char *text, uint64_t *count)
{
    if (!isdigit((unsigned char)text[0]))
        return false;
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (errno || *end || value > INT64_MAX)
        return false;
    *count = value;
    return true;
}

bool quantity_large(const char *text, uint64_t *count)
{
    static const char SUFFIXES[] = "KMG";
    char digits[32];
    uint64_t value, factor = 1;
    size_t length = strlen(text);
    const char *suffix = length > 0 ? strchr(SUFFIXES, toupper((unsigned char)text[length - 1])) : NULL;
    if (length == 0 || length >= sizeof digits)
        return false;
    memcpy(digits, text, length + 1);
    if (suffix)
        digits[length - 1] = '\0';
    for (const char *at = SUFFIXES; suffix && at <= suffix; at++)
        factor *= 1000;
    if (!quantity_count(digits, &value) || value > INT64_MAX / factor)
        return false;
    *count = value * factor;
    return true;
}

bool quantity_share(const char *text, double *share)
{
    if (!isdigit((unsigned char)text[0]) && text[0] != '.')
        return false; /* as above */
    char *end;
    double value = strtod(text, &end);
    if (end == text || tolower((unsigned char)text[1]) == 'x')
        return false;
    bool percent = *end == '%';
    value = percent ? value / 100 : value;
    if (end[percent] != '\0' || !(value < 1))
        return false;
    *share = value;
    return true;
}

#include "analyze/cli/number.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table/model/table.h"

int number_parse(const char *text, double least, double most, double *value)
{
    char *end;
    double number = strtod(text, &end);
    if (end == text || *end || !(number >= least && number <= most))
        return EINVAL;
    *value = number;
    return 0;
}

int number_parse_percent(const char *text, double least, double most, double *share)
{
    char *end;
    double percent = strtod(text, &end);
    while (*end == ' ')
        end++;
    if (end == text || strcmp(end + (*end == '%'), "") != 0 || !(percent >= least && percent <= most))
        return EINVAL;
    *share = percent / 100;
    return 0;
}

int number_parse_confidence(const char *text, double *confidence)
{
    double number;
    bool is_percent = strchr(text, '%') || (number_parse(text, 50, 100, &number) == 0);
    int error = is_percent ? number_parse_percent(text, 0, 100, &number) : number_parse(text, 0, 1, &number);
    if (error || number <= 0 || number >= 1)
        return EINVAL;
    *confidence = number;
    return 0;
}

int number_parse_count(const char *text, uint64_t least, uint64_t most, uint64_t *value)
{
    double number;
    if (number_parse(text, (double)least, (double)most, &number) != 0 || number != floor(number))
        return EINVAL;
    *value = (uint64_t)number;
    return 0;
}

/* The decimal point moves in the text: a product would be rounded, and 99.99999999999999 % become 100 %. */
const char *number_percent(double share, char text[NUMBER_PERCENT_MAX])
{
    char digits[32];
    table_digits(share, digits);
    const char *decimals = digits + strlen("0.");
    size_t length = strlen(digits);
    if (strchr(digits, 'e') || length < strlen("0.1")) {
        snprintf(text, NUMBER_PERCENT_MAX, "%.15g", 100 * share);
    } else if (length == strlen("0.1")) {
        snprintf(text, NUMBER_PERCENT_MAX, "%s0", decimals);
    } else {
        const char *first = *decimals == '0' ? decimals + 1 : decimals;
        snprintf(text, NUMBER_PERCENT_MAX, "%.*s%s%s", (int)(decimals + 2 - first), first, decimals[2] ? "." : "",
                 decimals + 2);
    }
    return text;
}

int number_parse_share(const char *text, double *share)
{
    char number[64];
    size_t length = strlen(text);
    bool percent = length > 0 && text[length - 1] == '%';
    if (length >= sizeof number)
        return EINVAL;
    snprintf(number, sizeof number, "%.*s", (int)(length - percent), text);
    int error = number_parse(number, 0, percent ? 100 : 1, share);
    if (!error && percent)
        *share /= 100;
    return error;
}

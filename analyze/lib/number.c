#include "analyze/lib/number.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

int number_parse(const char *text, double least, double most, double *value)
{
    char *end;
    double number = strtod(text, &end);
    if (end == text || *end || !(number >= least && number <= most))
        return EINVAL;
    *value = number;
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

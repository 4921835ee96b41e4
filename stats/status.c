#include "stats/status.h"

const char *stats_status_text(enum stats_status status)
{
    switch (status) {
    case STATS_OK:
        return "good";
    case STATS_TOO_FEW:
        return "too few values";
    case STATS_CONSTANT:
        return "all values are equal";
    case STATS_DOMAIN:
        return "value out of range";
    case STATS_OVERFLOW:
        return "values too large, too small or too many to calculate with";
    case STATS_DEPENDENT:
        return "a term is a linear combination of the others";
    case STATS_NO_MEMORY:
        return "out of memory";
    }
    return "unknown status";
}

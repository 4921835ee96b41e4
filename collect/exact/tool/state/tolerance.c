#include "collect/exact/tool/state/tolerance.h"

#include <valgrind/pub_tool_libcbase.h>

#include "collect/exact/tool/state/config.h"

static long double tolerance_value(const UChar *bytes, UInt lane)
{
    float single;
    double twice;
    long double extended = 0;
    switch (lane) {
    case 4:
        __builtin_memcpy(&single, bytes, sizeof single);
        return single;
    case 8:
        __builtin_memcpy(&twice, bytes, sizeof twice);
        return twice;
    default:
        __builtin_memcpy(&extended, bytes, 10);
        return extended;
    }
}

static Bool tolerance_near_lane(const UChar *old, const UChar *new, UInt lane, double tolerance)
{
    if (lane == 8) {
        ULong was, is;
        __builtin_memcpy(&was, old, sizeof was);
        __builtin_memcpy(&is, new, sizeof is);
        if (was == is)
            return True;
    } else if (VG_(memcmp)(old, new, lane) == 0) {
        return True;
    }
    if (lane != 4 && lane != 8 && lane != 10)
        return False;
    long double before = tolerance_value(old, lane), difference = tolerance_value(new, lane) - before;
    /* What is not a number, or is infinite, is near nothing but itself. */
    return difference - difference == 0 &&
           (difference < 0 ? -difference : difference) <= (before < 0 ? -before : before) * tolerance;
}

Bool tolerance_is_near(const UChar *old, const UChar *new, UInt size, UInt lane)
{
    const double tolerance = config_get()->tolerance;
    UInt at = 0;
    for (; at + lane <= size; at += lane)
        if (!tolerance_near_lane(old + at, new + at, lane, tolerance))
            return False;
    return at == size || VG_(memcmp)(old + at, new + at, size - at) == 0;
}

/*
 * empty.c - replaces access.c and wide_access.c by helpers that return at once. The rest of the exact tool's time is
 * what no shadow memory can save: Valgrind itself, calling contexts, and a call with its arguments at every access.
 */
#include "collect/exact/tool/kinds/access.h"

static void nothing(void)
{
}

struct access_helper access_load_helper(UInt size, Bool approximate)
{
    (void)size, (void)approximate;
    return (struct access_helper){"nothing", (void *)nothing};
}

struct access_helper access_store_helper(UInt size, Bool approximate)
{
    return access_load_helper(size, approximate);
}

Bool access_load_eight(Addr a, ULong value, ULong where)
{
    (void)a, (void)value, (void)where;
    return True;
}

Bool access_store_eight(Addr a, ULong change, ULong where)
{
    return access_load_eight(a, change, where);
}

void access_system_write(Addr a, SizeT size, UInt context)
{
    (void)a, (void)size, (void)context;
}

void wide_load_halves(Addr a, ULong low, ULong high, ULong where)
{
    (void)a, (void)low, (void)high, (void)where;
}

void wide_store_halves(Addr a, ULong low, ULong high, ULong where)
{
    (void)a, (void)low, (void)high, (void)where;
}

void wide_load(Addr a, ULong where)
{
    (void)a, (void)where;
}

void wide_read(Addr a, ULong where)
{
    (void)a, (void)where;
}

void wide_keep(Addr a, ULong where)
{
    (void)a, (void)where;
}

void wide_store(Addr a, ULong where)
{
    (void)a, (void)where;
}

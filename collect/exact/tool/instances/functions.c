#include "collect/exact/tool/instances/functions.h"

#include <valgrind/pub_tool_aspacehl.h>
#include <valgrind/pub_tool_aspacemgr.h>
#include <valgrind/pub_tool_libcassert.h>
#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_mallocfree.h>
#include <valgrind/pub_tool_options.h>
#include <valgrind/pub_tool_seqmatch.h>

#include "collect/exact/tool/instances/elf_functions.h"
#include "collect/exact/tool/state/array.h"
#include "collect/exact/tool/state/core.h"
#include "collect/exact/tool/state/hash_table.h"

struct name {
    const HChar *pattern; /* without blanks */
    UInt functions;       /* symbols that it matches */
};

/* Mapped code whose file has been looked at. */
struct range {
    Addr start;
    SizeT bytes;
};

static struct name *names;
static UInt name_count;
static struct range *ranges;
static UInt range_count, range_capacity;
static struct hash_table entries_at;  /* address → index in `entries` */
static struct context_slot **entries; /* NULL: it is gone */
static UInt entry_count = 1, entry_capacity;

/* ---------------------------------------------------------------------------- names -- */

/* Removes blanks. */
static void functions_drop_blanks(HChar *text)
{
    HChar *to = text;
    for (; *text; text++)
        if (*text != ' ')
            *to++ = *text;
    *to = '\0';
}

Bool functions_option(const HChar *argument)
{
    static const HChar OPTION[] = "--assay-function=";
    if (VG_(strncmp)(argument, OPTION, sizeof OPTION - 1) != 0)
        return False;
    HChar *pattern = VG_(strdup)("assay.names", argument + sizeof OPTION - 1);
    functions_drop_blanks(pattern);
    names = VG_(realloc)("assay.names", names, (name_count + 1) * sizeof *names);
    names[name_count++] = (struct name){pattern, 0};
    return True;
}

Bool functions_are_named(void)
{
    return name_count > 0;
}

void functions_init(void)
{
    hash_table_init(&entries_at, "assay.entries");
}

/* Cuts the parameters off, with what follows them (const, the suffix of a clone). */
static void functions_drop_parameters(HChar *text)
{
    const HChar *last = VG_(strrchr)(text, ')');
    Int depth = 0;
    for (SizeT at = last ? (SizeT)(last - text) + 1 : 0; at > 1; at--) {
        depth += text[at - 1] == ')';
        depth -= text[at - 1] == '(';
        if (depth == 0) {
            text[at - 1] = '\0';
            return;
        }
    }
}

/* Where the name begins in a text that may begin with the type of the result, as it does for templates. */
static const HChar *functions_skip_result(const HChar *text)
{
    static const HChar OPERATOR[] = "operator";
    const HChar *begin = text;
    Int depth = 0;
    for (const HChar *at = text; *at && (*at != '(' || at == begin || depth > 0); at++) {
        if (VG_(strncmp)(at, OPERATOR, sizeof OPERATOR - 1) == 0)
            break;
        depth += *at == '<' || *at == '(';
        depth -= *at == '>' || *at == ')';
        if (*at == ' ' && depth == 0)
            begin = at + 1;
    }
    return begin;
}

static HChar *functions_copy_name(const HChar *text)
{
    HChar *copy = VG_(strdup)("assay.form", text);
    functions_drop_blanks(copy);
    return copy;
}

/* ---------------------------------------------------------------------------- entries -- */

static void functions_add_entry(Addr address)
{
    UInt *known = hash_table_at(&entries_at, address, 0);
    if (*known && entries[*known])
        return;
    entries = array_reserve("assay.entries", entries, entry_count, &entry_capacity, 256, sizeof *entries);
    struct context_slot *entry = VG_(perm_malloc)(sizeof *entry, sizeof(void *));
    *entry = (struct context_slot){.address = address};
    entries[entry_count] = entry;
    *known = entry_count++;
}

static void functions_add_symbol(const HChar *symbol, Addr address)
{
    /* The forms in which it may be named: as the linker knows it; */
    HChar *linked = functions_copy_name(symbol), *version = VG_(strchr)(linked, '@');
    if (version)
        *version = '\0';
    /* as in the source; without the type of its result; and without parameters, too. */
    const HChar *written = symbol;
    VG_(demangle)(True, False, linked, &written);
    Bool mangled = !VG_STREQ(written, linked);
    HChar *full = functions_copy_name(written);
    HChar *typed = functions_copy_name(mangled ? functions_skip_result(written) : written);
    HChar *plain = functions_copy_name(typed);
    HChar *dot = *plain ? VG_(strchr)(plain + 1, '.') : NULL;
    if (mangled)
        functions_drop_parameters(plain);
    else if (dot) /* a name in C may have the suffix of a clone (.constprop.0) */
        *dot = '\0';

    Bool piece = VG_(strstr)(linked, ".cold") || VG_(strstr)(linked, ".part.");
    for (UInt i = 0; i < name_count; i++) {
        const HChar *pattern = names[i].pattern;
        if (piece && !VG_(strchr)(pattern, '.'))
            continue;
        if (VG_(string_match)(pattern, linked) || VG_(string_match)(pattern, full) ||
            VG_(string_match)(pattern, typed) || VG_(string_match)(pattern, plain)) {
            names[i].functions++;
            functions_add_entry(address);
        }
    }
    VG_(free)(linked);
    VG_(free)(full);
    VG_(free)(typed);
    VG_(free)(plain);
}

void functions_load_code(Addr address)
{
    for (UInt i = range_count; i > 0; i--)
        if (address - ranges[i - 1].start < ranges[i - 1].bytes)
            return;
    const NSegment *segment = VG_(am_find_nsegment)(address);
    if (!segment || segment->kind != SkFileC || !segment->hasX)
        return;
    struct elf_part part = {.path = VG_(am_get_filename)(segment),
                            .offset = (ULong)segment->offset,
                            .start = segment->start,
                            .bytes = segment->end - segment->start + 1};
    ranges = array_reserve("assay.ranges", ranges, range_count, &range_capacity, 64, sizeof *ranges);
    ranges[range_count++] = (struct range){part.start, part.bytes};
    if (part.path)
        elf_functions_each(&part, functions_add_symbol);
}

const struct context_slot *functions_entry_at(Addr address)
{
    UInt entry = hash_table_find(&entries_at, address, 0);
    return entry ? entries[entry] : NULL;
}

void functions_forget(Addr from, SizeT bytes)
{
    Bool any = False;
    for (UInt i = range_count; i > 0; i--) {
        const struct range *range = &ranges[i - 1];
        if (range->start >= from + bytes || from >= range->start + range->bytes)
            continue;
        ranges[i - 1] = ranges[--range_count];
        any = True;
    }
    for (UInt i = 1; any && i < entry_count; i++)
        if (entries[i] && entries[i]->address - from < bytes)
            entries[i] = NULL;
}

/* ---------------------------------------------------------------------------- the end -- */

void functions_report(void (*report)(const HChar *name, UInt functions))
{
    /* Files whose code was never executed may have functions with these names. */
    Int count = 0;
    Addr *starts = VG_(get_segment_starts)(SkFileC, &count);
    for (Int i = 0; starts && i < count; i++)
        functions_load_code(starts[i]);
    if (starts)
        VG_(free)(starts);
    for (UInt i = 0; i < name_count; i++)
        report(names[i].pattern, names[i].functions);
}

#include "collect/exact/tool/state/unwind_table.h"

#include <elf.h>
#include <valgrind/pub_tool_aspacemgr.h>
#include <valgrind/pub_tool_debuginfo.h>
#include <valgrind/pub_tool_libcbase.h>
#include <valgrind/pub_tool_vki.h>

enum { PARTS_MAX = 64, SEGMENTS_MAX = 64, ENTRY_BYTES_MAX = 1 << 16 };

/* The index that linkers make: pairs of offsets from its own begin, of a function and of its entry. */
enum { UDATA4 = 0x03, DATAREL_SDATA4 = 0x3b };
struct index_header {
    UChar version, frame_encoding, count_encoding, table_encoding;
    Int frame;
    UInt count;
};
struct index_entry {
    Int function, entry;
};

/* Forms of addresses in entries. */
enum {
    FORM_MASK = 0x0f,
    FORM_ABSOLUTE = 0x00,
    FORM_UDATA4 = 0x03,
    FORM_UDATA8 = 0x04,
    FORM_SDATA4 = 0x0b,
    FORM_SDATA8 = 0x0c
};

static Bool unwind_table_is_readable(Addr a, SizeT bytes)
{
    return VG_(am_is_valid_for_client)(a, bytes, VKI_PROT_READ);
}

/* ---------------------------------------------------------------------------- the file -- */

/* Where the file that this code is from has its first byte in memory; 0: nowhere below the code. */
static Addr unwind_table_first_byte(Addr address)
{
    const NSegment *code = VG_(am_find_nsegment)(address), *part = code;
    for (UInt i = 0; i < PARTS_MAX && part && part->kind == SkFileC && part->dev == code->dev && part->ino == code->ino;
         i++) {
        if (part->offset == 0)
            return part->start;
        part = part->start ? VG_(am_find_nsegment)(part->start - 1) : NULL;
    }
    return 0;
}

/* The index of the file whose header is at `base`; NULL: it has none of the usual form. */
static const struct index_header *unwind_table_find_index(Addr base)
{
    const Elf64_Ehdr *file = (const Elf64_Ehdr *)base;
    if (!base || !unwind_table_is_readable(base, sizeof *file) || VG_(memcmp)(file->e_ident, ELFMAG, SELFMAG) != 0 ||
        file->e_ident[EI_CLASS] != ELFCLASS64 || file->e_phentsize != sizeof(Elf64_Phdr) ||
        file->e_phnum > SEGMENTS_MAX ||
        !unwind_table_is_readable(base + file->e_phoff, file->e_phnum * sizeof(Elf64_Phdr)))
        return NULL;
    const Elf64_Phdr *segments = (const Elf64_Phdr *)(base + file->e_phoff), *begin = NULL, *table = NULL;
    for (UInt i = 0; i < file->e_phnum; i++) {
        if (segments[i].p_type == PT_LOAD && segments[i].p_offset < VKI_PAGE_SIZE && !begin)
            begin = &segments[i];
        if (segments[i].p_type == PT_GNU_EH_FRAME)
            table = &segments[i];
    }
    if (!begin || !table)
        return NULL;
    const struct index_header *index =
        (const struct index_header *)(base + table->p_vaddr - (begin->p_vaddr - begin->p_offset));
    if (!unwind_table_is_readable((Addr)index, sizeof *index) || index->version != 1 ||
        index->count_encoding != UDATA4 || index->table_encoding != DATAREL_SDATA4 ||
        !unwind_table_is_readable((Addr)(index + 1), (SizeT)index->count * sizeof(struct index_entry)))
        return NULL;
    return index;
}

/* ---------------------------------------------------------------------------- entries -- */

static ULong unwind_table_read_number(const UChar **at, const UChar *end)
{
    ULong value = 0;
    for (UInt shift = 0; *at < end; shift += 7) {
        UChar byte = *(*at)++;
        if (shift < 64)
            value |= (ULong)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            break;
    }
    return value;
}

/* The bytes of an address in this form; 0: unknown. */
static UInt unwind_table_form_bytes(UInt encoding)
{
    UInt form = encoding & FORM_MASK;
    return form == FORM_UDATA4 || form == FORM_SDATA4                            ? 4
           : form == FORM_ABSOLUTE || form == FORM_UDATA8 || form == FORM_SDATA8 ? 8
                                                                                 : 0;
}

/* An entry's content, behind its length; *end is behind it. NULL: it can't be read. */
static const UChar *unwind_table_content(Addr entry, const UChar **end)
{
    if (!unwind_table_is_readable(entry, sizeof(UInt)))
        return NULL;
    UInt bytes = *(const UInt *)entry;
    if (bytes < sizeof(UInt) || bytes > ENTRY_BYTES_MAX || !unwind_table_is_readable(entry + sizeof bytes, bytes))
        return NULL;
    *end = (const UChar *)entry + sizeof bytes + bytes;
    return (const UChar *)entry + sizeof bytes;
}

/* How the entries of a common one (CIE) encode addresses; −1: it does not say. */
static Int unwind_table_encoding(Addr common)
{
    const UChar *end, *at = unwind_table_content(common, &end);
    if (!at || end - at < 8 || at[4] > 3)
        return -1;
    UChar version = at[4];
    const UChar *text = at + 5;
    at = text;
    while (at < end && *at)
        at++;
    at++;
    if (at >= end || *text != 'z')
        return *text ? -1 : FORM_ABSOLUTE;
    unwind_table_read_number(&at, end); /* the alignment of code, … */
    unwind_table_read_number(&at, end); /* … of data, … */
    if (version == 1)
        at++; /* … the register of the return address, … */
    else
        unwind_table_read_number(&at, end);
    unwind_table_read_number(&at, end); /* … and the bytes of what follows */
    for (text++; *text && at < end; text++) {
        if (*text == 'R')
            return *at;
        if (*text == 'P')
            at += 1 + unwind_table_form_bytes(*at);
        else if (*text == 'L')
            at++;
    }
    return *text ? -1 : FORM_ABSOLUTE;
}

/* The length of the function of an entry (FDE); 0: it does not say. */
static SizeT unwind_table_function_bytes(Addr entry)
{
    const UChar *end, *at = unwind_table_content(entry, &end);
    if (!at)
        return 0;
    Int encoding = unwind_table_encoding((Addr)at - *(const UInt *)(const void *)at);
    UInt bytes = encoding >= 0 ? unwind_table_form_bytes((UInt)encoding) : 0;
    at += sizeof(UInt) + bytes; /* behind the function's address */
    if (bytes == 0 || end - at < (Long)bytes)
        return 0;
    return bytes == 4 ? *(const UInt *)(const void *)at : *(const SizeT *)(const void *)at;
}

Bool unwind_table_function(Addr address, Addr *low, Addr *high)
{
    VgSectKind section = VG_(DebugInfo_sect_kind)(NULL, address);
    if (section == Vg_SectPLT || section == Vg_SectGOTPLT)
        return False;
    const struct index_header *index = unwind_table_find_index(unwind_table_first_byte(address));
    const struct index_entry *entries = index ? (const struct index_entry *)(index + 1) : NULL;
    /* The last entry whose function begins at or before the address. */
    UInt from = 0, to = index ? index->count : 0;
    while (from < to) {
        UInt middle = from + (to - from) / 2;
        if ((Addr)index + (Addr)(Long)entries[middle].function <= address)
            from = middle + 1;
        else
            to = middle;
    }
    if (from == 0)
        return False;
    const struct index_entry *entry = &entries[from - 1];
    *low = (Addr)index + (Addr)(Long)entry->function;
    *high = *low + unwind_table_function_bytes((Addr)index + (Addr)(Long)entry->entry);
    return address < *high && VG_(am_is_valid_for_client)(*low, *high - *low, VKI_PROT_READ);
}

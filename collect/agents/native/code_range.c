#include "collect/agents/native/code_range.h"

#include <elf.h>
#include <string.h>

void code_range_read(struct pool_module *module, const ElfW(Phdr) * segments, size_t count)
{
    module->low = UINT64_MAX;
    module->high = 0;
    for (const ElfW(Phdr) *segment = segments; segment < segments + count; segment++) {
        uint64_t start = module->bias + segment->p_vaddr, left = segment->p_memsz;
        const uint8_t *at = (const uint8_t *)start; /* NOLINT: an address */
        while (segment->p_type == PT_NOTE && left >= sizeof(ElfW(Nhdr))) {
            ElfW(Nhdr) note;
            memcpy(&note, at, sizeof note);
            uint64_t name = ((uint64_t)note.n_namesz + 3) & ~UINT64_C(3),
                     data = ((uint64_t)note.n_descsz + 3) & ~UINT64_C(3);
            if (name + data > left - sizeof note)
                break;
            const uint8_t *text = at + sizeof note;
            if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(text, "GNU", 4) == 0) {
                module->build_id_bytes = note.n_descsz < POOL_BUILD_ID_MAX ? note.n_descsz : POOL_BUILD_ID_MAX;
                memcpy(module->build_id, text + name, module->build_id_bytes);
            }
            at += sizeof note + name + data;
            left -= sizeof note + name + data;
        }
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
            continue;
        if (start < module->low)
            module->low = start;
        if (start + segment->p_memsz > module->high)
            module->high = start + segment->p_memsz;
    }
}

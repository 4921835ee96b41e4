/* Instructions at addresses of frames without a line: from the files that were recorded, if they are still the same. */
#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analyze/waste/state/instruction.h"
#include "analyze/waste/page/waste_page_parts.h"

struct waste_page_image {
    const uint8_t *bytes; /* mapped; NULL: there is no such file */
    size_t length;
};

static void waste_page_close_image(struct waste_page_image *image)
{
    if (image->bytes)
        munmap((void *)(uintptr_t)image->bytes, image->length);
    image->bytes = NULL;
}

/* Program header `index`; false if there is none within the file. */
static bool waste_page_segment(const struct waste_page_image *image, size_t index, Elf64_Phdr *segment)
{
    Elf64_Ehdr header;
    memcpy(&header, image->bytes, sizeof header);
    uint64_t offset = header.e_phoff + index * sizeof *segment;
    if (index >= header.e_phnum || header.e_phentsize != sizeof *segment || header.e_phoff > image->length ||
        offset > image->length || image->length - offset < sizeof *segment)
        return false;
    memcpy(segment, image->bytes + offset, sizeof *segment);
    return segment->p_offset <= image->length && segment->p_filesz <= image->length - segment->p_offset;
}

/* Whether the notes of a segment hold this build ID, in hexadecimal digits. */
static bool waste_page_notes_have(const uint8_t *notes, size_t length, const char *build_id)
{
    Elf64_Nhdr note;
    for (size_t at = 0; length - at >= sizeof note;) {
        memcpy(&note, notes + at, sizeof note);
        size_t name = at + sizeof note, value = name + ((note.n_namesz + (size_t)3) & ~(size_t)3),
               end = value + ((note.n_descsz + (size_t)3) & ~(size_t)3);
        if (value < name || end < value || end > length)
            return false;
        bool same = note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(notes + name, "GNU", 4) == 0 &&
                    strlen(build_id) == 2 * (size_t)note.n_descsz;
        for (size_t i = 0; same && i < note.n_descsz; i++) {
            char digits[3];
            snprintf(digits, sizeof digits, "%02x", notes[value + i]);
            same = memcmp(digits, build_id + 2 * i, 2) == 0;
        }
        if (same)
            return true;
        at = end;
    }
    return false;
}

/* Maps the file if it is the one with the build ID. */
static void waste_page_open_image(const char *path, const char *build_id, struct waste_page_image *image)
{
    struct stat status;
    bool same = false;
    *image = (struct waste_page_image){NULL, 0};
    int fd = *build_id ? waste_page_open(path, &status) : -1;
    if (fd < 0)
        return;
    if ((size_t)status.st_size > sizeof(Elf64_Ehdr)) {
        image->length = (size_t)status.st_size;
        void *bytes = mmap(NULL, image->length, PROT_READ, MAP_PRIVATE, fd, 0);
        image->bytes = bytes == MAP_FAILED ? NULL : bytes;
    }
    close(fd);
    Elf64_Phdr segment;
    bool elf = image->bytes && memcmp(image->bytes, ELFMAG, SELFMAG) == 0 && image->bytes[EI_CLASS] == ELFCLASS64 &&
               ((const Elf64_Ehdr *)image->bytes)->e_machine == EM_X86_64;
    for (size_t i = 0; elf && !same && waste_page_segment(image, i, &segment); i++)
        same = segment.p_type == PT_NOTE &&
               waste_page_notes_have(image->bytes + segment.p_offset, segment.p_filesz, build_id);
    if (!same)
        waste_page_close_image(image);
}

static bool waste_page_instruction(const struct waste_page_image *image, uint64_t address, char text[INSTRUCTION_MAX])
{
    Elf64_Phdr segment;
    for (size_t i = 0; image->bytes && waste_page_segment(image, i, &segment); i++) {
        uint64_t words[2] = {0};
        if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X) || address < segment.p_vaddr ||
            address - segment.p_vaddr >= segment.p_filesz)
            continue;
        size_t left = segment.p_filesz - (address - segment.p_vaddr);
        memcpy(words, image->bytes + segment.p_offset + (address - segment.p_vaddr),
               left < sizeof words ? left : sizeof words);
        return instruction_text(words[0], words[1], text);
    }
    return false;
}

int waste_page_write_code(FILE *out, const struct waste *waste, const struct waste_page_frames *frames)
{
    struct waste_page_image *images = calloc(frames->codes.count + 1, sizeof *images);
    char text[INSTRUCTION_MAX];
    bool good = images != NULL;
    fputs("\"codes\":[", out);
    for (size_t i = 0; good && i < frames->codes.count; i++) {
        const struct waste_page_code *code = keyed_at(&frames->codes, i);
        const char *path = waste_text(waste, code->path);
        waste_page_open_image(path, waste_text(waste, code->build_id), &images[i]);
        fputs(i > 0 ? "," : "", out);
        good = waste_page_json(out, path, strlen(path));
    }
    fputs("],\"instructions\":[", out);
    for (size_t frame = 0; good && frame < frames->count; frame++) {
        uint32_t code = frames->code_of[frame];
        fputs(frame > 0 ? "," : "", out);
        if (code != FIELD_NONE && frames->innermost[frame] &&
            waste_page_instruction(&images[code], frames->position[frame], text))
            good = waste_page_json(out, text, strlen(text));
        else
            fputs("0", out);
    }
    fputs("]", out);
    for (size_t i = 0; images && i < frames->codes.count; i++)
        waste_page_close_image(&images[i]);
    free(images);
    return good ? 0 : ENOMEM;
}

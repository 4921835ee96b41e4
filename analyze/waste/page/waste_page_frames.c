/* Which frames and files a page has. */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "analyze/waste/page/waste_page_parts.h"

/* The line of "f:30" or the address of "f@0x11d3"; 0: neither. */
static uint64_t waste_page_position(const char *text, bool has_code)
{
    size_t end = strlen(text), start = end;
    while (start > 0 && (has_code ? isxdigit((unsigned char)text[start - 1]) : isdigit((unsigned char)text[start - 1])))
        start--;
    if (start == end || (!has_code && (start == 0 || text[start - 1] != ':')))
        return 0;
    return strtoull(text + start, NULL, has_code ? 16 : 10);
}

/* The number of the frame with this text; FIELD_NONE without memory. */
static uint32_t waste_page_add_frame(const struct waste *waste, uint32_t text, struct waste_page_frames *frames)
{
    if (frames->numbers[text] != FIELD_NONE)
        return frames->numbers[text];
    uint32_t number = (uint32_t)frames->count++;
    uint32_t row = relations_find(&waste->relations, WASTE_FRAME_ROWS, &text);
    frames->texts[number] = text;
    frames->numbers[text] = number;
    frames->file_of[number] = frames->code_of[number] = FIELD_NONE;
    if (row == FIELD_NONE)
        return number;
    const struct waste_frame *frame = waste_row(waste, WASTE_FRAME_ROWS, row);
    const struct waste_page_file file = {.name = frame->file};
    const struct waste_page_code code = {frame->module, frame->build_id};
    bool full = false;
    if (frame->file != FIELD_NONE)
        full = (frames->file_of[number] = keyed_add(&frames->files, &file)) == KEYED_FULL;
    else
        full = (frames->code_of[number] = keyed_add(&frames->codes, &code)) == KEYED_FULL;
    frames->position[number] = waste_page_position(waste_text(waste, text), frame->file == FIELD_NONE);
    return full ? FIELD_NONE : number;
}

static void waste_page_mark_innermost(const struct waste *waste, uint32_t node, struct waste_page_frames *frames)
{
    uint32_t text = waste_node_at(waste, node)->text;
    if (text != FIELD_NONE)
        frames->innermost[frames->numbers[text]] = true;
}

int waste_page_find_frames(const struct waste *waste, const struct waste_ranking *ranking,
                           struct waste_page_frames *frames)
{
    size_t texts = waste->relations.texts.count, nodes = waste_count(waste, WASTE_NODE_ROWS);
    *frames = (struct waste_page_frames){
        .texts = calloc(texts + 1, sizeof *frames->texts),
        .numbers = malloc((texts + 1) * sizeof *frames->numbers),
        .file_of = calloc(texts + 1, sizeof *frames->file_of),
        .code_of = calloc(texts + 1, sizeof *frames->code_of),
        .position = calloc(texts + 1, sizeof *frames->position),
        .innermost = calloc(texts + 1, sizeof *frames->innermost),
        .files = {.item_bytes = sizeof(struct waste_page_file), .key_bytes = sizeof(uint32_t)},
        .codes = {.item_bytes = sizeof(struct waste_page_code), .key_bytes = sizeof(struct waste_page_code)}};
    if (!frames->texts || !frames->numbers || !frames->file_of || !frames->code_of || !frames->position ||
        !frames->innermost)
        return ENOMEM;
    for (size_t text = 0; text <= texts; text++)
        frames->numbers[text] = FIELD_NONE;
    for (uint32_t node = 0; node < nodes; node++) {
        uint32_t text = waste_node_at(waste, node)->text;
        if (text != FIELD_NONE && waste_page_add_frame(waste, text, frames) == FIELD_NONE)
            return ENOMEM;
    }
    for (size_t i = 0; i < waste_count(waste, WASTE_PAIR_ROWS); i++) {
        const struct waste_pair *pair = waste_row(waste, WASTE_PAIR_ROWS, i);
        waste_page_mark_innermost(waste, pair->first, frames);
        waste_page_mark_innermost(waste, pair->second, frames);
    }
    for (size_t i = 0; i < waste_count(waste, WASTE_TIME_ROWS); i++)
        waste_page_mark_innermost(waste, ((const struct waste_time *)waste_row(waste, WASTE_TIME_ROWS, i))->node,
                                  frames);
    for (size_t i = 0; i < ranking->lines.count; i++) {
        const struct waste_site *line = keyed_at(&ranking->lines, i);
        uint32_t number = waste_page_add_frame(waste, line->text, frames); /* of what has no frame: [unknown] */
        if (number == FIELD_NONE)
            return ENOMEM;
        if (frames->file_of[number] != FIELD_NONE)
            ((struct waste_page_file *)keyed_at(&frames->files, frames->file_of[number]))->bytes += line->bytes;
    }
    return 0;
}

void waste_page_free_frames(struct waste_page_frames *frames)
{
    free(frames->texts);
    free(frames->numbers);
    free(frames->file_of);
    free(frames->code_of);
    free(frames->position);
    free(frames->innermost);
    keyed_free(&frames->files);
    keyed_free(&frames->codes);
}

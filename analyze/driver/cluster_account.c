#include "analyze/driver/driver.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* All of struct trace_loss except `first`: input->damage has it in words. */
static const struct account_field {
    const char *name;
    size_t offset;
} fields[] = {{"bytes", offsetof(struct trace_loss, bytes)},
              {"records", offsetof(struct trace_loss, records)},
              {"chunks", offsetof(struct trace_loss, chunks)},
              {"unknown_chunks", offsetof(struct trace_loss, unknown_chunks)}};
enum { FIELDS = sizeof fields / sizeof *fields };

static json_t *account_save_loss(const struct trace_loss *loss)
{
    json_t *saved = json_object(), *dropped = json_array();
    for (size_t i = 0; i < FIELDS; i++)
        json_object_set_new(
            saved, fields[i].name,
            json_integer((json_int_t) * (const uint64_t *)(const void *)((const char *)loss + fields[i].offset)));
    for (size_t i = 0; i < LOST_CAUSE_COUNT; i++)
        json_array_append_new(dropped, json_integer((json_int_t)loss->dropped[i]));
    json_object_set_new(saved, "dropped", dropped);
    json_object_set_new(saved, "unfinished", json_boolean(loss->unfinished));
    return saved;
}

static json_t *account_text_json(const char *text)
{
    return text_json(text, strlen(text));
}

static json_t *account_save_input(const struct input *input)
{
    if (input->partial)
        return json_pack("{s:o, s:{s:O, s:O}, s:O*}", "path", account_text_json(input->path), "partial", "input",
                         json_object_get(input->partial, "input"), "loss", json_object_get(input->partial, "loss"),
                         "conditions", input->conditions);
    return json_pack("{s:o, s:o, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:b, s:O*}", "path", account_text_json(input->path),
                     "run", account_text_json(input->run), "read", (json_int_t)input->records, "recorded",
                     (json_int_t)input->recorded, "loss", account_save_loss(&input->loss), "damage",
                     account_text_json(input->damage.text), "note", account_text_json(input->note.text), "doubt",
                     account_text_json(input->ticks.doubt), "change", account_text_json(input->ticks.change), "member",
                     input->is_member, "conditions", input->conditions);
}

json_t *account_save(const struct inputs *inputs)
{
    json_t *saved = json_array();
    for (size_t i = 0; i < inputs->count; i++)
        if (json_array_append_new(saved, account_save_input(&inputs->items[i])) != 0) {
            json_decref(saved);
            return NULL;
        }
    return saved;
}

static const char *account_saved_text(const json_t *saved, const char *key)
{
    const char *text = json_string_value(json_object_get(saved, key));
    return text ? text : "";
}

static int account_load_input(struct input *input, const json_t *saved)
{
    const json_t *partial = json_object_get(saved, "partial"), *loss = json_object_get(saved, "loss");
    *input = (struct input){.own_path = strdup(account_saved_text(saved, "path"))};
    pthread_mutex_init(&input->lock, NULL);
    input->path = input->own_path;
    if (partial)
        input->partial = json_incref((json_t *)(uintptr_t)partial);
    else
        input->run = strdup(account_saved_text(saved, "run"));
    input->conditions = json_incref(json_object_get(saved, "conditions"));
    input->is_member = json_is_true(json_object_get(saved, "member"));
    input->records = (uint64_t)json_integer_value(json_object_get(saved, "read"));
    input->recorded = (uint64_t)json_integer_value(json_object_get(saved, "recorded"));
    for (size_t i = 0; i < FIELDS; i++)
        *(uint64_t *)(void *)((char *)&input->loss + fields[i].offset) =
            (uint64_t)json_integer_value(json_object_get(loss, fields[i].name));
    for (size_t i = 0; i < LOST_CAUSE_COUNT; i++)
        input->loss.dropped[i] = (uint64_t)json_integer_value(json_array_get(json_object_get(loss, "dropped"), i));
    input->loss.unfinished = json_is_true(json_object_get(loss, "unfinished"));
    error_set(&input->damage, STATUS_BAD, "%s", account_saved_text(saved, "damage"));
    error_set(&input->note, STATUS_BAD, "%s", account_saved_text(saved, "note"));
    snprintf(input->ticks.doubt, sizeof input->ticks.doubt, "%s", account_saved_text(saved, "doubt"));
    snprintf(input->ticks.change, sizeof input->ticks.change, "%s", account_saved_text(saved, "change"));
    return input->path && (input->run || partial) ? 0 : ENOMEM;
}

int account_load(struct inputs *inputs, const json_t *saved)
{
    if (!json_is_array(saved))
        return EINVAL;
    size_t more = json_array_size(saved);
    struct input *items = realloc(inputs->items, (inputs->count + more + 1) * sizeof *items);
    if (!items)
        return ENOMEM;
    inputs->items = items;
    for (size_t i = 0; i < more; i++) {
        int error = account_load_input(&items[inputs->count++], json_array_get(saved, i));
        if (error)
            return error;
    }
    return 0;
}

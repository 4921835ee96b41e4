#include "collect/inspect/heapdump/dump_arguments.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "collect/inspect/interpret/value.h"

const char *dump_source_name(enum dump_source source)
{
    static const char *const NAMES[SOURCE_KINDS] = {[SOURCE_STACK] = "from stacks",
                                                    [SOURCE_CHOSEN] = "chosen",
                                                    [SOURCE_MISSING] = "without an object",
                                                    [SOURCE_NUMBER] = "unknown numbers"};
    return NAMES[source];
}

/* ------------------------------------------------------------------------------------------ parameters -- */

/* The parameters of a method, one after the other; its object, if it has one, is the first. */
struct parameters {
    const struct dump_target *target;
    const char *at, *end;
    bool began;
    char type;                  /* as in descriptors; '\0': there is none left */
    struct constants_text name; /* of a reference's type: "java/lang/String", "[I" */
};

static bool dump_arguments_next_parameter(struct parameters *parameters)
{
    const struct dump_target *target = parameters->target;
    if (!parameters->began) {
        parameters->began = true;
        parameters->at = target->method->descriptor.text + 1;
        parameters->end = target->method->descriptor.text + target->method->descriptor.length;
        if (!target->method->is_static) {
            parameters->type = 'L';
            parameters->name = target->file->name;
            return true;
        }
    }
    const char *begin = parameters->at, *at = begin;
    while (at < parameters->end && *at == '[')
        at++;
    if (at < parameters->end && *at == 'L')
        while (at < parameters->end && *at != ';')
            at++;
    if (at >= parameters->end || *begin == ')')
        return false;
    parameters->at = at + 1;
    parameters->type = *begin == '[' ? 'L' : *begin;
    parameters->name = *begin == 'L' ? (struct constants_text){begin + 1, (size_t)(at - begin - 1)}
                                     : (struct constants_text){begin, (size_t)(at + 1 - begin)};
    return true;
}

/* ------------------------------------------------------------------------------------------ choices -- */

/* Objects of a type. Keeps every `step`th instance; when there are too many, every second of them goes. */
struct dump_choice {
    struct constants_text name;
    uint64_t loader;
    uint64_t ids[2 * CHOICES];
    uint32_t lengths[2 * CHOICES]; /* of arrays, descending */
    uint32_t count;
    uint64_t seen, step;
};

static struct dump_choice *dump_choices_find_type(const struct dump_choices *choices, const struct constants_text *name,
                                                  uint64_t loader)
{
    for (size_t i = 0; i < choices->count; i++) {
        struct dump_choice *choice = &choices->all[i];
        if (choice->loader == loader && choice->name.length == name->length &&
            memcmp(choice->name.text, name->text, name->length) == 0)
            return choice;
    }
    return NULL;
}

static void dump_choice_offer_instance(struct dump_choice *choice, uint64_t id)
{
    if (choice->seen++ % choice->step)
        return;
    choice->ids[choice->count++] = id;
    if (choice->count < 2 * CHOICES)
        return;
    choice->step *= 2;
    choice->count = CHOICES;
    for (uint32_t i = 0; i < CHOICES; i++)
        choice->ids[i] = choice->ids[2 * i];
}

static void dump_choice_offer_array(struct dump_choice *choice, uint64_t id, uint32_t length)
{
    uint32_t position = choice->count < CHOICES ? choice->count++ : CHOICES;
    for (; position > 0 && choice->lengths[position - 1] < length; position--) {
        choice->ids[position] = choice->ids[position - 1];
        choice->lengths[position] = choice->lengths[position - 1];
    }
    choice->ids[position] = id;
    choice->lengths[position] = length;
    choice->count = choice->count < CHOICES ? choice->count : CHOICES;
}

/* Which choices objects of a class are offered to; of primitive arrays by type. */
struct offers {
    bool known;
    uint32_t count;
    uint32_t *choices; /* [count] */
};

/* False without memory. */
static bool dump_choices_find_offers(const struct dump_choices *choices, const struct hprof_item *item,
                                     struct offers *offers)
{
    offers->known = true;
    for (uint32_t i = 0; i < choices->count; i++) {
        const struct dump_choice *choice = &choices->all[i];
        if (dump_types_is(choices->types, item, &choice->name, choice->loader) != HEAP_TRUE)
            continue;
        uint32_t *grown = reallocarray(offers->choices, offers->count + UINT32_C(1), sizeof *grown);
        if (!grown)
            return false;
        offers->choices = grown;
        grown[offers->count++] = i;
    }
    return true;
}

static int dump_choices_offer_all(struct dump_choices *choices, const struct hprof_progress *progress)
{
    enum { REPORT_OBJECTS = 1 << 18, PRIMITIVES = 128 };
    const struct heap_dump *dump = choices->types->dump;
    size_t lists = (size_t)dump->class_count + 1 + PRIMITIVES;
    struct offers *offers = calloc(lists, sizeof *offers);
    bool good = offers;
    for (size_t i = 0; good && i < dump->objects.count; i++) {
        struct hprof_item item;
        heap_dump_object_at(dump, i, &item);
        struct offers *own = item.tag == HPROF_PRIMITIVE_ARRAY
                                 ? &offers[dump->class_count + 1 + (unsigned char)item.type]
                                 : &offers[heap_dump_class(dump, item.class_id)];
        if (item.tag == HPROF_CLASS)
            continue;
        if (!own->known)
            good = dump_choices_find_offers(choices, &item, own);
        for (uint32_t offer = 0; offer < own->count; offer++) {
            struct dump_choice *choice = &choices->all[own->choices[offer]];
            if (item.type)
                dump_choice_offer_array(choice, item.id, item.count);
            else
                dump_choice_offer_instance(choice, item.id);
        }
        if (progress->report && i % REPORT_OBJECTS == 0)
            progress->report(progress->user, "choosing arguments", i, dump->objects.count);
    }
    for (size_t i = 0; offers && i < lists; i++)
        free(offers[i].choices);
    free(offers);
    return good ? 0 : ENOMEM;
}

int dump_choices_find(struct dump_choices *choices, const struct dump_types *types, const struct dump_targets *targets,
                      const struct hprof_progress *progress)
{
    *choices = (struct dump_choices){.types = types};
    bool good = true;
    for (size_t i = 0; good && i < targets->count; i++) {
        const struct dump_target *target = &targets->all[i];
        uint64_t loader = types->dump->classes[target->class].item.loader;
        struct parameters parameters = {.target = target};
        while (good && dump_arguments_next_parameter(&parameters)) {
            if (parameters.type != 'L' || dump_choices_find_type(choices, &parameters.name, loader))
                continue;
            struct dump_choice *grown = grow(choices->all, &choices->capacity, choices->count, sizeof *grown);
            good = grown;
            if (!good)
                break;
            choices->all = grown;
            grown[choices->count++] = (struct dump_choice){.name = parameters.name, .loader = loader, .step = 1};
        }
    }
    int error = !good ? ENOMEM : choices->count ? dump_choices_offer_all(choices, progress) : 0;
    if (error)
        dump_choices_free(choices);
    return error;
}

void dump_choices_free(struct dump_choices *choices)
{
    free(choices->all);
    *choices = (struct dump_choices){.count = 0};
}

/* ------------------------------------------------------------------------------------------ arguments -- */

/* The objects of a frame, in the order of its variables, so a later parameter has a later one. */
struct roots {
    const struct heap_dump *dump;
    const struct dump_frame *frame;
    size_t next; /* of dump->locals */
};

/* The first object of the frame that has the type, or else the first that may have it; 0: none. */
static uint64_t dump_arguments_find_root(struct roots *roots, const struct dump_types *types,
                                         const struct constants_text *name, uint64_t loader)
{
    const struct heap_dump_root *found = NULL;
    enum heap_truth truth = HEAP_UNKNOWN;
    for (size_t i = roots->next; roots->frame && truth != HEAP_TRUE && i < roots->dump->local_count; i++) {
        const struct heap_dump_root *root = &roots->dump->locals[i];
        struct hprof_item item;
        if (root->thread != roots->frame->thread || root->frame != roots->frame->depth ||
            !heap_dump_object(roots->dump, root->id, &item))
            continue;
        truth = dump_types_is(types, &item, name, loader);
        if (truth == HEAP_TRUE || (truth == HEAP_UNKNOWN && !found))
            found = root;
    }
    if (!found)
        return 0;
    roots->next = (size_t)(found - roots->dump->locals) + 1;
    return found->id;
}

uint32_t dump_arguments_fill(const struct dump_choices *choices, struct dump_heap *heap,
                             const struct dump_target *target, const struct dump_frame *frame, uint32_t which,
                             struct value *locals, uint64_t counts[SOURCE_KINDS])
{
    struct parameters parameters = {.target = target};
    struct roots roots = {.dump = heap->types.dump, .frame = frame};
    uint32_t slot = 0, count = target->method->local_count, most = 1;
    for (uint32_t i = 0; i < count; i++)
        locals[i] = value_unknown(VALUE_NONE);
    memset(counts, 0, SOURCE_KINDS * sizeof *counts);
    while (dump_arguments_next_parameter(&parameters) && slot < count) {
        enum value_kind kind = value_kind_of(parameters.type);
        enum dump_source source = kind == VALUE_REFERENCE ? SOURCE_MISSING : SOURCE_NUMBER;
        uint64_t id = 0;
        if (kind == VALUE_REFERENCE) {
            const struct dump_choice *choice = dump_choices_find_type(choices, &parameters.name, heap->loader);
            id = dump_arguments_find_root(&roots, &heap->types, &parameters.name, heap->loader);
            if (id) {
                source = SOURCE_STACK;
            } else if (choice && choice->count > 0) {
                source = SOURCE_CHOSEN;
                id = choice->ids[which < choice->count ? which : choice->count - 1];
                most = choice->count > most ? choice->count : most;
            }
        }
        uint32_t number = id ? dump_heap_number(heap, id) : 0;
        locals[slot] = number ? value_of(VALUE_REFERENCE, number) : value_unknown(kind);
        slot += 1 + value_is_wide(kind);
        counts[source]++;
    }
    return most;
}

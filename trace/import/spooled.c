#include "trace/import/spooled.h"

static bool spooled_write(FILE **file, const void *bytes, size_t size)
{
    if (!*file)
        *file = tmpfile();
    return *file && (size == 0 || fwrite(bytes, size, 1, *file) == 1);
}

bool spooled_add_stack(struct spooled *spooled, const struct stack *stack)
{
    uint64_t depth = stack->depth;
    spooled->stack_count++;
    return spooled_write(&spooled->stacks, &depth, sizeof depth) &&
           spooled_write(&spooled->stacks, stack->frames, stack->depth * sizeof *stack->frames);
}

bool spooled_add_number(struct spooled *spooled, struct spooled_number number)
{
    spooled->number_count++;
    spooled->negative |= number.real < 0;
    return spooled_write(&spooled->numbers, &number, sizeof number);
}

bool spooled_rewind(struct spooled *spooled)
{
    return (!spooled->stacks || fseek(spooled->stacks, 0, SEEK_SET) == 0) &&
           (!spooled->numbers || fseek(spooled->numbers, 0, SEEK_SET) == 0);
}

bool spooled_next_stack(struct spooled *spooled, struct stack *stack)
{
    uint64_t depth;
    if (!spooled->stacks || fread(&depth, sizeof depth, 1, spooled->stacks) != 1)
        return false;
    stack->depth = 0;
    for (; depth > 0; depth--) {
        uint32_t frame;
        if (fread(&frame, sizeof frame, 1, spooled->stacks) != 1 || !stack_push(stack, frame))
            return false;
    }
    return true;
}

bool spooled_next_number(struct spooled *spooled, struct spooled_number *number)
{
    return spooled->numbers && fread(number, sizeof *number, 1, spooled->numbers) == 1;
}

void spooled_free_stacks(struct spooled *spooled)
{
    if (spooled->stacks)
        fclose(spooled->stacks);
    spooled->stacks = NULL;
    spooled->stack_count = 0;
}

void spooled_free_numbers(struct spooled *spooled)
{
    if (spooled->numbers)
        fclose(spooled->numbers);
    spooled->numbers = NULL;
    spooled->number_count = 0;
    spooled->negative = false;
}

void spooled_free(struct spooled *spooled)
{
    spooled_free_stacks(spooled);
    spooled_free_numbers(spooled);
}

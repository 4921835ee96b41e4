#include "analyze/waste/state/instruction.h"

#include <string.h>

#include <Zydis/Zydis.h>

struct decoded {
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

static bool instruction_decode(uint64_t low, uint64_t high, struct decoded *decoded)
{
    const uint64_t words[] = {low, high};
    ZydisDecoder decoder;
    return (low != 0 || high != 0) &&
           ZYAN_SUCCESS(ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) &&
           ZYAN_SUCCESS(
               ZydisDecoderDecodeFull(&decoder, words, sizeof words, &decoded->instruction, decoded->operands));
}

bool instruction_text(uint64_t low, uint64_t high, char text[INSTRUCTION_MAX])
{
    char found[INSTRUCTION_MAX];
    ZydisFormatter formatter;
    struct decoded decoded;
    if (!instruction_decode(low, high, &decoded) ||
        !ZYAN_SUCCESS(ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_ATT)) ||
        !ZYAN_SUCCESS(ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, ZYAN_FALSE)) ||
        !ZYAN_SUCCESS(ZydisFormatterFormatInstruction(&formatter, &decoded.instruction, decoded.operands,
                                                      decoded.instruction.operand_count_visible, found, sizeof found,
                                                      ZYDIS_RUNTIME_ADDRESS_NONE, NULL)))
        return false;
    memcpy(text, found, sizeof found);
    return true;
}

bool instruction_uses_stack(uint64_t low, uint64_t high)
{
    struct decoded decoded;
    if (!instruction_decode(low, high, &decoded))
        return false;
    for (size_t i = 0; i < decoded.instruction.operand_count; i++) {
        const ZydisDecodedOperand *operand = &decoded.operands[i];
        if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY && operand->mem.type == ZYDIS_MEMOP_TYPE_MEM &&
            operand->mem.base == ZYDIS_REGISTER_RSP)
            return true;
    }
    return false;
}

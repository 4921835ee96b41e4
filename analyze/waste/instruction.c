#include "analyze/waste/instruction.h"

#include <string.h>

#include <Zydis/Zydis.h>

bool instruction_text(uint64_t low, uint64_t high, char text[INSTRUCTION_MAX])
{
    const uint64_t words[] = {low, high};
    char found[INSTRUCTION_MAX];
    ZydisDecoder decoder;
    ZydisFormatter formatter;
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    if ((low == 0 && high == 0) ||
        !ZYAN_SUCCESS(ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) ||
        !ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, words, sizeof words, &instruction, operands)) ||
        !ZYAN_SUCCESS(ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_ATT)) ||
        !ZYAN_SUCCESS(ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, ZYAN_FALSE)) ||
        !ZYAN_SUCCESS(ZydisFormatterFormatInstruction(&formatter, &instruction, operands,
                                                      instruction.operand_count_visible, found, sizeof found,
                                                      ZYDIS_RUNTIME_ADDRESS_NONE, NULL)))
        return false;
    memcpy(text, found, sizeof found);
    return true;
}

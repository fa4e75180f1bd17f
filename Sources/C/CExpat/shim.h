// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <expat.h>

#include "../CLoading/table.h"

// All functions of expat in use.
#define CEXPAT_FUNCTIONS(each, xml)                                                                                           \
    each(xml, ParserCreate) each(xml, ParserFree) each(xml, SetUserData) each(xml, SetElementHandler)                       \
        each(xml, SetCharacterDataHandler) each(xml, SetEntityDeclHandler) each(xml, SetUnknownEncodingHandler)             \
            each(xml, Parse) each(xml, StopParser) each(xml, ErrorString) each(xml, GetErrorCode)                           \
                each(xml, GetCurrentLineNumber) each(xml, GetCurrentByteIndex)

LOADED_LIBRARY(cexpat, "libexpat.so.1", XML_, CEXPAT_FUNCTIONS)

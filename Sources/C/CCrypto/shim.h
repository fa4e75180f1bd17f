// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../CLoading/table.h"

// The functions of OpenSSL's libcrypto that decrypt the AES-128 segments of a stream and seal addresses; loaded at the first key.
// Declared here, as in OpenSSL 1.1 and later, so that building does not need its headers.
void *EVP_CIPHER_CTX_new(void);
void EVP_CIPHER_CTX_free(void *context);
const void *EVP_aes_128_cbc(void);
int EVP_DecryptInit_ex(void *context, const void *cipher, void *engine, const unsigned char *key, const unsigned char *vector);
int EVP_DecryptUpdate(void *context, unsigned char *output, int *length, const unsigned char *input, int count);
int EVP_DecryptFinal_ex(void *context, unsigned char *output, int *length);
const void *EVP_aes_128_gcm(void);
int EVP_EncryptInit_ex(void *context, const void *cipher, void *engine, const unsigned char *key, const unsigned char *vector);
int EVP_EncryptUpdate(void *context, unsigned char *output, int *length, const unsigned char *input, int count);
int EVP_EncryptFinal_ex(void *context, unsigned char *output, int *length);
int EVP_CIPHER_CTX_ctrl(void *context, int type, int count, void *value);
enum { CCRYPTO_GET_TAG = 0x10, CCRYPTO_SET_TAG = 0x11 };

#define CCRYPTO_FUNCTIONS(each, EVP)                                                                                          \
    each(EVP, CIPHER_CTX_new) each(EVP, CIPHER_CTX_free) each(EVP, aes_128_cbc) each(EVP, DecryptInit_ex)                   \
        each(EVP, DecryptUpdate) each(EVP, DecryptFinal_ex) each(EVP, aes_128_gcm) each(EVP, EncryptInit_ex)                 \
        each(EVP, EncryptUpdate) each(EVP, EncryptFinal_ex) each(EVP, CIPHER_CTX_ctrl)

LOADED_LIBRARY(ccrypto, "libcrypto.so.3", EVP_, CCRYPTO_FUNCTIONS)

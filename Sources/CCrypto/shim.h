// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>
#include <stddef.h>

// The few functions of OpenSSL's libcrypto that take AES-128 off a stream's pieces, found at the first key. Declared here, as
// they have been since OpenSSL 1.1, so that building takes none of its headers.
struct ccrypto {
    void *(*EVP_CIPHER_CTX_new)(void);
    void (*EVP_CIPHER_CTX_free)(void *context);
    const void *(*EVP_aes_128_cbc)(void);
    int (*EVP_DecryptInit_ex)(void *context, const void *cipher, void *engine, const unsigned char *key,
                              const unsigned char *vector);
    int (*EVP_DecryptUpdate)(void *context, unsigned char *output, int *length, const unsigned char *input, int count);
    int (*EVP_DecryptFinal_ex)(void *context, unsigned char *output, int *length);
};

// NULL when all were found, else the dynamic linker's text, which belongs to it. Never unloaded.
static inline const char *ccrypto_load(struct ccrypto *crypto) {
    void *library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return dlerror();
#define CCRYPTO_FIND(name)                                                                                                    \
    crypto->name = (__typeof__(crypto->name))dlsym(library, #name);                                                           \
    if (crypto->name == NULL) return dlerror();
    CCRYPTO_FIND(EVP_CIPHER_CTX_new)
    CCRYPTO_FIND(EVP_CIPHER_CTX_free)
    CCRYPTO_FIND(EVP_aes_128_cbc)
    CCRYPTO_FIND(EVP_DecryptInit_ex)
    CCRYPTO_FIND(EVP_DecryptUpdate)
    CCRYPTO_FIND(EVP_DecryptFinal_ex)
#undef CCRYPTO_FIND
    return NULL;
}

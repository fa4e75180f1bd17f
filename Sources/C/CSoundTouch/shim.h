// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../CLoading/table.h"

// All functions of SoundTouch's C interface in use. Declared here, as in SoundTouch 2.0 and later, so that building does not
// need its headers.
void *soundtouch_createInstance(void);
void soundtouch_destroyInstance(void *stretcher);
// Factors.
void soundtouch_setTempo(void *stretcher, float tempo);
void soundtouch_setPitch(void *stretcher, float pitch);
int soundtouch_setChannels(void *stretcher, unsigned int channels);
int soundtouch_setSampleRate(void *stretcher, unsigned int rate);
// Interleaved samples, counted in frames.
int soundtouch_putSamples(void *stretcher, const float *samples, unsigned int frames);
unsigned int soundtouch_receiveSamples(void *stretcher, float *samples, unsigned int frames);
unsigned int soundtouch_numSamples(void *stretcher);
void soundtouch_clear(void *stretcher);

#define CSOUNDTOUCH_FUNCTIONS(each, soundtouch)                                                                               \
    each(soundtouch, createInstance) each(soundtouch, destroyInstance) each(soundtouch, setTempo)                           \
        each(soundtouch, setPitch) each(soundtouch, setChannels) each(soundtouch, setSampleRate)                            \
            each(soundtouch, putSamples) each(soundtouch, receiveSamples) each(soundtouch, numSamples)                      \
                each(soundtouch, clear)

LOADED_LIBRARY(csoundtouch, "libSoundTouchDll.so.1", soundtouch_, CSOUNDTOUCH_FUNCTIONS)

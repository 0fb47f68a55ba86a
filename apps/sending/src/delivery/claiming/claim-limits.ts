// About 100 ms of work; a later message of another project waits no longer than that.
export const bufferSize = 128;
export const extraBufferPlaces = 16;
export const claimRestMs = 15;
export const extraClaimRestMs = 5;
/** Scheduled messages become due without a wake-up, and at rest a wake-up may be lost. */
export const pollMs = { busy: 1_000, idle: 4_000 };
export const composeSlice = 16;
export const postponeMs = 1_000;
/** Of the messages whose last claim ended with its process once: a poisonous one among them costs the others one more claim. */
export const suspectsAtOnce = 16;

// About 100 ms of work without a rate limit; one below 128 messages a second makes the buffer smaller (`bufferLimit`).
export const bufferSize = 128;
/** For projects of which nothing is in the buffer. */
export const placesForUnbufferedProjects = 16;
/** The minimum time between the starts of two claims; while sends wait to be accepted, delivery gives way to them. */
export const claimIntervalMs = { usual: 15, givingWay: 150 };
export const unbufferedClaimIntervalMs = 5;
/** Most wake-ups are for transactional mail: bulk mail is not looked for again at once where there was none. */
export const noBulkMs = 100;
/** Scheduled messages become due without a wake-up, and while nothing is queued a wake-up may be lost. */
export const pollMs = { busy: 1_000, idle: 4_000 };
export const composeSlice = 16;
export const postponeMs = 1_000;
/** Of the messages whose last claim ended with its process once: a poisonous one among them costs the others one more claim. */
export const suspectsAtOnce = 16;

/** How long events are kept at most, which a republication goes back to: `RETENTION_OUTBOX_DAYS` may be longer. */
export const streamDays = 7;

export interface StreamSettings {
  replicas: number;
  retentionHours: number;
}

export const usualStreams: StreamSettings = { replicas: 1, retentionHours: streamDays * 24 };

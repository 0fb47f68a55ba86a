/** SUSPECT items lost their worker and run alone. DEAD items failed all attempts. */
export const workStates = ['WAITING', 'READY', 'CLAIMED', 'SUSPECT', 'PAUSED', 'DEAD'] as const;
export type WorkState = (typeof workStates)[number];

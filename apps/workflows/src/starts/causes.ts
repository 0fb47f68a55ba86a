/** An execution has causes: those whose effects led to the event that started it. */
export const maxCauses = 10;
export const loopReason = `Workflows started one another: more than ${maxCauses} executions led to this one`;

/** Mail to it never leaves the machine; a provider's reports are simulated (docs/api-decisions.md §3). */
export const simulatorDomain = 'simulator.posthorn.test';

/** Mail to its addresses never leaves the machine; what a provider would report about it is simulated (docs/api-decisions.md §3). */
export const simulatorDomain = 'simulator.posthorn.test';

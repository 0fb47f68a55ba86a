import { simulatorDomain } from '@posthorn/contracts';

export const simulations = ['success', 'bounce', 'softbounce', 'complaint', 'delay', 'reject'] as const;
export type Simulation = (typeof simulations)[number];

export interface SimulatedAddress {
  simulation: Simulation;
  /** An address with a tag (`bounce+any@…`) is suppressed as a real one would be; plain ones can be used again and again. */
  tagged: boolean;
}

const pattern = new RegExp(
  `^(${simulations.join('|')})(\\+[^@]*)?@${simulatorDomain.replaceAll('.', '\\.')}$`,
);

/** Null for an address of anybody else, and for one of the domain that nothing is simulated for. */
export function simulatedAddress(email: string): SimulatedAddress | null {
  const match = pattern.exec(email);
  return match && { simulation: match[1] as Simulation, tagged: match[2] !== undefined };
}

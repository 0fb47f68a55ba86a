import { configShapes, failuresOfKnownMembers, type InvalidMember } from '@posthorn/contracts';
import { configFaults, missingConfig } from '../graphs/config-rules.js';

const members: ReadonlySet<string> = new Set(['field', 'operator', 'value']);

export function exitFaults(condition: Record<string, unknown> | null): InvalidMember[] {
  if (condition === null) return [];
  const unknown = Object.keys(condition)
    .filter((name) => !members.has(name))
    .map((name): InvalidMember => ({ path: [name], code: 'unknown_field', message: 'is not a known field' }));
  const failures = failuresOfKnownMembers(configShapes.CONDITION, condition);
  const faults = failures.length > 0 ? failures : configFaults('CONDITION', condition);
  const found = [...unknown, ...(faults.length > 0 ? faults : missingConfig('CONDITION', condition))];
  return found.map((fault) => ({ ...fault, path: ['exitWhen', ...fault.path] }));
}

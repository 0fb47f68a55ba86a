import type { GivenGraph, GivenStep, GraphFinding, InvalidMember } from '@posthorn/contracts';
import { branchOf } from './branch.js';
import { missingConfig } from './config-rules.js';
import { graphFaults } from './graph-rules.js';

/** Everything at once: what PUT refuses, what enabling refuses, and what is probably not meant. */
export function graphFindings(graph: GivenGraph): GraphFinding[] {
  const faults = graphFaults(graph);
  const errors = [...faults, ...unconfigured(graph)].map((fault) => findingOf(fault, 'ERROR'));
  // Without sound ends there are no ways to follow.
  const warnings =
    faults.length > 0 ? [] : [...unreachable(graph), ...missingBranches(graph), ...unknownBranches(graph)];
  return [...errors, ...warnings.map((fault) => findingOf(fault, 'WARNING'))];
}

/** What an execution needs and steps do not have yet. */
export const unconfigured = ({ steps }: Pick<GivenGraph, 'steps'>): InvalidMember[] =>
  steps.flatMap(({ type, config }, index) =>
    missingConfig(type, config).map((fault) => ({
      ...fault,
      path: ['steps', String(index), 'config', ...fault.path],
    })),
  );

export function findingOf(
  { path, code, message }: InvalidMember,
  severity: GraphFinding['severity'],
): GraphFinding {
  const pointer = `/${path.map((token) => token.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`;
  return { pointer, code, message, severity };
}

function unreachable({ steps, transitions }: GivenGraph): InvalidMember[] {
  const reached = new Set(steps.filter(({ type }) => type === 'TRIGGER').map(({ id }) => id));
  for (const id of reached)
    for (const { fromStepId, toStepId } of transitions) if (fromStepId === id) reached.add(toStepId);
  return steps.flatMap(({ id }, index) =>
    reached.has(id) ? [] : [warning(['steps', String(index)], 'cannot be reached from the TRIGGER step')],
  );
}

/** The branches that a step can take; null where it takes the first transition that always applies. */
export function branchesOf({ type, config }: Pick<GivenStep, 'type' | 'config'>): string[] | null {
  if (type === 'WAIT_FOR_EVENT') return ['event', 'timeout'];
  if (type !== 'CONDITION') return null;
  if (config['mode'] !== 'multi') return ['yes', 'no'];
  return [...((config['branches'] ?? []) as { id: string }[]).map(({ id }) => id), 'default'];
}

function missingBranches({ steps, transitions }: GivenGraph): InvalidMember[] {
  return steps.flatMap((step, index) => {
    const taken = transitions
      .filter(({ fromStepId }) => fromStepId === step.id)
      .map(({ condition }) => branchOf(condition));
    if (taken.includes(null)) return [];
    return (branchesOf(step) ?? [])
      .filter((branch) => !taken.includes(branch))
      .map((branch) =>
        warning(
          ['steps', String(index)],
          `has no transition for the branch ${branch}: the execution ends there`,
        ),
      );
  });
}

function unknownBranches({ steps, transitions }: GivenGraph): InvalidMember[] {
  const byId = new Map(steps.map((step) => [step.id, step]));
  return transitions.flatMap(({ fromStepId, condition }, index) => {
    const branch = branchOf(condition);
    const known = branchesOf(byId.get(fromStepId)!);
    return branch === null || known?.includes(branch)
      ? []
      : [
          warning(
            ['transitions', String(index), 'condition'],
            `names the branch ${branch}, which its step never takes`,
          ),
        ];
  });
}

const warning = (path: string[], message: string): InvalidMember => ({ path, code: 'not_allowed', message });

import {
  canHappen,
  maxFindings,
  type GivenGraph,
  type GivenStep,
  type GraphFinding,
  type InvalidMember,
} from '@posthorn/contracts';
import { branchOf } from '../engine/step-machine.js';
import { missingConfig } from './config-rules.js';
import { loopFaults, structureFaults } from './graph-rules.js';

type Graph = Pick<GivenGraph, 'steps' | 'transitions'>;
interface Doubt {
  path: string[];
  code: string;
  message: string;
}

/** Everything at once: what PUT refuses, what enabling refuses, and what is probably not meant. */
export function graphFindings(graph: Graph, missingTemplates: readonly InvalidMember[]): GraphFinding[] {
  const faults = structureFaults(graph);
  const errors: Doubt[] = [
    ...faults,
    ...named('loop_without_wait', loopFaults(graph)),
    ...named('unconfigured', unconfigured(graph)),
    ...named('missing_template', missingTemplates),
  ];
  // Without sound ends there are no ways to follow.
  const warnings = faults.length > 0 ? [] : warningsOf(graph);
  return [
    ...errors.map((fault) => findingOf(fault, 'ERROR')),
    ...warnings.map((fault) => findingOf(fault, 'WARNING')),
  ].slice(0, maxFindings);
}

/** What an execution needs and steps do not have yet. */
export const unconfigured = ({ steps }: Pick<GivenGraph, 'steps'>): InvalidMember[] =>
  steps.flatMap(({ type, config }, index) =>
    missingConfig(type, config).map((fault) => ({
      ...fault,
      path: ['steps', String(index), 'config', ...fault.path],
    })),
  );

const named = (code: string, faults: readonly InvalidMember[]): Doubt[] =>
  faults.map((fault) => ({ ...fault, code }));

function findingOf({ path, code, message }: Doubt, severity: GraphFinding['severity']): GraphFinding {
  const pointer = `/${path.map((token) => token.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`;
  return { pointer, code, message, severity };
}

const warningsOf = (graph: Graph): Doubt[] => [
  ...unreachable(graph),
  ...missingBranches(graph),
  ...unknownBranches(graph),
  ...impossibleEvents(graph),
];

function unreachable({ steps, transitions }: Graph): Doubt[] {
  const reached = new Set(steps.filter(({ type }) => type === 'TRIGGER').map(({ id }) => id));
  for (const id of reached)
    for (const { fromStepId, toStepId } of transitions) if (fromStepId === id) reached.add(toStepId);
  return steps.flatMap(({ id }, index) =>
    reached.has(id)
      ? []
      : [
          {
            path: ['steps', String(index)],
            code: 'unreachable_step',
            message: 'cannot be reached from the TRIGGER step',
          },
        ],
  );
}

/** The branches that a step can take; null where it takes the first transition that always applies. */
function branchesOf({ type, config }: Pick<GivenStep, 'type' | 'config'>): string[] | null {
  if (type === 'WAIT_FOR_EVENT') return ['event', 'timeout'];
  if (type !== 'CONDITION') return null;
  if (config['mode'] !== 'multi') return ['yes', 'no'];
  return [...((config['branches'] ?? []) as { id: string }[]).map(({ id }) => id), 'default'];
}

function missingBranches({ steps, transitions }: Graph): Doubt[] {
  return steps.flatMap((step, index) => {
    const taken = transitions
      .filter(({ fromStepId }) => fromStepId === step.id)
      .map(({ condition }) => branchOf(condition));
    if (taken.includes(null)) return [];
    return (branchesOf(step) ?? [])
      .filter((branch) => !taken.includes(branch))
      .map((branch) => ({
        path: ['steps', String(index)],
        code: 'missing_branch',
        message: `has no transition for the branch ${branch}: the execution ends there`,
      }));
  });
}

function unknownBranches({ steps, transitions }: Graph): Doubt[] {
  const byId = new Map(steps.map((step) => [step.id, step]));
  return transitions.flatMap(({ fromStepId, condition }, index) => {
    const branch = branchOf(condition);
    const known = branchesOf(byId.get(fromStepId)!);
    return branch === null || known?.includes(branch)
      ? []
      : [
          {
            path: ['transitions', String(index), 'condition'],
            code: 'unknown_branch',
            message: `names the branch ${branch}, which its step never takes`,
          },
        ];
  });
}

function impossibleEvents({ steps }: Graph): Doubt[] {
  return steps.flatMap(({ type, config: { eventName } }, index) =>
    type !== 'WAIT_FOR_EVENT' || typeof eventName !== 'string' || canHappen(eventName)
      ? []
      : [
          {
            path: ['steps', String(index), 'config', 'eventName'],
            code: 'impossible_event',
            message: 'is a reserved name that no event has: the step always times out',
          },
        ],
  );
}

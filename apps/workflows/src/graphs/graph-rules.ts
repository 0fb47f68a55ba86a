import {
  configShapes,
  failuresOfKnownMembers,
  type GivenGraph,
  type GivenStep,
  type GivenTransition,
  type InvalidMember,
  type StepType,
} from '@posthorn/contracts';
import { isBranchText } from '../engine/step-machine.js';
import { configFaults } from './config-rules.js';

type Graph = Pick<GivenGraph, 'steps' | 'transitions'>;

/** What PUT refuses, each with its pointer (docs/api-decisions.md §7). */
export const graphFaults = (graph: Graph): InvalidMember[] => [
  ...structureFaults(graph),
  ...loopFaults(graph),
];

export function structureFaults({ steps, transitions }: Graph): InvalidMember[] {
  return [
    ...triggerFaults(steps),
    ...repeatedIds('steps', steps),
    ...repeatedIds('transitions', transitions),
    ...endFaults({ steps, transitions }),
    ...conditionFaults(transitions),
    ...steps.flatMap(positionFaults),
    ...steps.flatMap((step, index) => stepFaults(step, ['steps', String(index), 'config'])),
  ];
}

export function loopFaults(graph: Graph): InvalidMember[] {
  return loopsOf(graph).map((index) => ({
    path: ['transitions', String(index)],
    code: 'not_allowed',
    message: 'closes a loop without a DELAY or WAIT_FOR_EVENT step in it',
  }));
}

function triggerFaults(steps: readonly GivenStep[]): InvalidMember[] {
  const triggers = steps.flatMap(({ type }, index) => (type === 'TRIGGER' ? [index] : []));
  if (triggers.length === 0)
    return [{ path: ['steps'], code: 'required', message: 'must contain a step of type TRIGGER' }];
  return triggers.slice(1).map((index) => ({
    path: ['steps', String(index), 'type'],
    code: 'not_allowed',
    message: 'must not be TRIGGER: there is one already',
  }));
}

function positionFaults({ position }: GivenStep, index: number): InvalidMember[] {
  return ['x', 'y'].flatMap((name) =>
    position[name] === undefined || Number.isFinite(position[name])
      ? []
      : [
          {
            path: ['steps', String(index), 'position', name],
            code: 'invalid_type' as const,
            message: 'must be a number',
          },
        ],
  );
}

function repeatedIds(list: 'steps' | 'transitions', parts: readonly { id: string }[]): InvalidMember[] {
  const seen = new Set<string>();
  return parts.flatMap(({ id }, index) => {
    const isRepeated = seen.has(id);
    seen.add(id);
    return isRepeated
      ? [
          {
            path: [list, String(index), 'id'],
            code: 'not_allowed' as const,
            message: 'must be unique in the graph',
          },
        ]
      : [];
  });
}

function endFaults({ steps, transitions }: Graph): InvalidMember[] {
  const types = new Map(steps.map(({ id, type }) => [id, type]));
  return transitions.flatMap(({ fromStepId, toStepId }, index): InvalidMember[] => {
    const fault = (member: string, code: InvalidMember['code'], message: string): InvalidMember => ({
      path: ['transitions', String(index), member],
      code,
      message,
    });
    if (fromStepId === toStepId)
      return [fault('toStepId', 'not_allowed', 'must not be the step where it begins')];
    return [
      ...(types.has(fromStepId) ? [] : [fault('fromStepId', 'not_found', 'must be a step of the graph')]),
      ...(types.has(toStepId) ? [] : [fault('toStepId', 'not_found', 'must be a step of the graph')]),
      ...(types.get(toStepId) === 'TRIGGER'
        ? [fault('toStepId', 'not_allowed', 'must not be the TRIGGER step')]
        : []),
      ...(types.get(fromStepId) === 'EXIT'
        ? [fault('fromStepId', 'not_allowed', 'must not be an EXIT step')]
        : []),
    ];
  });
}

function conditionFaults(transitions: readonly GivenTransition[]): InvalidMember[] {
  return transitions.flatMap(({ condition }, index) =>
    condition === null || isBranchText(condition)
      ? []
      : [
          {
            path: ['transitions', String(index), 'condition'],
            code: 'invalid_format' as const,
            message: 'must be null or {"branch": "…"}',
          },
        ],
  );
}

function stepFaults({ type, config }: GivenStep, path: readonly string[]): InvalidMember[] {
  const failures = failuresOfKnownMembers(configShapes[type], config);
  return [...failures, ...(failures.length === 0 ? configFaults(type, config) : [])].map((fault) => ({
    ...fault,
    path: [...path, ...fault.path],
  }));
}

const waits: ReadonlySet<StepType> = new Set(['DELAY', 'WAIT_FOR_EVENT']);

/** Indexes of transitions that close a loop in which no step waits: an execution would turn in it without end. */
function loopsOf({ steps, transitions }: Pick<GivenGraph, 'steps' | 'transitions'>): number[] {
  const waiting = new Set(steps.filter(({ type }) => waits.has(type)).map(({ id }) => id));
  const following = new Map<string, { to: string; index: number }[]>();
  for (const [index, { fromStepId, toStepId }] of transitions.entries()) {
    // A loop through a step that waits is one in which time passes.
    if (waiting.has(fromStepId) || waiting.has(toStepId) || fromStepId === toStepId) continue;
    const edges = following.get(fromStepId) ?? [];
    edges.push({ to: toStepId, index });
    following.set(fromStepId, edges);
  }
  const closing: number[] = [];
  const states = new Map<string, 'open' | 'done'>();
  for (const { id } of steps) visit(id);
  return closing.toSorted((a, b) => a - b);

  /** At most 200 steps deep. */
  function visit(id: string): void {
    if (states.has(id)) return;
    states.set(id, 'open');
    for (const { to, index } of following.get(id) ?? []) {
      if (states.get(to) === 'open') closing.push(index);
      else visit(to);
    }
    states.set(id, 'done');
  }
}

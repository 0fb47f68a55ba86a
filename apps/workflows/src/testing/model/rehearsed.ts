import type { SimulateWorkflow, Simulation } from '@posthorn/contracts';
import { idOfStep, type Installed } from './installed.js';
import { calledOf } from './observed.js';
import { withUpdate, type Called, type Ending, type Updated, type Visited } from './ending.js';
import type { ModelPerson, Scenario } from './scenario.js';

/** What a rehearsal and an execution have in common. */
export interface Comparable extends Pick<Ending, 'status' | 'reason' | 'mails'> {
  path: Pick<Visited, 'step' | 'visit' | 'branch'>[];
  calls: Called[];
  updates: Updated[];
}

export const comparable = ({ status, reason, mails, path, calls, updates }: Ending): Comparable => ({
  status,
  reason,
  mails,
  calls,
  updates,
  path: path.map(({ step, visit, branch }) => ({ step, visit, branch })),
});

export const comparableSimulation = ({
  outcome,
  reason,
  emails,
  path,
  webhooks,
  updates,
}: Simulation): Comparable => ({
  status: outcome as Ending['status'],
  reason,
  mails: emails.map(({ to, subject }) => ({ to, subject })),
  path: path.map(({ stepName: step, visit, branch }) => ({ step, visit, branch })),
  calls: webhooks.map((call) => calledOf(call)),
  updates: updates.reduce<Updated[]>(
    (known, { updates: fields, subscribed }) => withUpdate(known, { updates: fields, subscribed }),
    [],
  ),
});

/** Tells a rehearsal what the execution met. */
export function requestOf({ workflowId, scenario }: Installed, person: ModelPerson): SimulateWorkflow {
  const { email, subscribed, fields, event, context } = person;
  return {
    id: workflowId,
    context,
    answers: answersOf(scenario, person),
    contact: { email, subscribed, customFields: fields },
    ...(event ? { event: event.data } : {}),
  };
}

function answersOf(scenario: Scenario, { arrivals, hooks }: ModelPerson): Record<string, unknown> {
  const waits = Object.entries(arrivals).map(([name, [list]]) => {
    const awaited = scenario.steps.find((step) => step.name === name)!.config['eventName'];
    const first = list!.find((arrival) => arrival.name === awaited && arrival.instant !== 'before');
    return [name, first ? { event: first.data, after_minutes: 0 } : { timeout: true }] as const;
  });
  const responses = Object.entries(hooks).map(([name, [answer]]) => [name, answer!] as const);
  return Object.fromEntries(
    [...waits, ...responses].map(([name, answer]) => [idOfStep(scenario, name), answer]),
  );
}

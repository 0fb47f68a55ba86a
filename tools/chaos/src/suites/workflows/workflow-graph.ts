import { newId } from '@posthorn/database';
import { Random } from '../../random.js';

/**
 * What a contact does while its execution waits: it answers after its first mail, or never, or it has answered before the execution began, which
 * does not count.
 */
const kinds = [
  { name: 'answering', share: 45 },
  { name: 'silent', share: 40 },
  { name: 'hasty', share: 15 },
] as const;

export interface Participant {
  email: string;
  kind: (typeof kinds)[number]['name'];
  /** It passes the second half of the graph twice. */
  loops: boolean;
}

const loopingShare = 0.2;

/** In an order drawn by the seed. */
export function participantsOf(count: number, seed: number): Participant[] {
  const random = new Random(seed);
  const total = kinds.reduce((sum, { share }) => sum + share, 0);
  const [first, ...others] = kinds;
  const special = others.flatMap(({ name, share }) =>
    Array.from({ length: Math.round((count * share) / total) }, () => name),
  );
  const rest = Array.from({ length: count - special.length }, () => first.name);
  return random.shuffled([...special, ...rest]).map((kind, number) => ({
    kind,
    email: `ok+${kind}-${number}@sink.test`,
    loops: random.chance(loopingShare),
  }));
}

/** Of its contact; conditions of the graph read them, and its steps change them. */
export const fieldsOf = ({ kind, loops }: Participant): Record<string, boolean> => ({
  answers: kind === 'answering',
  again: loops,
});

/** What the fields are when everything is done. */
export const endFieldsOf = ({ kind }: Participant): Record<string, boolean> => ({
  answers: kind === 'answering',
  again: false,
  reached: true,
});

export const startEvent = 'joined';
export const answerEvent = 'answered';
export const doneReason = 'done';
export const pauseSeconds = 3;
export const briefSeconds = 15;
/** Longer than the run: only the event ends it. */
const longSeconds = 3_600;

interface Step {
  type: string;
  config?: object;
  /** Names of the next steps: one for all, or by branch. */
  next?: string | Record<string, string>;
}

const answer = (timeout: number): Step => ({
  type: 'WAIT_FOR_EVENT',
  config: { eventName: answerEvent, timeout },
  next: { event: 'hook', timeout: 'hook' },
});
const isTrue = (field: string) => ({ field: `data.${field}`, operator: 'equals', value: true });
const mail = (subject: string, next: string): Step => ({
  type: 'SEND_EMAIL',
  config: { subject, body: '<p>To {{ contact.email }}</p>' },
  next,
});

/** Subjects of mails, by the step that sends them. */
export const subjects: Readonly<Record<string, string>> = { first: 'First', last: 'Last' };

const stepsFor = (hookUrl: string): Record<string, Step> => ({
  trigger: { type: 'TRIGGER', next: 'first' },
  first: mail(subjects['first']!, 'fork'),
  fork: { type: 'CONDITION', config: isTrue('answers'), next: { yes: 'long', no: 'brief' } },
  long: answer(longSeconds),
  brief: answer(briefSeconds),
  hook: {
    type: 'WEBHOOK',
    config: { url: hookUrl, body: { execution: '{{ execution.id }}', again: '{{ contact.again }}' } },
    next: 'mark',
  },
  mark: { type: 'UPDATE_CONTACT', config: { updates: { reached: true } }, next: 'pause' },
  pause: { type: 'DELAY', config: { amount: pauseSeconds / 60, unit: 'minutes' }, next: 'last' },
  last: mail(subjects['last']!, 'more'),
  more: { type: 'CONDITION', config: isTrue('again'), next: { yes: 'once', no: 'exit' } },
  once: { type: 'UPDATE_CONTACT', config: { updates: { again: false } }, next: 'hook' },
  exit: { type: 'EXIT', config: { reason: doneReason } },
});

/** As a PUT takes it, with the ids of its steps by name. */
export function graphFor(hookUrl: string): { ids: ReadonlyMap<string, string>; body: object } {
  const steps = Object.entries(stepsFor(hookUrl));
  const ids = new Map(steps.map(([name]) => [name, newId()]));
  const transitions = steps.flatMap(([name, { next }]) =>
    Object.entries(typeof next === 'string' ? { '': next } : (next ?? {})).map(([branch, to]) => ({
      id: newId(),
      from_step_id: ids.get(name),
      to_step_id: ids.get(to),
      priority: 0,
      condition: branch === '' ? null : { branch },
    })),
  );
  return {
    ids,
    body: {
      steps: steps.map(([name, { type, config = {} }]) => ({
        id: ids.get(name),
        name,
        type,
        config,
        position: { x: 0, y: 0 },
      })),
      transitions,
    },
  };
}

/** Every visit of an execution of this contact: step, visit and branch. */
export function pathOf({ kind, loops }: Participant): string[] {
  const [wait, branch] = kind === 'answering' ? ['long', 'event'] : ['brief', 'timeout'];
  const round = (visit: number, more: string) =>
    [...['hook', 'mark', 'pause', 'last'].map((step) => [step, null]), ['more', more]].map(([step, taken]) =>
      visitText(step!, visit, taken!),
    );
  return [
    ...[visitText('trigger', 1, null), visitText('first', 1, null)],
    visitText('fork', 1, kind === 'answering' ? 'yes' : 'no'),
    visitText(wait!, 1, branch!),
    ...(loops ? [...round(1, 'yes'), visitText('once', 1, null), ...round(2, 'no')] : round(1, 'no')),
    visitText('exit', 1, null),
  ];
}

export const visitText = (step: string, visit: number, branch: string | null): string =>
  `${step} ${visit}${branch === null ? '' : ` by ${branch}`}`;

/** How often the second half is passed. */
export const roundsOf = ({ loops }: Participant): number => (loops ? 2 : 1);

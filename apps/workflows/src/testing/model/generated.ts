import { branchOperators, stepTypes, type StepType } from '@posthorn/contracts';
import { generatedPerson } from './generated-person.js';
import { Random } from './random.js';
import {
  eventNames,
  type ModelGoal,
  type ModelStep,
  type ModelWay,
  type Scenario,
  type Variation,
} from './scenario.js';

const waits: ReadonlySet<StepType> = new Set(['DELAY', 'WAIT_FOR_EVENT']);
/** Weighted towards what does something. */
const types: readonly StepType[] = [
  ...stepTypes.filter((type) => type !== 'TRIGGER'),
  ...([
    'SEND_EMAIL',
    'SEND_EMAIL',
    'WAIT_FOR_EVENT',
    'WAIT_FOR_EVENT',
    'CONDITION',
    'UPDATE_CONTACT',
  ] as const),
];

/** A graph of 3 to 12 steps, loops only through waits, with one or two people. */
export function generated(seed: number, variation: Variation): Scenario {
  const random = new Random(seed);
  const name = `Workflow ${seed}`;
  const count = 2 + random.below(10);
  const steps: ModelStep[] = [
    { name: 'trigger', type: 'TRIGGER', config: {} },
    ...random.list(count, (index) => stepOf(random, `s${index + 1}`)),
  ];
  const ways = steps.flatMap((_, index) => waysFrom(random, steps, index));
  const goal = random.chance(0.35) ? random.pick(goals) : null;
  const people = random.list(1 + random.below(2), (index) =>
    generatedPerson(random, steps, `p${seed}-${index}@example.org`, variation),
  );
  return { seed, name, steps, ways, goal, people };
}

function stepOf(random: Random, name: string): ModelStep {
  const type = random.pick(types);
  return { name, type, config: configs[type](random, name) };
}

const goals: readonly ModelGoal[] = [
  { field: 'data.score', operator: 'equals', value: 7 },
  { field: 'customFields.seen', operator: 'exists', value: null },
  { field: 'contact.subscribed', operator: 'equals', value: false },
];

const texts = [
  '{{ event.kind }}',
  '{{ context.source }}',
  '{{ steps.s1.status }}',
  '{{ workflow.name }}',
  'plain',
] as const;
const ofContact = ['{{ contact.email }}', '{{ contact.data.score }}', '{{ plan }}'] as const;

const configs: Readonly<Record<StepType, (random: Random, name: string) => Record<string, unknown>>> = {
  TRIGGER: () => ({}),
  SEND_EMAIL: (random, name) => {
    const isCustom = random.chance(0.2);
    return {
      // Sending knows the contact of the address.
      subject: `${name} ${random.pick(isCustom ? texts : [...texts, ...ofContact])}`,
      body: 'Hello',
      ...(isCustom ? { recipient: recipientOf(random) } : {}),
    };
  },
  DELAY: (random) =>
    random.chance(0.2)
      ? {
          until: {
            time: '09:30',
            ...(random.chance(0.5) ? { weekday: 'TUESDAY' } : {}),
            timeZoneField: 'zone',
          },
        }
      : { amount: 1 + random.below(30), unit: random.pick(['minutes', 'hours', 'days']) },
  WAIT_FOR_EVENT: (random) => ({
    eventName: random.pick(eventNames),
    timeout: 3_600 * (1 + random.below(48)),
  }),
  CONDITION: (random) =>
    random.chance(0.3) ? branchesOf(random) : { field: random.pick(fields), ...comparison(random) },
  WEBHOOK: (random) => ({
    url: `https://hook.example.org/${random.pick([...texts, ...ofContact])}`,
    ...(random.chance(0.6) ? { method: random.pick(['GET', 'POST', 'PUT', 'DELETE']) } : {}),
    ...(random.chance(0.3) ? { headers: { 'x-kind': random.pick(texts) } } : {}),
    ...(random.chance(0.5)
      ? {
          body: random.pick([
            { plan: '{{ contact.plan }}', list: [1, '{{ event.kind }}'] },
            'kind={{ event.kind }}',
          ]),
        }
      : {}),
  }),
  UPDATE_CONTACT: (random) => ({
    updates: { [random.pick(['plan', 'score', 'seen'])]: random.pick(['free', 'pro', 3, 7, true, null]) },
    ...(random.chance(0.3) ? { subscribed: random.chance(0.5) } : {}),
  }),
  EXIT: (random) => (random.chance(0.5) ? { reason: random.pick(['done', 'left']) } : {}),
};

function recipientOf(random: Random): Record<string, unknown> {
  return { type: 'CUSTOM', customEmail: random.pick(['{{ event.friend }}', 'team@example.org', 'nobody']) };
}

const fields = [
  'contact.subscribed',
  'contact.email',
  'data.plan',
  'customFields.score',
  'data.seen',
  'data.tags',
  'event.kind',
  'event.order.total',
  'event.none',
  'workflow.name',
] as const;
const values = ['free', 'pro', 'a', 3, 7, true, false] as const;

const comparison = (random: Random) => ({
  operator: random.pick(branchOperators),
  value: random.pick(values),
});

const branchesOf = (random: Random) => ({
  field: random.pick(fields),
  mode: 'multi',
  branches: random.list(1 + random.below(3), (index) => ({
    id: `b${index}`,
    name: `B${index}`,
    ...comparison(random),
  })),
});

/** What a step can take; one that leads nowhere ends the execution. */
function branchesFrom({ type, config }: ModelStep): (string | null)[] {
  if (type === 'WAIT_FOR_EVENT') return ['event', 'timeout'];
  if (type !== 'CONDITION') return [null];
  if (config['mode'] !== 'multi') return ['yes', 'no'];
  return [...(config['branches'] as { id: string }[]).map(({ id }) => id), 'default'];
}

function waysFrom(random: Random, steps: readonly ModelStep[], index: number): ModelWay[] {
  const step = steps[index]!;
  if (step.type === 'EXIT') return [];
  const branches = branchesFrom(step).filter(() => index === 0 || random.chance(0.92));
  // Several that apply: the priority decides, then what is for the branch, then the order.
  const more = random.chance(0.25) ? [null, random.pick(branchesFrom(step))] : [];
  return [...branches, ...more].flatMap((branch) => {
    const to = targetOf(random, steps, index);
    return to === null ? [] : [{ from: step.name, to, branch, priority: random.pick([0, 0, 0, 1, 2]) }];
  });
}

/** Forwards; or back, where the loop is one in which time passes. */
function targetOf(random: Random, steps: readonly ModelStep[], index: number): string | null {
  const back = steps.filter(
    ({ type }, at) => at > 0 && at < index && (waits.has(type) || waits.has(steps[index]!.type)),
  );
  if (back.length > 0 && random.chance(0.15)) return random.pick(back).name;
  const ahead = steps.slice(index + 1, index + 4);
  return ahead.length === 0 ? null : random.pick(ahead).name;
}

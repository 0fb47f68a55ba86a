import type { Random } from './random.js';
import {
  eventNames,
  type CausedEvent,
  type HookAnswer,
  type ModelArrival,
  type ModelPerson,
  type ModelStep,
  type Variation,
} from './scenario.js';

export function generatedPerson(
  random: Random,
  steps: readonly ModelStep[],
  email: string,
  { steady }: Variation,
): ModelPerson {
  const visits = steady ? 1 : 3;
  const ofType = <Value>(type: ModelStep['type'], make: (step: ModelStep) => Value): Record<string, Value> =>
    Object.fromEntries(steps.filter((step) => step.type === type).map((step) => [step.name, make(step)]));
  return {
    email,
    subscribed: random.chance(0.8),
    fields: {
      ...(random.chance(0.7) ? { plan: random.pick(['free', 'pro']) } : {}),
      ...(random.chance(0.7) ? { score: random.below(9) } : {}),
      ...(random.chance(0.3) ? { tags: ['a', 'b'] } : {}),
      ...(random.chance(0.5) ? { zone: random.pick(['Europe/Berlin', 'Asia/Tokyo', 'nowhere']) } : {}),
    },
    event: random.chance(0.7)
      ? {
          name: 'bought',
          isCustom: random.chance(0.5),
          data: {
            kind: random.pick(['a', 'b']),
            order: { total: random.below(10) },
            friend: 'friend@example.org',
          },
        }
      : null,
    context: random.chance(0.5) ? { source: 'shop' } : {},
    arrivals: ofType('WAIT_FOR_EVENT', ({ config }) =>
      random.list(visits, () => arrivalsOf(random, String(config['eventName']))),
    ),
    hooks: ofType('WEBHOOK', () => random.list(visits, () => hookOf(random))),
    caused: ofType('SEND_EMAIL', () => random.list(visits, () => (steady ? null : causedOf(random, steps)))),
  };
}

function arrivalsOf(random: Random, awaited: string): ModelArrival[] {
  return random.list(random.below(4), (index) => ({
    name: random.chance(0.7) ? awaited : random.pick(eventNames),
    instant: random.pick(['before', 'before', 'at', 'after'] as const),
    data: { n: index },
    isCustom: random.chance(0.5),
  }));
}

function hookOf(random: Random): HookAnswer {
  if (random.chance(0.1)) return { status: random.pick([400, 404]), body: '' };
  return { status: random.pick([200, 204]), body: random.pick([{ code: 7 }, 'fine', '']) };
}

function causedOf(random: Random, steps: readonly ModelStep[]): CausedEvent | null {
  const awaited = steps.flatMap(({ config: { eventName } }) =>
    eventName === undefined ? [] : [String(eventName)],
  );
  return random.chance(0.7)
    ? {
        name: random.pick([...awaited, ...eventNames]),
        data: { by: 'mail' },
        isConcurrent: random.chance(0.5),
      }
    : null;
}

import type { Bench } from '../bench.js';
import { takingTurns, type Requests } from '../load.js';
import type { Figure } from './audience.js';
import { untilEvaluated, type Fixture, type Fixtures } from './fixture.js';
import { eventNames, nthAddress } from './people.js';

const connections = 16;
/** Prime, so that the addresses come in no order and none soon again. */
const stride = 7_919;
const slowestLook = 60;

type Kind = { path: string; body: (contacts: number) => object };

let location = 0;
const fields = () => ({
  plan: 'pro',
  seats: location % 1_000,
  city: `city-${location % 50}`,
  active: true,
  visits: (location += 1),
});
const known = (contacts: number) => nthAddress(1 + (((location += 1) * stride) % contacts));
const event = () => `event-${location % eventNames}`;

const writes: Record<string, Kind> = {
  'upserts/s of new addresses': {
    path: '/api/contacts/upsert',
    body: () => ({ email: `fresh-${location}@bench.example`, data: fields() }),
  },
  'upserts/s of known addresses': {
    path: '/api/contacts/upsert',
    body: (contacts) => ({ email: known(contacts), data: fields() }),
  },
  'tracks/s that leave the contact as it is': {
    path: '/api/track',
    body: (contacts) => ({ email: known(contacts), event: event() }),
  },
  'tracks/s that change the contact': {
    path: '/api/track',
    body: (contacts) => ({ email: known(contacts), event: event(), data: { visits: location } }),
  },
};

/** Contacts and events through the front door, with tracked segments beside none. */
export async function measureWrites(bench: Bench, { tracked, plain }: Fixtures): Promise<Figure[]> {
  const figures: Figure[] = [];
  let slowest = 0;
  const before = async () => void (slowest = Math.max(slowest, await untilEvaluated(bench.servers)));
  for (const [name, kind] of Object.entries(writes)) {
    const side = (fixture: Fixture) => ({
      urls: [fixture.api.url],
      requests: requesting(fixture, kind),
      before,
    });
    const [ours, without] = await takingTurns(bench, connections, [side(tracked), side(plain)]);
    figures.push({
      name: `${name}, 20 tracked segments beside none`,
      rate: true,
      product: ours!,
      reference: without!,
      ...(name.startsWith('upserts') ? { floorPercent: 50 } : {}),
    });
  }
  await before();
  bench.rows.push({
    name: `seconds until the last entry is published, ${tracked.contacts} contacts`,
    product: slowest,
    ceiling: slowestLook,
  });
  return figures;
}

const requesting =
  ({ api, contacts }: Fixture, { path, body }: Kind): Requests =>
  () =>
    api.posting(path, body(contacts));

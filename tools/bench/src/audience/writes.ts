import type { Bench } from '../bench.js';
import { takingTurns, type Requests } from '../turns.js';
import type { Figure } from './figures.js';
import { untilEvaluated, type Fixture, type Fixtures } from './fixture.js';
import { eventNames, nthAddress } from './people.js';
import type { Reference } from './reference.js';

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

const upserts: Record<string, Kind> = {
  'upserts/s of new addresses': {
    path: '/api/contacts/upsert',
    body: () => ({ email: `fresh-${location}@bench.example`, data: fields() }),
  },
  'upserts/s of known addresses': {
    path: '/api/contacts/upsert',
    body: (contacts) => ({ email: known(contacts), data: fields() }),
  },
};
const tracks: Record<string, Kind> = {
  'tracks/s that leave the contact as it is': {
    path: '/api/track',
    body: (contacts) => ({ email: known(contacts), event: event() }),
  },
  'tracks/s that change the contact': {
    path: '/api/track',
    body: (contacts) => ({ email: known(contacts), event: event(), data: { visits: location } }),
  },
};

/** Contacts and events through the front door, beside bare inserts, and with tracked segments beside none. */
export async function measureWrites(
  bench: Bench,
  { tracked, plain }: Fixtures,
  reference: Reference,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  let slowest = 0;
  const before = async () => void (slowest = Math.max(slowest, await untilEvaluated(bench.servers)));
  for (const [name, kind] of Object.entries({ ...upserts, ...tracks })) {
    const side = (fixture: Fixture, url = fixture.api.url) => ({
      urls: [url],
      requests: requesting(fixture, kind),
      before,
    });
    const besides = Object.hasOwn(upserts, name) ? [side(plain)] : [];
    const [ours, theirs, without] = await takingTurns(bench, connections, [
      side(tracked),
      side(tracked, reference.url),
      ...besides,
    ]);
    figures.push({ name, product: ours!, reference: theirs!, floorPercent: 40, rate: true });
    if (without)
      figures.push({
        name: `${name}, 20 tracked segments beside none`,
        product: ours!,
        reference: without,
        floorPercent: 50,
        rate: true,
      });
  }
  await before();
  figures.push({
    name: 'seconds until the last entry is published',
    product: slowest,
    ceiling: slowestLook,
    rate: false,
    promise: true,
  });
  return figures;
}

const requesting =
  ({ api, contacts }: Fixture, { path, body }: Kind): Requests =>
  () =>
    api.posting(path, body(contacts));

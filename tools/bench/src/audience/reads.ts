import { nth } from '../bench.js';
import { handWritten, previewByHand } from './by-hand.js';
import { conditionsOf, type TypicalCondition } from './conditions.js';
import type { Figure } from './figures.js';
import type { Fixture, TrackedFixture } from './fixture.js';
import type { Reference } from './reference.js';

interface Shown {
  id: string;
  created_at: string;
}

interface Page {
  data: Shown[];
  next_cursor: string | null;
}

/** The same question for both, and whether they said the same. */
interface Lookup<Stated> {
  ours: (turn: number) => Promise<Stated>;
  theirs: (turn: number) => Promise<Stated>;
  /** By how much each of them may differ: for those who come in between. */
  tolerance?: number;
}

const pagesInWalk = 20;
/** About the three seconds that writes warm up for. Of these no time is kept: what is not compiled yet, on either side, is nobody's speed. */
const warmUpRequests = 300;
const inBetween = 5;

/** Product and reference are asked one after the other, each first as often as the other. */
async function compare(
  name: string,
  requests: number,
  { ours, theirs, tolerance = 0 }: Lookup<(string | number)[]>,
  warm = 1,
): Promise<Figure> {
  const times = { ours: [] as number[], theirs: [] as number[] };
  for (let turn = -warm; turn < requests; turn += 1) {
    const timed = async (side: keyof typeof times, request: Lookup<(string | number)[]>['ours']) => {
      const began = performance.now();
      const text = await request(turn + warm);
      if (turn >= 0) times[side].push(performance.now() - began);
      return text;
    };
    const product = () => timed('ours', ours);
    const reference = () => timed('theirs', theirs);
    const output =
      Math.abs(turn) % 2 === 0 ? [await product(), await reference()] : [await reference(), await product()];
    if (!agree(output[0]!, output[1]!, tolerance))
      throw new Error(`${name}: product and reference disagree: ${JSON.stringify(output).slice(0, 500)}`);
  }
  const [product, reference] = [nth(times.ours, 0.95), nth(times.theirs, 0.95)];
  console.log(`${name}: ${product.toFixed(1)} ms beside ${reference.toFixed(1)} ms`);
  return { name: `${name}, p95 ms`, product, reference, ceilingTimes: 2, rate: false };
}

function agree(one: (string | number)[], other: (string | number)[], tolerance: number): boolean {
  const near = (a: string | number, b: string | number | undefined) =>
    a === b || Math.abs(Number(a) - Number(b)) <= tolerance;
  return one.length === other.length && one.every((each, index) => near(each, other[index]));
}

/** From page to page, newest first; both say the ids. */
function walk(
  fixture: Fixture,
  reference: Reference,
  path: string,
  sql: string,
  more: unknown[] = [],
): Lookup<string[]> {
  let cursor: string | null = null;
  let last: Shown | undefined;
  return {
    ours: async (turn) => {
      const after: string =
        cursor !== null && turn % pagesInWalk > 0 ? `&after=${encodeURIComponent(cursor)}` : '';
      const page: Page = await fixture.api.get<Page>(`${path}?limit=100${after}`);
      cursor = page.next_cursor;
      return page.data.map(({ id }) => id);
    },
    theirs: async (turn) => {
      const from =
        last && turn % pagesInWalk > 0
          ? [last.created_at, last.id]
          : ['infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff'];
      const rows = await reference.rows<Shown>(sql, [fixture.api.projectId, ...more, ...from]);
      last = rows.at(-1);
      return rows.map(({ id }) => id);
    },
  };
}

/** Few, many and none are found. */
function search({ api }: Fixture, reference: Reference): Lookup<string[]> {
  const termOf = (turn: number) => [`reader-${1_000 + turn}`, 'firm', `nobody-${turn}`][turn % 3]!;
  return {
    ours: async (turn) =>
      (await api.get<Page>(`/api/v1/contacts?limit=100&search=${termOf(turn)}`)).data.map(({ id }) => id),
    theirs: async (turn) =>
      (await reference.rows<Shown>(handWritten.search, [api.projectId, termOf(turn)])).map(({ id }) => id),
  };
}

function segmentContacts({ api, segmentId }: TrackedFixture, reference: Reference): Lookup<string[]> {
  const none = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  return {
    ours: async () =>
      (await api.get<Page>(`/api/v1/segments/${segmentId}/contacts?limit=100`)).data.map(({ id }) => id),
    theirs: async () =>
      (await reference.rows<Shown>(handWritten.segmentContacts, [api.projectId, segmentId, none])).map(
        ({ id }) => id,
      ),
  };
}

/** Pages, searches and members, of a ground that nobody writes. */
export async function measurePages(
  requests: number,
  fixture: TrackedFixture,
  reference: Reference,
): Promise<Figure[]> {
  const [listId] = fixture.lists;
  return [
    await compare(
      'page of 100 contacts',
      requests,
      walk(fixture, reference, '/api/v1/contacts', handWritten.page),
      warmUpRequests,
    ),
    await compare('search', requests, search(fixture, reference), warmUpRequests),
    await compare(
      "page of a list's members",
      requests,
      walk(fixture, reference, `/api/v1/lists/${listId}/members`, handWritten.members, [listId]),
      warmUpRequests,
    ),
    await compare(
      "page of a segment's contacts",
      requests,
      segmentContacts(fixture, reference),
      warmUpRequests,
    ),
  ];
}

interface Previewed {
  count: number;
  excluded_by: { count: number }[];
}

/** Each typical condition beside the statement that somebody would write for the same answer. */
export async function measurePreviews(
  requests: number,
  fixture: TrackedFixture,
  reference: Reference,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const typical of conditionsOf(fixture.lists)) {
    figures.push({
      ...(await compare(`preview: ${typical.name}`, requests, preview(typical, fixture, reference))),
      perContact: true,
    });
  }
  return figures;
}

function preview(typical: TypicalCondition, { api }: Fixture, reference: Reference): Lookup<number[]> {
  const sql = previewByHand(typical);
  return {
    tolerance: typical.timed ? inBetween : 0,
    ours: async () => {
      const { count, excluded_by: excluded } = await api.post<Previewed>('/api/v1/segments/preview', {
        condition: typical.condition,
      });
      return [count, ...excluded.map((each) => each.count)];
    },
    theirs: async () => {
      const [row] = await reference.rows<{ count: number; excluded: number[] }>(sql, [api.projectId]);
      return [row!.count, ...row!.excluded];
    },
  };
}

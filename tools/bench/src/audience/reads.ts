import { nth } from '../bench.js';
import type { Figure } from './audience.js';
import { conditionsOf } from './conditions.js';
import type { TrackedFixture } from './fixture.js';

interface Page {
  next_cursor: string | null;
}

const pagesInWalk = 20;
/** About the three seconds that writes warm up for: what is not compiled yet is nobody's speed. */
const warmUpRequests = 300;

async function measure(
  name: string,
  requests: number,
  request: (turn: number) => Promise<unknown>,
  warm = 1,
): Promise<Figure> {
  const times: number[] = [];
  for (let turn = -warm; turn < requests; turn += 1) {
    const began = performance.now();
    await request(turn + warm);
    if (turn >= 0) times.push(performance.now() - began);
  }
  const p95 = nth(times, 0.95);
  console.log(`${name}: ${p95.toFixed(1)} ms`);
  return { name: `${name}, p95 ms`, product: p95, rate: false };
}

/** Pages, searches and members. */
export async function measurePages(
  requests: number,
  { api, lists, segmentId }: TrackedFixture,
): Promise<Figure[]> {
  // From page to page, newest first.
  const walk = (path: string) => {
    let cursor: string | null = null;
    return async (turn: number) => {
      const after: string =
        cursor !== null && turn % pagesInWalk > 0 ? `&after=${encodeURIComponent(cursor)}` : '';
      cursor = (await api.get<Page>(`/api/v1/${path}?limit=100${after}`)).next_cursor;
    };
  };
  // Few, many and none are found.
  const search = (turn: number) => {
    const term = [`reader-${1_000 + turn}`, 'firm', `nobody-${turn}`][turn % 3]!;
    return api.get<Page>(`/api/v1/contacts?limit=100&search=${term}`);
  };
  const members = () => api.get<Page>(`/api/v1/segments/${segmentId}/contacts?limit=100`);
  return [
    await measure('page of 100 contacts', requests, walk('contacts'), warmUpRequests),
    await measure('search', requests, search, warmUpRequests),
    await measure("page of a list's members", requests, walk(`lists/${lists[0]}/members`), warmUpRequests),
    await measure("page of a segment's contacts", requests, members, warmUpRequests),
  ];
}

/** How many each typical condition finds. */
export async function measurePreviews(requests: number, { api, lists }: TrackedFixture): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const { name, condition } of conditionsOf(lists)) {
    const preview = () => api.post('/api/v1/segments/preview', { condition });
    figures.push({ ...(await measure(`preview: ${name}`, requests, preview)), perContact: true });
  }
  return figures;
}

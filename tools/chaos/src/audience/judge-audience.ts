import { finding, type Finding } from '../judging/finding.js';
import { judgeWork, type WorkLeft } from '../judging/work-books.js';
import type { Published } from './audience-client.js';
import { checked, type Difference, type ImportRow, type Transition } from './audience-records.js';
import { movingSegments, steadyConditions } from './operations.js';

/** Everything that the judge looks at, after all is quiet. */
export interface AudienceEvidence {
  told: Published;
  /** Written, and not there. */
  lostFields: readonly string[];
  /** Contacts by the mark of a table. */
  marked: ReadonlyMap<string, number>;
  imports: readonly ImportRow[];
  /** Events by the place of their deed. */
  events: ReadonlyMap<number, number>;
  /** Statuses by list and address. */
  memberships: ReadonlyMap<string, string>;
  contactIds: ReadonlySet<string>;
  delivered: number;
  differences: readonly Difference[];
  strayMembers: readonly Difference[];
  remains: readonly Difference[];
  passages: readonly Transition[];
  deadLetters: readonly string[];
  work: WorkLeft;
  unfinished: Readonly<Record<string, number>>;
}

/** Reads what the clients were told, what contacts has, and what follows from its rows against each other. */
export function judgeAudience(evidence: AudienceEvidence): Finding[] {
  const {
    told: published,
    lostFields,
    differences,
    strayMembers,
    remains,
    deadLetters,
    unfinished,
  } = evidence;
  const left = Object.entries(unfinished).flatMap(([what, count]) =>
    count > 0 ? [`${count} ${what} left`] : [],
  );
  return [
    finding('answers', 'an answer that no rule allows, or none', total(published.done), published.strange),
    finding('writes', 'an acknowledged write of a contact that is lost', published.fields.length, [
      ...lostFields,
    ]),
    events(evidence),
    ...imports(evidence),
    memberships(evidence),
    erasures(evidence),
    finding('mail', 'accepted mail that was not delivered once', published.mails.length, [
      evidence.delivered === published.mails.length
        ? null
        : `${published.mails.length} accepted, ${evidence.delivered} delivered`,
    ]),
    finding(
      'counts',
      'a count or a read model that differs from its rows',
      checked.models,
      differences.map(line),
    ),
    finding(
      'members',
      'members that the condition does not find, or the other way round',
      movingSegments + steadyConditions.length,
      strayMembers.map(line),
    ),
    transitionsFinding(evidence),
    finding('remains', 'what is kept of contacts that are gone', checked.tables, remains.map(line)),
    finding('stuck', 'not finished, not published, not taken in, or a dead letter', 1, [
      ...left,
      ...deadLetters,
    ]),
    judgeWork(evidence.work),
  ];
}

const total = (counts: ReadonlyMap<unknown, number>): number =>
  [...counts.values()].reduce((sum, count) => sum + count, 0);
const line = ({ what, kept: stored, counted }: Difference): string =>
  `${what}: kept ${stored}, counted ${counted}`;

function events({ told: published, events: recorded }: AudienceEvidence): Finding {
  return finding(
    'events',
    'an event that is lost, or recorded twice',
    published.events.length,
    published.events.map(({ place: index, surely }) => {
      const count = recorded.get(index) ?? 0;
      if (count > 1) return `the event of ${index} was recorded ${count} times`;
      return surely && count === 0 ? `the event of ${index} is lost` : null;
    }),
  );
}

function imports({
  told: published,
  imports: jobs,
  marked,
  memberships: statuses,
}: AudienceEvidence): Finding[] {
  const byId = new Map(jobs.map((job) => [job.id, job]));
  const members = new Map<string, number>();
  for (const key of statuses.keys()) {
    const listId = key.split(' ', 1)[0]!;
    members.set(listId, (members.get(listId) ?? 0) + 1);
  }
  const each = published.imports.map(({ id, table, listId, listGoes }) => {
    const job = byId.get(id);
    if (job?.status !== 'COMPLETED') return `import ${id} is ${job?.status ?? 'gone'}`;
    const { processed, created, updated, skipped, failed } = job;
    if (processed !== table.rows || created + updated + skipped !== table.rows)
      return `import ${id} of ${table.rows} rows: ${created} created, ${updated} updated, ${skipped} skipped, ${failed} failed`;
    if (marked.get(table.marker) !== table.rows)
      return `import ${id} of ${table.rows} rows marked ${marked.get(table.marker)} contacts`;
    const joined = members.get(listId!) ?? 0;
    if (listGoes) return joined === 0 ? null : `list ${listId} was deleted and has ${joined} memberships`;
    return joined >= table.rows ? null : `list ${listId} has ${joined} members of ${table.rows}`;
  });
  const sums = jobs.filter(
    ({ processed, created, updated, skipped, failed }) => processed !== created + updated + skipped + failed,
  );
  return [
    finding(
      'imports',
      'an import that does not end, or whose rows are not each taken once',
      published.imports.length,
      each,
    ),
    finding(
      'import sums',
      'an import, also of those whose answer was lost, whose rows do not add up',
      jobs.length,
      sums.map(({ id }) => `import ${id}`),
    ),
  ];
}

function memberships({ told: published, memberships: statuses }: AudienceEvidence): Finding {
  return finding(
    'lists',
    'a membership that is not as its last answer said',
    published.memberships.length,
    published.memberships.map(({ email, listId, status }) => {
      const is = statuses.get(`${listId} ${email}`);
      return is === status ? null : `${email} is ${is ?? 'nothing'} instead of ${status} of ${listId}`;
    }),
  );
}

function erasures({ told: published, contactIds }: AudienceEvidence): Finding {
  return finding(
    'deletions',
    'a deleted contact that is there',
    published.gone.length,
    published.gone.map(({ email, id }) => (contactIds.has(id) ? `${email} was deleted and is there` : null)),
  );
}

/** A changed condition is a silent baseline: each may hide one entry or exit. Where it never changes, they take turns. */
function transitionsFinding({ passages: transitions, told: published }: AudienceEvidence): Finding {
  return finding(
    'passages',
    'entries and exits that do not take turns, were told otherwise, or do not lead to the members',
    transitions.length,
    transitions.map(({ contactId, segmentId, kept: stored, told: events, isMember }) => {
      const name = `${contactId} in ${segmentId}`;
      if (stored.join() !== events.join()) return `${name}: kept ${stored.join()}, told ${events.join()}`;
      const unresponsive = published.recounts.get(segmentId) ?? 0;
      const ways = ['exited', ...stored, isMember ? 'exited' : 'entered'];
      const hidden = ways.filter((way, index) => index > 0 && way === ways[index - 1]).length;
      return hidden > unresponsive
        ? `${name}: ${stored.join()}, and is ${isMember ? 'a' : 'no'} member`
        : null;
    }),
  );
}

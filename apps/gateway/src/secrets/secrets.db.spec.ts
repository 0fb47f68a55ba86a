import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { secrets, type RotatedSecrets } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { SealedRowsRepository, Secrets, type SealedTable } from '@posthorn/platform';
import { testSecret } from '@posthorn/testing';
import { hashOfToken, mintLinkToken } from '../identity/tokens.js';
import { operatorOf, startGatewaySuite, type GatewaySuite, type SignedIn } from '../testing/gateway-suite.js';

const newKey = 'another-secret-that-only-this-spec-knows-0123456789';
const [oldSecrets, newSecrets, lostSecrets] = [
  new Secrets([testSecret]),
  new Secrets([newKey]),
  new Secrets(['a-key-that-nobody-has-any-more-0123456789']),
];
const operator = operatorOf(newId());

let suite: GatewaySuite;
let owner: SignedIn;
let projectId: string;
beforeAll(async () => {
  suite = await startGatewaySuite({ POSTHORN_SECRET_KEY: `${newKey}, ${testSecret}` });
  ({ projectId } = await suite.buildProject());
  owner = await suite.buildUser({ projectId });
});
afterAll(() => suite.stop());

interface Waiting {
  keyId: string;
  path: string;
  token: string;
}

/** Keys with secrets sealed by an older gateway. */
async function buildWaiting(count: number, by: Secrets): Promise<Waiting[]> {
  const waiting: Waiting[] = [];
  for (let made = 0; made < count; made += 1) {
    const keyId = newId();
    const link = mintLinkToken();
    const token = `sk_live_${'x'.repeat(38)}${made}`;
    await suite.database.query(
      `WITH key AS (
         INSERT INTO api_keys (project_id, id, name, token_hash, last_four, legacy_grant_preset, mode, scopes, created_at)
         VALUES ($1, $2, 'k', $3, 'four', 'FULL', 'LIVE', '{}', now()))
       INSERT INTO api_key_reveals (project_id, key_id, link_hash, sealed, expires_at) VALUES ($1, $2, $3, $4, now() + interval '1 hour')`,
      [
        projectId,
        keyId,
        hashOfToken(link),
        by.seal(token, { table: 'api_key_reveals', projectId, id: keyId }),
      ],
    );
    waiting.push({
      keyId,
      token,
      path: `/api/v1/projects/${projectId}/api-keys/${keyId}/reveal?token=${link}`,
    });
  }
  return waiting;
}

const read = async ({ path }: Waiting) => (await suite.request('GET', path, { as: owner })).json['token'];

async function rotateAll(from?: RotatedSecrets['next']): Promise<RotatedSecrets[]> {
  const batches: RotatedSecrets[] = [];
  for (let after = from ?? null; ; after = batches.at(-1)!.next) {
    batches.push(await suite.bus.call(secrets.rotate, operator, after ? { after } : {}));
    if (!batches.at(-1)!.next) return batches;
  }
}

const sum = (batches: RotatedSecrets[], of: 'rotated' | 'unreadable') =>
  batches.reduce((total, batch) => total + batch[of], 0);

describe('a rotation of the secret key', () => {
  it('seals everything again in batches while it is used, and leaves unreadable rows unchanged', async () => {
    const waiting = await buildWaiting(230, oldSecrets);
    const [lost] = await buildWaiting(1, lostSecrets);
    expect(await read(waiting[0]!)).toBe(waiting[0]!.token);
    const first = await suite.bus.call(secrets.rotate, operator, {});
    expect(first).toMatchObject({ rotated: 100, left: 130, next: { table: 'api_key_reveals', projectId } });
    // When stopped here, it starts over and changes nothing twice.
    const [batches, ...tokens] = await Promise.all([rotateAll(), ...waiting.slice(1, 60).map(read)]);
    expect(tokens).toEqual(waiting.slice(1, 60).map(({ token }) => token));
    expect(sum(batches, 'rotated')).toBeLessThanOrEqual(129);
    expect([sum(batches, 'unreadable'), batches.at(-1)]).toEqual([
      1,
      { rotated: 0, unreadable: 0, left: 1, next: null },
    ]);
    const rows = await suite.database.query<{ id: string; sealed: string }>(
      `SELECT key_id AS id, sealed FROM api_key_reveals`,
    );
    expect(rows).toHaveLength(171);
    for (const { id, sealed } of rows.filter((row) => row.id !== lost!.keyId)) {
      expect(newSecrets.open(sealed, { table: 'api_key_reveals', projectId, id })).toMatch(/^sk_live_/);
    }
    expect(await read(waiting[229]!)).toBe(waiting[229]!.token);
    expect(sum(await rotateAll(), 'rotated')).toBe(0);
  });

  it('by two processes at once has the same result', async () => {
    await suite.database.query(`DELETE FROM api_key_reveals`);
    const waiting = await buildWaiting(150, oldSecrets);
    const both = await Promise.all([rotateAll(), rotateAll()]);
    expect(sum(both.flat(), 'rotated')).toBe(150);
    for (const each of waiting.slice(0, 5)) expect(await read(each)).toBe(each.token);
  });

  it('covers tables without projects', async () => {
    const rows = new SealedRowsRepository(suite.database);
    const table: SealedTable = { table: 'sealed_things', project: null, id: 'id', sealed: 'sealed' };
    await suite.database.query(`CREATE TABLE sealed_things (id uuid PRIMARY KEY, sealed text NOT NULL)`);
    await suite.database.query(
      `INSERT INTO sealed_things SELECT gen_random_uuid(), 'old' || n FROM generate_series(1, 5) AS n`,
    );
    const first = await rows.otherThan('new', table, 3);
    const second = await rows.otherThan('new', table, 3, first.at(-1));
    expect([...first, ...second].map(({ sealed }) => sealed).sort()).toEqual([
      'old1',
      'old2',
      'old3',
      'old4',
      'old5',
    ]);
    const changed = await rows.replace(table, [
      { ...first[0]!, resealed: 'new1' },
      { ...first[1]!, sealed: 'gone', resealed: 'new2' },
    ]);
    expect([changed, await rows.countOtherThan('new', [table])]).toEqual([1, 4]);
  });
});

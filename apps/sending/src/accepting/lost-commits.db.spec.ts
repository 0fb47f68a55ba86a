import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emails, systemMailOperation, type AcceptSend, type Caller } from '@posthorn/contracts';
import { eventually, lockWaiters } from '@posthorn/testing';
import { buildSend, startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';

const rounds = 12;
const sendsARound = 40;

describe('accepting mail while the connection to the database breaks', () => {
  let suite: SendingSuite;
  let caller: Caller;
  let domain: string;
  beforeAll(async () => {
    suite = await startSendingSuite({}, { breakable: true });
    ({ caller, domain } = await suite.buildProject());
    await suite.bus.call(emails.accept, caller, buildSend(domain));
  });
  afterAll(() => suite.stop());

  const accept = (send: AcceptSend) => suite.bus.call(emails.accept, caller, send);
  const idOf = (send: AcceptSend) => send.recipients[0]!.id;

  /** What there is of a send: a row that is a mail, the tombstone of one, or nothing. */
  async function statesOf(sends: AcceptSend[]): Promise<Map<string, 'MAIL' | 'VOIDED'>> {
    const rows = await suite.database.query<{ id: string; state: 'MAIL' | 'VOIDED' }>(
      `SELECT id, CASE status WHEN 'VOIDED' THEN 'VOIDED' ELSE 'MAIL' END AS state FROM emails WHERE id = ANY($1::uuid[])`,
      [sends.map(idOf)],
    );
    return new Map(rows.map(({ id, state }) => [id, state]));
  }

  /** Statements of the service that the server has and has not finished. */
  const running = async (): Promise<boolean> => {
    // Inside a transaction the first look would be the only one.
    await suite.database.query('SELECT pg_stat_clear_snapshot()');
    const rows = await suite.database.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name <> 'suite' AND state = 'active' AND query LIKE '%INSERT INTO emails%'`,
    );
    return rows.length > 0;
  };
  const finished = () => eventually(async () => !(await running()), 'the statement ends');

  async function cutDuring(send: AcceptSend, begun: () => Promise<boolean>) {
    const answer = suite.database.apart(() =>
      accept(send).then(
        () => 'accepted',
        (error: { kind: string }) => error.kind,
      ),
    );
    await eventually(begun, 'the statement runs');
    suite.line.cut();
    return { answer };
  }

  async function breakDuring(send: AcceptSend, { fixes }: { fixes: 'at once' | 'after the answer' }) {
    const dawdling = async () => (await lockWaiters(suite.database, { locktype: 'advisory' })).length > 0;
    const { answer } = await suite.database.transaction(async () => {
      await suite.database.query('SELECT pg_advisory_xact_lock(17)');
      const cut = await cutDuring(send, dawdling);
      if (fixes === 'after the answer') await cut.answer;
      suite.line.fix();
      return cut;
    });
    return answer;
  }

  async function breakBeforeWrites(send: AcceptSend): Promise<unknown> {
    const answer = await suite.database.transaction(async () => {
      // The statement waits for this lock before it writes anything; a tombstone needs none of it.
      await suite.database.query(`LOCK TABLE email_contents IN ACCESS EXCLUSIVE MODE`);
      const cut = await cutDuring(send, running);
      suite.line.fix();
      return cut.answer;
    });
    await finished();
    return answer;
  }

  describe('during a statement that the server continues', () => {
    beforeAll(() =>
      suite.database.query(`
        CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock_shared(17); RETURN NEW; END $$;
        CREATE TRIGGER dawdle BEFORE INSERT ON email_contents FOR EACH ROW EXECUTE FUNCTION dawdle()`),
    );
    afterAll(() => suite.database.query(`DROP TRIGGER dawdle ON email_contents`));

    it('answers the receipt of a commit whose answer was lost', async () => {
      const send = buildSend(domain);
      expect(await breakDuring(send, { fixes: 'at once' })).toBe('accepted');
      expect((await statesOf([send])).get(idOf(send))).toBe('MAIL');
    });

    it('voids a send with a key, whose transaction the server rolls back', async () => {
      const send = buildSend(domain, { key: 'a-key' });
      expect(await breakDuring(send, { fixes: 'at once' })).toBe('unavailable');
      expect((await statesOf([send])).get(idOf(send))).toBe('VOIDED');
      expect(await suite.bus.call(emails.accept, caller, buildSend(domain, { key: 'a-key' }))).toMatchObject({
        emails: [{}],
      });
    });

    it('answers that the outcome is unknown while the database cannot be asked', async () => {
      const send = buildSend(domain);
      expect(await breakDuring(send, { fixes: 'after the answer' })).toBe('internal');
      await finished();
      expect((await statesOf([send])).get(idOf(send))).toBe('MAIL');
    });
  });

  it.each(['a workflow', 'the system'])(
    'never voids a mail of %s, which is requested again under its id',
    async (source) => {
      const { idempotency, ...content } = buildSend(domain, { key: 'system-mail' });
      const send: AcceptSend =
        source === 'a workflow'
          ? { ...content, sourceType: 'WORKFLOW' }
          : { ...content, idempotency: { ...idempotency!, operation: systemMailOperation } };
      expect(await breakBeforeWrites(send)).toBe('unavailable');
      // The server may hold the lock of the key a little longer.
      await eventually(
        () => accept(send).catch(({ kind }) => (kind === 'conflict' ? null : 'refused')),
        'the request is answered',
      );
      expect((await statesOf([send])).get(idOf(send))).toBe('MAIL');
    },
  );

  it.each([undefined, 'another-key'])(
    'voids a statement that has not begun, so that it has no effect later (key %s)',
    async (key) => {
      const send = buildSend(domain, { key });
      expect(await breakBeforeWrites(send)).toBe('unavailable');
      expect((await statesOf([send])).get(idOf(send))).toBe('VOIDED');
      const keys = await suite.database.query(`SELECT 1 FROM idempotency_keys WHERE key = 'another-key'`);
      expect(keys).toHaveLength(0);
    },
  );

  it('never answers wrongly, whenever the connection breaks', async () => {
    const published = new Map<string, string>();
    const sends: AcceptSend[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const batch = Array.from({ length: sendsARound }, (_, index) =>
        buildSend(domain, index % 4 === 0 ? { key: `${round}-${index}` } : {}),
      );
      sends.push(...batch);
      const answers = batch.map(async (send, index) => {
        await delay(index % 8);
        const answer = await accept(send).then(
          () => 'accepted',
          (error: { kind: string }) => error.kind,
        );
        published.set(idOf(send), answer);
      });
      await delay(1 + round);
      suite.line.cut();
      await delay(round % 3 === 0 ? 0 : 40);
      suite.line.fix();
      await Promise.all(answers);
    }
    await finished();
    const states = await statesOf(sends);
    const lies = [...published].filter(([id, answer]) =>
      answer === 'accepted'
        ? states.get(id) !== 'MAIL'
        : answer === 'unavailable' && states.get(id) === 'MAIL',
    );
    expect(lies).toEqual([]);
    expect([...published.values()]).toEqual(expect.arrayContaining(['accepted', 'unavailable']));
  });
});

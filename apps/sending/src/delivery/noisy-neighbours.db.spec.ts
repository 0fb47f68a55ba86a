import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { emails, suppressions } from '@posthorn/contracts';
import { eventually } from '@posthorn/testing';
import { ProjectStates } from '../projects/project-states.read-model.js';
import { composingFixture } from '../testing/composing-fixture.js';
import { buildSend, startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';
import { lanes } from './delivery-states.js';

type Project = Awaited<ReturnType<SendingSuite['buildProject']>>;

/** The default rate: slots are scarce. */
const pace = { SENDING_RATE_PER_SECOND: '14' };
let suite: SendingSuite;
let noisy: Project;
let quiet: Project;
beforeAll(async () => {
  suite = await startSendingSuite(pace);
});
afterAll(() => suite.stop());
beforeEach(async () => {
  await suite.restart({ DELIVERY_PAUSED: 'true' });
  await suite.database.query(`DELETE FROM deliveries; DELETE FROM pace`);
  [noisy, quiet] = [await suite.buildProject(), await suite.buildProject()];
});

const accept = ({ caller, domain }: Project, to: string, body = '<p>Hello</p>') =>
  suite.bus.call(emails.accept, caller, buildSend(domain, { to, body }));
const acceptMany = async (project: Project, count: number, to: (index: number) => string) => {
  for (let index = 0; index < count; index += 1) await accept(project, to(index));
};
const arrived = (to: string) =>
  eventually(async () => suite.sink.messages.some((message) => message.to === to), `${to} arrives`);
const countOf = async ({ projectId }: Project, condition: string) => {
  const [row] = await suite.database.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM deliveries WHERE project_id = $1 AND ${condition}`,
    [projectId],
  );
  return row!.count;
};

describe('the mail of a project', () => {
  it('does not wait behind mail that is refused before it leaves', async () => {
    await acceptMany(noisy, 200, () => 'suppressed@noisy.test');
    await suite.bus.call(suppressions.put, noisy.caller, { email: 'suppressed@noisy.test' });
    await acceptMany(quiet, 3, (index) => `beside-suppressed-${index}@sink.test`);
    await suite.restart(pace);
    for (const index of [0, 1, 2]) await arrived(`beside-suppressed-${index}@sink.test`);
    await eventually(async () => (await countOf(noisy, `state = 'FAILED'`)) === 200, 'all are refused');
    const [row] = await suite.database.query<{ ahead: number }>(
      `SELECT extract(epoch FROM next_at - clock_timestamp())::float8 AS ahead FROM pace`,
    );
    // 200 slots would be 14 seconds.
    expect(row!.ahead).toBeLessThan(1);
  });

  it('does not wait behind the backlog of a disabled project, which is not claimed', async () => {
    await acceptMany(noisy, 100, (index) => `disabled-${index}@noisy.test`);
    await new ProjectStates(suite.database).put([{ id: noisy.projectId, name: 'N', disabled: true, seq: 2 }]);
    await acceptMany(quiet, 3, (index) => `beside-disabled-${index}@sink.test`);
    await suite.restart(pace);
    for (const index of [0, 1, 2]) await arrived(`beside-disabled-${index}@sink.test`);
    expect(await countOf(noisy, `lease_token = 0 AND state = 'QUEUED'`)).toBe(100);
  });

  it('does not wait behind slow templates', async () => {
    const endless = `{% for a in (1..9999) %}{% for b in (1..9999) %}{% for c in (1..9999) %}x{% endfor %}{% endfor %}{% endfor %}`;
    const slow = ({ caller, domain }: Project, index: number) =>
      suite.bus.call(emails.accept, caller, {
        ...buildSend(domain, { to: `slow-${index}@noisy.test`, body: `${endless}${index}` }),
        data: { name: 'Ada' },
      });
    const fixture = composingFixture(suite);
    await fixture.contactsKnow({});
    for (let index = 0; index < 30; index += 1) await slow(noisy, index);
    await suite.restart(pace);
    await eventually(
      async () => (await countOf(noisy, `state = 'FAILED'`)) > 0,
      'the first slow one has ended',
    );
    await suite.bus.call(emails.accept, quiet.caller, {
      ...buildSend(quiet.domain, { to: 'beside-slow@sink.test', body: '<p>{{ name }}</p>' }),
      data: { name: 'Ada' },
    });
    await arrived('beside-slow@sink.test');
    const ahead = `SELECT count(*)::int AS count FROM emails slow JOIN emails q ON q.project_id = $2
       WHERE slow.project_id = $1 AND slow.failure_kind = 'rendering' AND slow.updated_at > q.created_at AND slow.updated_at < q.sent_at`;
    await eventually(
      async () => (await countOf(quiet, `state = 'SENT'`)) === 1,
      'it is known to have arrived',
    );
    const [row] = await suite.database.query<{ count: number }>(ahead, [noisy.projectId, quiet.projectId]);
    expect(row!.count).toBeLessThan(15);
    await fixture.loseContacts();
  });

  it('does not wait behind marks that were made far ahead of their slots', async () => {
    await acceptMany(noisy, 40, (index) => `ahead-${index}@noisy.test`);
    await suite.restart(pace);
    let most = 0;
    await eventually(async () => {
      const marked = await suite.database.query<{ recipient: string }>(
        `SELECT recipient FROM deliveries WHERE project_id = $1 AND state = 'HANDOFF'`,
        [noisy.projectId],
      );
      const taken = new Set(suite.sink.messages.map(({ to }) => to));
      most = Math.max(most, marked.filter(({ recipient }) => !taken.has(recipient)).length);
      return suite.sink.messages.some(({ to }) => to === 'ahead-20@noisy.test');
    }, 'half of them have arrived');
    // Each replica reserves slots in its marks: a second ahead would be fourteen, and with two replicas two seconds.
    expect(most).toBeLessThan(11);
  });

  it('moves as bulk while another project floods with transactional mail', async () => {
    await acceptMany(noisy, 120, (index) => `flood-${index}@sink.test`);
    await acceptMany(quiet, 4, (index) => `bulk-${index}@sink.test`);
    await suite.database.query(`UPDATE deliveries SET lane = ${lanes.bulk} WHERE project_id = $1`, [
      quiet.projectId,
    ]);
    await suite.restart(pace);
    for (const index of [0, 1, 2, 3]) await arrived(`bulk-${index}@sink.test`);
    const order = suite.sink.messages.map(({ to }) => to).filter((to) => /^(flood|bulk)-/.test(to));
    expect(order.findLastIndex((to) => to.startsWith('bulk'))).toBeLessThan(110);
  });
});

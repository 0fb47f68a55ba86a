import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emails, type AcceptSend, type Caller } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { erase, markDelivered, tablesNaming } from '../testing/erasing.js';
import { buildSend, startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';

let suite: SendingSuite;
beforeAll(async () => {
  suite = await startSendingSuite({ DELIVERY_PAUSED: 'true' });
});
afterAll(() => suite.stop());

const addressOf = (name: string) => `${name}-${newId()}@example.org`;
const contentOf = (caller: Caller, id: string) => suite.bus.call(emails.content, caller, { id });

async function accept(
  caller: Caller,
  domain: string,
  to: string[],
  more: Partial<AcceptSend> = {},
): Promise<string[]> {
  const recipients = to.map((email) => ({ id: newId(), to: { email } }));
  await suite.bus.call(emails.accept, caller, { ...buildSend(domain), ...more, recipients });
  return recipients.map(({ id }) => id);
}

const deliveriesOf = (id: string) =>
  suite.database.query<{ recipient: string; state: string }>(
    `SELECT recipient, state FROM deliveries WHERE email_id = $1 ORDER BY position`,
    [id],
  );

describe('a mail to several recipients', () => {
  it('loses the address, the name and the pending copy of an erased copy recipient', async () => {
    const { caller, domain, projectId } = await suite.buildProject();
    const [main, ada, bob] = [addressOf('main'), addressOf('ada'), addressOf('bob')];
    const [id] = await accept(caller, domain, [main], {
      subject: `With ${ada}`,
      body: `<p>${main}, ${ada} and ${bob}</p>`,
      cc: [
        { email: ada, name: 'Ada' },
        { email: bob, name: 'Bob' },
      ],
      metadata: { with: ada },
    });
    const hash = suite.hasher.hash(projectId, ada);
    expect(await erase(suite, caller, ada)).toBe(1);
    expect(await tablesNaming(suite.database, ada)).toEqual([]);
    expect(await deliveriesOf(id!)).toEqual([
      { recipient: main, state: 'QUEUED' },
      { recipient: hash, state: 'CANCELLED' },
      { recipient: bob, state: 'QUEUED' },
    ]);
    const email = await suite.bus.call(emails.get, caller, { id: id! });
    expect(email).toMatchObject({
      to: main,
      status: 'PENDING',
      subject: `With ${hash}`,
      metadata: { with: hash },
    });
    expect(email.events.map(({ status, recipient }) => [status, recipient])).toEqual([
      ['PENDING', main],
      ['CANCELLED', hash],
    ]);
    const [row] = await suite.database.query<{ headers: object }>(
      `SELECT header_recipients AS headers FROM emails WHERE id = $1`,
      [id],
    );
    expect(row!.headers).toEqual({ cc: [{ email: hash }, { email: bob, name: 'Bob' }] });
    const content = await contentOf(caller, id!);
    expect(content.html).toContain(`<p>${main}, ${hash} and ${bob}</p>`);
    // Nobody is shown the hash.
    expect(content.headers).toMatchObject({ To: main, Cc: `Bob <${bob}>` });
  });

  it('is erased with its main recipient, pending copies included; the events of sent copies stay', async () => {
    const { caller, domain, projectId } = await suite.buildProject();
    const [main, ada, bob] = [addressOf('main'), addressOf('ada'), addressOf('bob')];
    const [id] = await accept(caller, domain, [main], { cc: [{ email: ada }], bcc: [{ email: bob }] });
    await suite.database.query(`UPDATE deliveries SET state = 'SENT' WHERE email_id = $1 AND position < 2`, [
      id,
    ]);
    await suite.database.query(`UPDATE emails SET status = 'DELIVERED' WHERE id = $1`, [id]);
    await erase(suite, caller, main);
    expect(await tablesNaming(suite.database, main)).toEqual([]);
    expect(await deliveriesOf(id!)).toEqual([
      { recipient: suite.hasher.hash(projectId, main), state: 'SENT' },
      { recipient: ada, state: 'SENT' },
      { recipient: bob, state: 'CANCELLED' },
    ]);
    expect((await suite.bus.call(emails.get, caller, { id: id! })).status).toBe('DELIVERED');
    await expect(contentOf(caller, id!)).rejects.toMatchObject({ kind: 'not_found' });
    // And when a reader of a copy goes, too.
    await erase(suite, caller, ada);
    expect(await tablesNaming(suite.database, ada)).toEqual([]);
  });

  it('keeps its content for the other e-mails of the call until the last one is erased', async () => {
    const { caller, domain, projectId } = await suite.buildProject();
    const [ada, bob] = [addressOf('ada'), addressOf('bob')];
    const attachments = [{ filename: 'a.txt', content: Buffer.from('a').toString('base64') }];
    const [first, second] = await accept(caller, domain, [ada, bob], {
      body: `<p>${ada}, ${bob}</p>`,
      attachments,
    });
    await Promise.all([first, second].map((id) => markDelivered(suite.database, id!)));
    const files = () =>
      suite.database.query(`SELECT 1 FROM email_attachments WHERE project_id = $1`, [projectId]);
    await erase(suite, caller, ada);
    expect(await tablesNaming(suite.database, ada)).toEqual([]);
    await expect(contentOf(caller, first!)).rejects.toMatchObject({ kind: 'not_found' });
    expect((await contentOf(caller, second!)).html).toContain(
      `<p>${suite.hasher.hash(projectId, ada)}, ${bob}</p>`,
    );
    expect(await files()).toHaveLength(1);
    await erase(suite, caller, bob);
    await expect(contentOf(caller, second!)).rejects.toMatchObject({ kind: 'not_found' });
    expect(await files()).toHaveLength(0);
    expect(
      await suite.database.query(`SELECT 1 FROM email_contents WHERE project_id = $1`, [projectId]),
    ).toEqual([]);
  });
});

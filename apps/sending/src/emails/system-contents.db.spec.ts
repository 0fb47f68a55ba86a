import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { noProject, emails, serviceCaller, systemProjectId, type Caller } from '@posthorn/contracts';
import { eventually } from '@posthorn/testing';
import { DomainsRepository } from '../domains/domains.repository.js';
import { ProjectStates } from '../projects/project-states.read-model.js';
import { buildSend, startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';
import { SystemContentsRepository } from './system-contents.repository.js';
import { systemContentsWork } from './system-contents.work.js';

const link = 'https://mail.example.test/reset-password?token=secret';
const domain = 'posthorn.example.test';
let suite: SendingSuite;
beforeAll(async () => {
  suite = await startSendingSuite();
  await new ProjectStates(suite.database).put([{ id: systemProjectId, disabled: false, seq: 1 }]);
  await new DomainsRepository(suite.database, suite.queue).verify(systemProjectId, domain);
});
afterAll(() => suite.stop());

async function sent(caller: Caller, from: string, to: string): Promise<string> {
  const send = buildSend(from, { to, body: `<p>${link}</p>` });
  await suite.bus.call(emails.accept, caller, send);
  return send.recipients[0]!.id;
}

const contentOf = async (id: string): Promise<unknown> =>
  (await suite.database.query(`SELECT html FROM email_contents WHERE id = $1`, [id]))[0]?.['html'];
const statusOf = async (caller: Caller, id: string) =>
  (await suite.bus.call(emails.get, caller, { id })).status;

describe('the content of a system mail', () => {
  const system = serviceCaller('gateway', systemProjectId);

  it('is deleted once it is delivered or refused permanently', async () => {
    const [delivered, refused] = [
      await sent(system, domain, 'ok@sink.test'),
      await sent(system, domain, 'rcpt-550-5.1.1@sink.test'),
    ];
    await eventually(async () => (await statusOf(system, delivered)) === 'DELIVERED', 'it is delivered');
    await eventually(async () => (await statusOf(system, refused)) === 'BOUNCED', 'it is refused');
    await suite.queue.enqueue(systemContentsWork, [{ projectId: noProject, key: systemContentsWork.name }]);
    for (const id of [delivered, refused])
      await eventually(async () => (await contentOf(id)) === '', 'its words are gone');
  });

  it('is kept while it may be sent again; the content of other mail is kept', async () => {
    const waiting = await sent(system, domain, 'dot-451@sink.test');
    const { caller, domain: theirs } = await suite.buildProject();
    const other = await sent(caller, theirs, 'ok@sink.test');
    await eventually(async () => (await statusOf(caller, other)) === 'DELIVERED', 'theirs is delivered');
    await new SystemContentsRepository(suite.database).deleteDelivered();
    for (const id of [waiting, other]) expect(await contentOf(id)).toContain(link);
  });
});

import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { contacts, domains, emails, type GetVariables, type Caller } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { ServiceProcess } from '@posthorn/dev';
import {
  eventually,
  openServiceFixture,
  SmtpSink,
  standIn,
  type ServiceFixture,
  type SinkMessage,
} from '@posthorn/testing';
import { entities, migrations } from '../../data-source.js';
import { killingText } from '../../testing/dying.worker.js';
import { buildSend, buildSendingProject, noContacts } from '../../testing/sending-suite.js';

const dying = pathToFileURL('dist/apps/sending/src/testing/dying.worker.js').href;
const dyingAt = (step: 'render' | 'sign') => ({ NODE_OPTIONS: `--import=${dying}?at=${step}` });

let fixture: ServiceFixture;
let sink: SmtpSink;
let running: ServiceProcess[] = [];
beforeAll(async () => {
  [fixture, sink] = await Promise.all([
    openServiceFixture('sending', { entities, migrations }),
    SmtpSink.start(),
  ]);
  await noContacts(fixture.connection);
});
afterEach(async () => {
  await Promise.all(running.map((each) => each.stop()));
  running = [];
});
afterAll(async () => {
  await Promise.all([fixture.close(), sink.stop()]);
});

async function startWorker(changes: Record<string, string> = {}): Promise<ServiceProcess> {
  const quick = {
    SMTP_URL: sink.url,
    SENDING_RATE_PER_SECOND: '0',
    LEASE_SECONDS: '2',
    AMBIGUOUS_SECONDS: '1',
  };
  const worker = await ServiceProcess.start({
    service: 'sending',
    environment: { ...fixture.environment, ...quick, ...changes },
  });
  running.push(worker);
  return worker;
}

/** Contacts whose fields are others at every question. */
function changingContacts(): Promise<() => Promise<void>> {
  let lookups = 0;
  return standIn(fixture.connection, contacts.variables, async ({ emails: addresses }: GetVariables) => {
    const customFields = { plan: `plan ${(lookups += 1)}` };
    return { contacts: addresses.map((email) => ({ email, id: newId(), customFields })) };
  });
}

interface Sent {
  caller: Caller;
  id: string;
}

const rendered = { subject: 'Hello {{ name }}', body: '<p>{{ name | upcase }}, you are on {{ plan }}</p>' };

/** Rendered and signed, one message a name. */
async function sendRendered(
  recipients: { name: string; to?: string }[],
  scheduledAt?: Date,
): Promise<Sent[]> {
  const { caller, domain } = await buildSendingProject(fixture);
  await fixture.bus.call(domains.verify, caller, { domain, signed: true });
  const send = async ({ name, to }: { name: string; to?: string }) => {
    const { emails: accepted } = await fixture.bus.call(emails.accept, caller, {
      ...buildSend(domain, { to, ...rendered }),
      data: { name },
      scheduledAt,
    });
    return { caller, id: accepted[0]!.id };
  };
  return Promise.all(recipients.map(send));
}

/** In one claim: all are due at the same instant. */
async function sendSlice(names: string[]): Promise<Sent[]> {
  const slice = await sendRendered(
    names.map((name) => ({ name })),
    new Date(Date.now() + 3_600_000),
  );
  await fixture.database.query(`UPDATE deliveries SET due_at = now() WHERE email_id = ANY ($1::uuid[])`, [
    slice.map(({ id }) => id),
  ]);
  return slice;
}

async function sendPlain(count: number): Promise<Sent[]> {
  const { caller, domain } = await buildSendingProject(fixture);
  const send = async () => ({
    caller,
    id: (await fixture.bus.call(emails.accept, caller, buildSend(domain))).emails[0]!.id,
  });
  return Promise.all(Array.from({ length: count }, send));
}

const copiesOf = ({ id }: Sent): SinkMessage[] =>
  sink.messages.filter(({ messageId }) => messageId.startsWith(id));

async function inHandOff(sent: Sent[]): Promise<Set<string>> {
  const rows = await fixture.database.query<{ email_id: string }>(
    `SELECT email_id FROM deliveries WHERE state = 'HANDOFF' AND email_id = ANY ($1::uuid[])`,
    [sent.map(({ id }) => id)],
  );
  return new Set(rows.map((row) => row.email_id));
}

const delivered = ({ caller, id }: Sent) =>
  eventually(
    async () => (await fixture.bus.call(emails.get, caller, { id })).status === 'DELIVERED',
    `${id} is DELIVERED`,
    40_000,
  );

/** Another process takes over. G4: nothing is lost, and twice goes out only what was in hand-off, to the byte. */
async function expectAllDelivered(sent: Sent[], handedOff: Set<string>): Promise<void> {
  await startWorker();
  await Promise.all(sent.map(delivered));
  for (const each of sent) {
    const copies = copiesOf(each);
    expect(copies.length).toBeGreaterThanOrEqual(1);
    expect(copies.length).toBeLessThanOrEqual(handedOff.has(each.id) ? 2 : 1);
    expect(new Set(copies.map(({ messageId }) => messageId)).size).toBe(1);
    expect(new Set(copies.map(({ raw }) => raw!.toString('latin1'))).size).toBe(1);
  }
}

const signaturesOf = ({ raw }: SinkMessage): number =>
  raw!.toString('latin1').match(/^DKIM-Signature:/gm)?.length ?? 0;

describe('a worker that is killed', () => {
  it.each(['render', 'sign'] as const)(
    'at the %s of a message does not hand that one over, and another worker delivers all',
    async (step) => {
      const worker = await startWorker(dyingAt(step));
      const plain = await sendPlain(12);
      const leave = await changingContacts();
      const slice = await sendSlice(['Ada', 'Grace', killingText, 'Emmy', 'Sofia']);
      expect(await worker.ended).toEqual({ code: null, signal: 'SIGKILL' });
      const handedOff = await inHandOff([...plain, ...slice]);
      const deadly = slice[2]!;
      expect([handedOff.has(deadly.id), copiesOf(deadly)]).toEqual([false, []]);
      await expectAllDelivered([...plain, ...slice], handedOff);
      expect(new Set(slice.flatMap(copiesOf).map(signaturesOf))).toEqual(new Set([2]));
      await leave();
    },
    90_000,
  );

  it('three times by the same message gives that one up, and delivers all others', async () => {
    const first = await startWorker(dyingAt('render'));
    const plain = await sendPlain(4);
    const leave = await changingContacts();
    const slice = await sendSlice(['Ada', 'Grace', killingText, 'Emmy']);
    const deadly = slice[2]!;
    for (let worker = first, deaths = 1; deaths <= 3; deaths += 1) {
      expect(await worker.ended).toEqual({ code: null, signal: 'SIGKILL' });
      if (deaths < 3) worker = await startWorker(dyingAt('render'));
    }
    // It would not die of the message, and does not get it.
    await startWorker();
    const failed = await eventually(
      async () => {
        const email = await fixture.bus.call(emails.get, deadly.caller, { id: deadly.id });
        return email.status === 'FAILED' && email;
      },
      'the deadly one is given up',
      40_000,
    );
    expect(failed).toMatchObject({
      failureKind: 'rendering',
      error: expect.stringMatching(/given up: 3 times the process .* ended/),
    });
    expect(copiesOf(deadly)).toEqual([]);
    await Promise.all([...plain, ...slice.filter((each) => each !== deadly)].map(delivered));
    await leave();
  });

  it('during DATA duplicates at most one message, with the same bytes', async () => {
    const worker = await startWorker();
    const leave = await changingContacts();
    const [cut, taken] = [
      `hang-at-body-once+${newId()}@sink.test`,
      `late-at-accept-once+${newId()}@sink.test`,
    ];
    const sent = await sendRendered([
      { name: 'Cut', to: cut },
      { name: 'Taken', to: taken },
      { name: 'Other' },
    ]);
    await Promise.all([sink.whenShown('body', cut), sink.whenShown('accept', taken)]);
    worker.kill('SIGKILL');
    await worker.ended;
    const handedOff = await inHandOff(sent);
    expect(sent.slice(0, 2).filter(({ id }) => !handedOff.has(id))).toEqual([]);
    await expectAllDelivered(sent, handedOff);
    expect(sent.slice(0, 2).map((each) => copiesOf(each).map(signaturesOf))).toEqual([[2], [2, 2]]);
    await leave();
  });
});

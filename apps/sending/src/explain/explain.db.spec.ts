import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  contacts,
  emails,
  explanations,
  suppressions,
  type Caller,
  type EmailExplanation,
  type EmailStatus,
} from '@posthorn/contracts';
import { eventually } from '@posthorn/testing';
import { UsageRepository } from '../allowances/usage.repository.js';
import { ProjectStates } from '../projects/project-states.read-model.js';
import { buildEvent, reportAll } from '../testing/reported-mail.js';
import { answerCalls, buildSend, startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';

let suite: SendingSuite;
beforeAll(async () => {
  suite = await startSendingSuite({
    AMBIGUOUS_SECONDS: '1',
    AMBIGUOUS_POLICY: 'hold',
    SMTP_ACCEPT_IS_DELIVERY: 'false',
    SIMULATOR: 'true',
  });
  await answerCalls(suite.connection, contacts.variables, () => ({ contacts: [] }));
});
afterAll(() => suite.stop());

interface Project {
  caller: Caller;
  projectId: string;
  domain: string;
}

type Send = ReturnType<typeof buildSend> & { scheduledAt?: Date; data?: Record<string, unknown> };

const explain = (caller: Caller, id: string): Promise<EmailExplanation> =>
  suite.bus.call(explanations.email, caller, { id });
const accept = async ({ caller }: Project, send: Send): Promise<string> =>
  (await suite.bus.call(emails.accept, caller, send)).emails[0]!.id;
const ended = ({ caller }: Project, id: string, isEnded: (explained: EmailExplanation) => unknown) =>
  eventually(async () => {
    const explained = await explain(caller, id);
    return isEnded(explained) ? explained : null;
  }, 'the outcome');
const disable = (projectId: string, disabled: boolean, seq: number) =>
  new ProjectStates(suite.database).put([{ id: projectId, name: 'A project', disabled, seq }]);
interface Case {
  name: string;
  to?: string;
  prepare?: (project: Project) => Promise<unknown>;
  send?: (project: Project) => Partial<Send>;
  afterwards?: (project: Project, id: string) => Promise<unknown>;
  status: EmailStatus;
  says: RegExp;
  waitsFor?: RegExp;
  failed?: string;
}

/** Each is really caused. */
const cases: Case[] = [
  {
    name: 'an unknown mailbox',
    to: 'rcpt-550-5.1.1@sink.test',
    status: 'BOUNCED',
    says: /^It bounced: the server of the recipient refused it for good\. Recorded: rcpt: 550 5\.1\.1 as asked\.$/,
    failed: 'provider',
  },
  {
    name: 'a policy of the server',
    to: 'dot-554-5.7.1@sink.test',
    status: 'BOUNCED',
    says: /refused it for good\. Recorded: dot: 554 5\.7\.1/,
    failed: 'provider',
  },
  {
    name: 'a refusal for now',
    to: 'rcpt-451@sink.test',
    status: 'PENDING',
    says: /has not been handed to the mail server yet\. Recorded: rcpt: 451/,
    waitsFor: /^Its next attempt at 20\d\d-/,
  },
  {
    name: 'a connection that is lost after the message',
    to: 'drop-after-accept@sink.test',
    status: 'FAILED',
    says: /^Nobody knows whether it arrived/,
    failed: 'provider',
  },
  {
    name: 'a template that cannot be rendered',
    send: () => ({
      body: '{% assign e = "i | x" %}{{ arr | where_exp: "i", e }}',
      data: { arr: [1] },
    }),
    status: 'RENDERING_FAILURE',
    says: /^It was not sent, because its template could not be rendered\./,
  },
  {
    name: 'a suppressed address',
    prepare: ({ caller }) =>
      suite.bus.call(suppressions.put, caller, { email: 'blocked@sink.test', reason: 'COMPLAINT' }),
    to: 'blocked@sink.test',
    status: 'FAILED',
    says: /^It was not sent, because the address is suppressed\. Remove the suppression/,
    failed: 'suppression',
  },
  {
    name: 'a used allowance',
    prepare: ({ projectId }) => new UsageRepository(suite.database).setLimit(projectId, 'TRANSACTIONAL', 0),
    status: 'FAILED',
    says: /^It was not sent, because the allowance of the project is used up\./,
    failed: 'allowance',
  },
  {
    name: 'a used allowance of a project that lets mail wait',
    prepare: async ({ projectId }) => {
      await new UsageRepository(suite.database).setLimit(projectId, 'DAILY', 0);
      await new UsageRepository(suite.database).setWhenExhausted(projectId, 'HOLD');
    },
    status: 'PENDING',
    says: /^It waits for the next day or month, because what may be sent until then is used up\./,
    waitsFor: /^The allowance of the next day or month, which begins \d{4}-\d\d-\d\d 00:0\d UTC\.$/,
  },
  {
    name: 'a disabled project',
    prepare: ({ projectId }) => disable(projectId, true, 2),
    status: 'PENDING',
    says: /has not been handed to the mail server yet\.$/,
    waitsFor: /^The project to be enabled/,
  },
  {
    name: 'a schedule',
    send: () => ({ scheduledAt: new Date(Date.now() + 3_600_000) }),
    status: 'PENDING',
    says: /has not been handed to the mail server yet\.$/,
    waitsFor: /^Its scheduled time, 20\d\d-/,
  },
  {
    name: 'somebody who cancelled it',
    send: () => ({ scheduledAt: new Date(Date.now() + 3_600_000) }),
    afterwards: ({ caller }, id) => suite.bus.call(emails.cancel, caller, { id }),
    status: 'CANCELLED',
    says: /^It was cancelled before it was handed to the mail server\.$/,
  },
  {
    name: 'a domain that lost its verification',
    prepare: ({ projectId }) => disable(projectId, true, 2),
    afterwards: async ({ projectId }) => {
      await suite.database.query(`UPDATE domains SET verified = false WHERE project_id = $1`, [projectId]);
      await disable(projectId, false, 3);
    },
    status: 'FAILED',
    says: /^It was not sent, because the domain of the sender is no longer verified\./,
    failed: 'sender',
  },
  {
    name: 'a full mailbox (simulated)',
    to: 'softbounce@simulator.posthorn.test',
    status: 'FAILED',
    says: /^It was given up, because it could not be delivered in time\. Recorded: 452 4\.2\.2 The mailbox is full/,
    failed: 'window',
  },
  {
    name: 'a server that does not answer (simulated)',
    to: 'delay@simulator.posthorn.test',
    status: 'DELIVERY_DELAY',
    says: /^The provider could not deliver it yet and continues to try\. Recorded: 451 4\.4\.1/,
    waitsFor: /^A report of the provider/,
  },
  {
    name: 'a complaint (simulated)',
    to: 'complaint@simulator.posthorn.test',
    status: 'DELIVERED',
    says: /^It was delivered\. Its reader reported it as spam on 20\d\d-/,
  },
  {
    name: 'a provider that rejects it (simulated)',
    to: 'reject@simulator.posthorn.test',
    status: 'REJECTED',
    says: /^The provider took it and then refused to send it on\. Recorded: The message contains a virus/,
    failed: 'provider',
  },
  {
    name: 'a late bounce',
    afterwards: (_, id) =>
      reportAll(suite, [
        buildEvent({ id }, { kind: 'BOUNCED', detail: '550 5.1.1 gone', statusCode: '5.1.1' }),
      ]),
    status: 'BOUNCED',
    says: /refused it for good\. Recorded: 550 5\.1\.1 gone\.$/,
    failed: 'provider',
  },
  {
    name: 'an address of the simulator that does not exist',
    to: 'nobody@simulator.posthorn.test',
    status: 'FAILED',
    says: /^It was not sent, because there is no such recipient\. Recorded: nobody@simulator\.posthorn\.test is no address/,
    failed: 'suppression',
  },
];

describe('the explanation of an e-mail names', () => {
  it('at least fifteen causes', () => {
    expect(cases.length).toBeGreaterThanOrEqual(15);
  });

  it.each(cases.map((each) => [each.name, each] as const))('%s', async (_, wanted) => {
    const project = await suite.buildProject();
    await wanted.prepare?.(project);
    const send = { ...buildSend(project.domain, { to: wanted.to }), ...wanted.send?.(project) };
    const id = await accept(project, send);
    if (wanted.afterwards) {
      if (wanted.name === 'a late bounce') await ended(project, id, ({ status }) => status === 'SENT');
      await wanted.afterwards(project, id);
    }
    const explained = await ended(
      project,
      id,
      ({ status, summary }) => status === wanted.status && wanted.says.test(summary),
    );
    expect(explained.summary).toMatch(wanted.says);
    if (wanted.waitsFor) expect(explained.waitsFor).toMatch(wanted.waitsFor);
    else expect(explained.waitsFor).toBeNull();
    expect(explained.checks.filter(({ outcome }) => outcome === 'FAILED').map(({ name }) => name)).toEqual(
      wanted.failed ? [wanted.failed] : [],
    );
  });

  it('a mail server that cannot be reached', async () => {
    const project = await suite.buildProject();
    const refused = await accept(project, buildSend(project.domain, { to: 'rcpt-451@sink.test' }));
    await ended(project, refused, ({ attempts }) => attempts.length === 1);
    await suite.sink.stop();
    await suite.database.query(`UPDATE deliveries SET due_at = now() WHERE email_id = $1`, [refused]);
    const id = await accept(project, buildSend(project.domain));
    const explained = await ended(
      project,
      id,
      ({ summary, attempts }) => /cannot be reached/.test(summary) && attempts.length > 0,
    );
    expect(explained.waitsFor).toMatch(/^The mail server, which is tried again at/);
    expect(explained.checks.find(({ name }) => name === 'provider')).toMatchObject({ outcome: 'WAITING' });
    expect(explained.attempts.at(-1)).toMatchObject({ stage: 'connect', verdict: 'REFUSED_FOR_NOW' });
    const twice = await ended(project, refused, ({ attempts }) => attempts.length === 2);
    expect(twice.attempts.map(({ nextAt }) => nextAt)).toEqual([null, expect.any(Date)]);
  });
});

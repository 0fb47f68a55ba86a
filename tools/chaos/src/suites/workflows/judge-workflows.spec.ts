import { describe, expect, it } from '@jest/globals';
import type { SinkLine } from '../../judging/ledger.js';
import {
  judgeWorkflows,
  type ExecutionRow,
  type VisitRow,
  type WorkflowMail,
  type WorkflowsEvidence,
} from './judge-workflows.js';
import type { ReceivedCall } from './webhook-receiver.js';
import { doneReason, endFieldsOf, pathOf, roundsOf, subjects, type Participant } from './workflow-graph.js';

const participants: Participant[] = [
  { email: 'ann', kind: 'answering', loops: false },
  { email: 'sid', kind: 'silent', loops: true },
  { email: 'hal', kind: 'hasty', loops: false },
];
const executions = participants.map(({ email }): ExecutionRow => ({
  id: `x-${email}`,
  email,
  status: 'EXITED',
  reason: doneReason,
  endedAt: 90_000,
}));

function visitsFor(participant: Participant): VisitRow[] {
  return pathOf(participant).map((text, index) => {
    const [step, visit, , branch = null] = text.split(' ') as [string, string, string?, string?];
    const enteredAt = 10_000 + index * 20_000;
    return {
      executionId: `x-${participant.email}`,
      step,
      visit: Number(visit),
      status: 'DONE',
      branch,
      enteredAt,
      endedAt: enteredAt + 16_000,
      emailId: step in subjects ? `e-${participant.email}-${step}-${visit}` : null,
    };
  });
}

const visits = participants.flatMap(visitsFor);
const mails = visits.flatMap(({ emailId, executionId, step }): WorkflowMail[] =>
  emailId === null
    ? []
    : [
        {
          id: emailId,
          email: executionId.slice(2),
          subject: subjects[step]!,
          status: 'DELIVERED',
          failureKind: null,
          isGivenUp: false,
        },
      ],
);
const line = (id: string, to: string): SinkLine => ({
  messageId: `${id}@chaos.test`,
  from: '',
  to,
  mailParameters: '',
  tls: false,
  receivedAt: 1,
  faults: [],
  digest: 'd',
});
const sink = mails.map(({ id, email }) => line(id, email));
const event = (id: string, type: string, data: object, status: number | null = 200): ReceivedCall => ({
  id,
  path: '/events',
  body: JSON.stringify({ id, type, data }),
  status,
});
const hook = (id: string, execution: string, again: string, status: number | null = 200): ReceivedCall => ({
  id,
  path: '/step',
  body: JSON.stringify({ execution, again }),
  status,
});
const hooks = participants.flatMap((participant) =>
  Array.from({ length: roundsOf(participant) }, (_, round) =>
    hook(
      `h-${participant.email}-${round}`,
      `x-${participant.email}`,
      String(participant.loops && round === 0),
    ),
  ),
);
const events = [
  ...mails.map(({ id }) => event(`s-${id}`, 'email.sent', { emailId: id })),
  ...executions.map(({ id }) => event(`c-${id}`, 'workflow.completed', { execution: { id } })),
];
const rowsOf = (calls: readonly ReceivedCall[]) =>
  calls.map(({ id }) => ({ id, status: 'SUCCESS', executionId: null }));
const steps = [...new Set(visits.map(({ step }) => step))].map((step) => {
  const entered = visits.filter((visit) => visit.step === step).length;
  return { step, entered, waiting: 0, done: entered, skipped: 0, failed: 0 };
});

const good: WorkflowsEvidence = {
  participants,
  executions,
  visits,
  mails,
  sink,
  fields: new Map(participants.map((each) => [each.email, endFieldsOf(each)])),
  stepCalls: rowsOf(hooks),
  eventCalls: rowsOf(events),
  received: [...hooks, ...events],
  stats: { executions: { RUNNING: 0, EXITED: 3 }, steps },
  givenUp: 0,
  endedAt: 90_000,
  wantedStrikes: 1,
  strikes: [{ kind: 'kill workflows', state: null, at: 20_000 }],
};
const brokenIn = (change: Partial<WorkflowsEvidence>): string[] =>
  judgeWorkflows({ ...good, ...change })
    .filter((each) => each.broken.length > 0)
    .map(({ property }) => property);
const without = (step: string) =>
  visits.filter((visit) => visit.step !== step || visit.executionId !== 'x-ann');
const changed = (step: string, change: Partial<VisitRow>) =>
  visits.map((visit) =>
    visit.step === step && visit.executionId === 'x-ann' ? { ...visit, ...change } : visit,
  );
const mailChanged = (change: Partial<WorkflowMail>) =>
  mails.map((mail, index) => (index === 0 ? { ...mail, ...change } : mail));
const statsFor = (rows: readonly VisitRow[]): Pick<WorkflowsEvidence, 'stats'> => ({
  stats: {
    ...good.stats,
    steps: steps.map((shown) => {
      const own = rows.filter(({ step }) => step === shown.step);
      const done = own.filter(({ status }) => status === 'DONE').length;
      return { ...shown, entered: own.length, done, waiting: own.length - done };
    }),
  },
});
const given = (rows: VisitRow[]): Partial<WorkflowsEvidence> => ({ visits: rows, ...statsFor(rows) });
const received = (...more: ReceivedCall[]) => ({ received: [...good.received, ...more] });
const lacking = (id: string) => good.received.filter((call) => call.id !== id);
const ended = (change: Partial<ExecutionRow>): Partial<WorkflowsEvidence> => {
  const rows = executions.map((row) => (row.email === 'ann' ? { ...row, ...change } : row));
  return { executions: rows, stats: { ...good.stats, executions: { EXITED: 2, [rows[0]!.status]: 1 } } };
};

describe('the judge of workflows', () => {
  it('holds where every visit had its effect once', () => {
    expect(brokenIn({})).toEqual([]);
  });

  it.each<[string, Partial<WorkflowsEvidence>, string[]]>([
    ['an execution that is open', ended({ status: 'WAITING', reason: null }), ['G12 ends']],
    ['an execution that failed', ended({ status: 'FAILED', reason: 'hook: No response came' }), ['G12 ends']],
    ['a contact with two executions', { executions: [...executions, { ...executions[0]!, id: 'x-2' }], stats: { ...good.stats, executions: { EXITED: 4 } } }, ['G12 ends', 'G12 path', 'G12 hook', 'G19 once']],
    ['a contact that nobody started', { participants: [...participants, { email: 'eve', kind: 'silent', loops: false }], fields: new Map([...good.fields, ['eve', { answers: false, again: false, reached: true }]]) }, ['G12 ends']],
    ['a visit that is missing', given(without('mark')), ['G12 path']],
    ['a visit that was made twice', given([...visits, { ...visits[0]!, visit: 2 }]), ['G12 path']],
    ['a visit that did not end', given(changed('mark', { status: 'WAITING', endedAt: null })), ['G12 path']],
    ['an event that was missed', given(changed('long', { branch: 'timeout' })), ['G12 path']],
    ['an event from before the wait that counted', { visits: visits.map((visit) => (visit.step === 'brief' ? { ...visit, branch: 'event' } : visit)) }, ['G12 path']],
    ['a delay that ended early', { visits: changed('pause', { endedAt: changed('pause', {}).find(({ step }) => step === 'pause')!.enteredAt + 2_990 }) }, ['timers']],
    ['a mail that two visits share', given(changed('last', { emailId: 'e-ann-first-1' })), ['G12 mails']],
    ['a mail of no visit', { mails: [...mails, { ...mails[0]!, id: 'e-other', status: 'FAILED', failureKind: 'delivery_unconfirmed' }], strikes: [...good.strikes, { kind: 'kill sending', state: null, at: 1 }] }, ['G12 mails']],
    ['a mail with another subject', { mails: mailChanged({ subject: 'Last' }) }, ['G12 mails']],
    ['a mail that came twice', { sink: [...sink, sink[0]!] }, ['G3 G4']],
    ['a message of no e-mail', { sink: [...sink, line('e-none', 'ann')] }, ['G3 G4']],
    ['a mail that never arrived', { sink: sink.slice(1) }, ['G3 G4']],
    ['a mail that failed without a strike', { mails: mailChanged({ status: 'FAILED', failureKind: 'delivery_unconfirmed' }) }, ['G4 held', 'G19 once']],
    ['a mail that bounced', { mails: mailChanged({ status: 'BOUNCED' }) }, ['G4 held', 'G19 once']],
    ['a contact that was not updated', { fields: new Map([...good.fields, ['sid', { answers: false, again: true, reached: true }]]) }, ['G12 updates']],
    ['a call of a visit under two ids', { ...received(hook('h-2', 'x-ann', 'false')), stepCalls: [...good.stepCalls, { id: 'h-2', status: 'SUCCESS', executionId: null }] }, ['G12 hook']],
    ['a call of a visit that never came', { received: lacking('h-sid-1'), stepCalls: good.stepCalls.filter(({ id }) => id !== 'h-sid-1') }, ['G12 hook']],
    ['a call that is no row', received(hook('h-2', 'x-ann', 'false')), ['G12 hook', 'G12 calls']],
    ['a call that was never taken', { received: [...lacking('h-ann-0'), hook('h-ann-0', 'x-ann', 'false', 500)] }, ['G12 calls']],
    ['a call that has not ended', { eventCalls: good.eventCalls.map((row, index) => (index === 0 ? { ...row, status: 'PENDING' } : row)) }, ['G19 calls']],
    ['an event under two ids', { ...received(event('c-2', 'workflow.completed', { execution: { id: 'x-ann' } })), eventCalls: [...good.eventCalls, { id: 'c-2', status: 'SUCCESS', executionId: null }] }, ['G19 once']],
    ['an event that never came', { received: lacking('c-x-ann'), eventCalls: good.eventCalls.filter(({ id }) => id !== 'c-x-ann') }, ['G19 once']],
    ['an event that did not happen', { ...received(event('c-2', 'workflow.failed', { execution: { id: 'x-ann' } })), eventCalls: [...good.eventCalls, { id: 'c-2', status: 'SUCCESS', executionId: null }] }, ['G19 once']],
    ['a repetition with another body', received({ ...hooks[0]!, body: `${hooks[0]!.body} ` }), ['G19 bytes']],
    ['statistics of executions that differ', { stats: { ...good.stats, executions: { EXITED: 2 } } }, ['G11 stats']],
    ['statistics of a step that differ', { stats: { ...good.stats, steps: steps.map((step, index) => (index === 3 ? { ...step, done: 0 } : step)) } }, ['G11 stats']],
    ['a step without statistics', { stats: { ...good.stats, steps: steps.slice(1) } }, ['G11 stats']],
    ['too few strikes', { endedAt: 10_000 }, ['strikes']],
  ])('finds %s', (_, change, properties) => {
    expect(brokenIn(change)).toEqual(properties);
  }); // prettier-ignore

  it('lets repetitions under one id pass, and mail whose outcome strikes at sending hide', () => {
    expect(brokenIn(received(hooks[0]!, { ...events[0]!, status: null }))).toEqual([]);
    const held = mailChanged({ status: 'FAILED', failureKind: 'delivery_unconfirmed' });
    const hidden = {
      mails: held,
      received: lacking(`s-${held[0]!.id}`),
      eventCalls: good.eventCalls.filter(({ id }) => id !== `s-${held[0]!.id}`),
      strikes: [...good.strikes, { kind: 'kill sending', state: null, at: 20_000 }],
    };
    expect(brokenIn(hidden)).toEqual([]);
  });

  it('lets one execution be given up for three ends of its processes', () => {
    const reason = 'Error: its process ended 3 times while it worked on this';
    const lost = {
      ...ended({ status: 'FAILED', reason }),
      received: lacking('c-x-ann'),
      eventCalls: good.eventCalls.filter(({ id }) => id !== 'c-x-ann'),
    };
    expect(brokenIn(lost)).toEqual(['G12 ends']);
    expect(brokenIn({ ...lost, strikes: [good.strikes[0]!, good.strikes[0]!, good.strikes[0]!] })).toEqual(
      [],
    );
  });
});

import { finding, type Finding } from '../../judging/finding.js';
import { isGivenUp, type CallRow, type WorkflowsEvidence } from './judge-workflows.js';
import { paths, type ReceivedCall } from './webhook-receiver.js';
import { roundsOf } from './workflow-graph.js';

interface EventBody {
  id: string;
  type: string;
  data: { emailId?: string; execution?: { id: string } };
}

interface StepBody {
  execution: string;
  again: string;
}

export function judgeWebhooks(evidence: WorkflowsEvidence): Finding[] {
  const ofPath = (path: string) => evidence.received.filter((call) => call.path === path);
  const [steps, events] = [ofPath(paths.step), ofPath(paths.events)];
  const lost = new Set(evidence.executions.filter(isGivenUp).map(({ id }) => id));
  return [
    ofVisits(evidence, steps),
    ofEvents(evidence, events),
    delivered('G12 calls', evidence.stepCalls, steps, lost),
    delivered('G19 calls', evidence.eventCalls, events, lost),
    sameBytes(evidence.received),
  ];
}

/** The contact's field tells the first visit from the second one. */
function ofVisits({ participants, executions }: WorkflowsEvidence, calls: readonly ReceivedCall[]): Finding {
  const wanted = new Map(participants.map((participant) => [participant.email, roundsOf(participant)]));
  const ids = idsBy(calls, ({ body }) => {
    const { execution, again } = JSON.parse(body) as StepBody;
    return `${execution} ${again === 'true' ? 1 : 2}`;
  });
  const expected = new Map(
    executions.flatMap((row) => {
      const rounds = wanted.get(row.email) ?? 0;
      const needed = isGivenUp(row) ? 'perhaps' : 'surely';
      // Of who passes the half once the field is false from the start.
      return (rounds === 2 ? [1, 2] : [2]).map((visit) => [`${row.id} ${visit}`, needed] as const);
    }),
  );
  return onceEach('G12 hook', 'a visit whose call came never, or under two ids', ids, expected);
}

/** Each e-mail that was sent, and each execution that ended. */
function ofEvents({ mails, executions }: WorkflowsEvidence, calls: readonly ReceivedCall[]): Finding {
  const ids = idsBy(calls, ({ body }) => {
    const { type, data } = JSON.parse(body) as EventBody;
    return `${type} ${type === 'email.sent' ? data.emailId : data.execution?.id}`;
  });
  const sent = mails.flatMap(({ id, status }) =>
    status === 'DELIVERED' ? [[`email.sent ${id}`, 'surely'] as const] : [],
  );
  const ended = executions.map((row) =>
    isGivenUp(row)
      ? ([`workflow.failed ${row.id}`, 'perhaps'] as const)
      : ([`workflow.completed ${row.id}`, 'surely'] as const),
  );
  const expected = new Map([...sent, ...ended]);
  return onceEach(
    'G19 once',
    'an event that came never, under two ids, or that did not happen',
    ids,
    expected,
  );
}

function idsBy(
  calls: readonly ReceivedCall[],
  subjectOf: (call: ReceivedCall) => string,
): Map<string, Set<string>> {
  const ids = new Map<string, Set<string>>();
  for (const call of calls) {
    const subject = subjectOf(call);
    ids.set(subject, (ids.get(subject) ?? new Set()).add(call.id));
  }
  return ids;
}

function onceEach(
  property: string,
  looksFor: string,
  ids: ReadonlyMap<string, ReadonlySet<string>>,
  expected: ReadonlyMap<string, 'surely' | 'perhaps'>,
): Finding {
  return finding(property, looksFor, expected.size, [
    ...[...expected].map(([subject, needed]) =>
      ids.has(subject) || needed === 'perhaps' ? null : `${subject} never came`,
    ),
    ...[...ids].map(([subject, own]) => (own.size > 1 ? `${subject} came under ${own.size} ids` : null)),
    ...[...ids.keys()].map((subject) => (expected.has(subject) ? null : `${subject} came for nothing`)),
  ]);
}

/** A call that came must be in the rows, and what the rows call a success was taken at least once. */
function delivered(
  property: string,
  rows: readonly CallRow[],
  calls: readonly ReceivedCall[],
  lost: ReadonlySet<string | null>,
): Finding {
  const taken = new Set(calls.flatMap(({ id, status }) => (status === 200 ? [id] : [])));
  const known = new Set(rows.map(({ id }) => id));
  return finding(
    property,
    'a call that was not taken once at least, that has not ended, or that is unknown',
    rows.length,
    [
      ...rows.map(({ id, status, executionId }) => {
        if (status === 'FAILED' && lost.has(executionId)) return null;
        if (status !== 'SUCCESS') return `${id} is ${status}`;
        return taken.has(id) ? null : `${id} is a SUCCESS and was never taken`;
      }),
      ...[...new Set(calls.map(({ id }) => id))].map((id) =>
        known.has(id) ? null : `${id} came and is unknown`,
      ),
    ],
  );
}

function sameBytes(calls: readonly ReceivedCall[]): Finding {
  const bodies = Map.groupBy(calls, ({ id }) => id);
  return finding('G19 bytes', 'a call that was repeated with another body', bodies.size, [
    ...[...bodies].map(([id, each]) =>
      new Set(each.map(({ body }) => body)).size > 1 ? `${id} came with differing bodies` : null,
    ),
  ]);
}

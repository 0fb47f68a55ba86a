import { finding, type Finding, judgeStrikes, type DoneStrike } from '../../judging/finding.js';
import { emailIdOf, type SinkLine } from '../../judging/ledger.js';
import { connections, endsOfSending } from '../campaigns/judge-campaigns.js';
import { judgeWebhooks } from './judge-webhooks.js';
import type { ReceivedCall } from './webhook-receiver.js';
import {
  briefSeconds,
  doneReason,
  endFieldsOf,
  pathOf,
  pauseSeconds,
  roundsOf,
  subjects,
  visitText,
  type Participant,
} from './workflow-graph.js';

export interface ExecutionRow {
  id: string;
  email: string;
  status: string;
  reason: string | null;
  endedAt: number | null;
}

/** One visit of a step. */
export interface VisitRow {
  executionId: string;
  /** Its name. */
  step: string;
  visit: number;
  status: string;
  branch: string | null;
  emailId: string | null;
  enteredAt: number;
  endedAt: number | null;
}

/** An e-mail of the workflow, as sending has it. */
export interface WorkflowMail {
  id: string;
  email: string;
  subject: string;
  status: string;
  failureKind: string | null;
  isGivenUp: boolean;
}

/** The call of a step or of an event, as the dispatcher has it. */
export interface CallRow {
  id: string;
  status: string;
  /** Null for an event. */
  executionId: string | null;
}

/** What GET …/stats answered. */
interface ShownStats {
  executions: Record<string, number>;
  steps: readonly ShownSteps[];
}

export interface ShownSteps {
  /** Its name. */
  step: string;
  entered: number;
  waiting: number;
  done: number;
  skipped: number;
  failed: number;
}

export interface WorkflowsEvidence {
  participants: readonly Participant[];
  executions: readonly ExecutionRow[];
  visits: readonly VisitRow[];
  mails: readonly WorkflowMail[];
  sink: readonly SinkLine[];
  /** Custom fields of contacts in the end, by address. */
  fields: ReadonlyMap<string, Record<string, unknown>>;
  /** Of webhook steps. */
  stepCalls: readonly CallRow[];
  /** Of the subscription; their ids are those of the events. */
  eventCalls: readonly CallRow[];
  received: readonly ReceivedCall[];
  stats: ShownStats;
  /** Work of the service that was given up because its process ended again and again. */
  givenUp: number;
  strikes: readonly DoneStrike[];
  /** When the last execution had ended. */
  endedAt: number;
  wantedStrikes: number;
}

const givenUpReason = 'its process ended 3 times while it worked on this';

/** The strikes themselves end processes, so that an execution may be taken for the cause. */
export const isGivenUp = ({ status, reason }: ExecutionRow): boolean =>
  status === 'FAILED' && (reason ?? '').includes(givenUpReason);

const workflowsProcesses = 2;
/** Work is given up when its process has ended as often. */
const endsToGiveUp = 3;
const waitSeconds: Readonly<Record<string, number>> = { pause: pauseSeconds, brief: briefSeconds };

export function judgeWorkflows(evidence: WorkflowsEvidence): Finding[] {
  return [
    executions(evidence),
    paths(evidence),
    timers(evidence),
    mails(evidence),
    arrived(evidence),
    unconfirmed(evidence),
    updates(evidence),
    ...judgeWebhooks(evidence),
    stats(evidence),
    judgeStrikes(evidence),
  ];
}

function executions({ participants, executions: rows, givenUp, strikes }: WorkflowsEvidence): Finding {
  const byEmail = Map.groupBy(rows, ({ email }) => email);
  const own = strikes.filter(({ kind }) => kind.endsWith(' workflows')).length;
  const ends = own + workflowsProcesses * strikes.filter(({ kind }) => kind === 'crash postgres').length;
  const lost = Math.max(givenUp, rows.filter(isGivenUp).length);
  return finding(
    'G12 ends',
    'a contact without exactly one execution, or one that did not end as its graph says',
    rows.length,
    [
      lost > Math.floor(ends / endsToGiveUp)
        ? `${lost} were given up, ${Math.floor(ends / endsToGiveUp)} can be`
        : null,
      ...participants.map(({ email }) => {
        const count = byEmail.get(email)?.length ?? 0;
        return count === 1 ? null : `${email} has ${count} executions`;
      }),
      ...rows.map((row) => {
        const isRight = row.status === 'EXITED' && row.reason === doneReason;
        return isRight || isGivenUp(row) ? null : `${row.email} is ${row.status}: ${row.reason}`;
      }),
    ],
  );
}

/** Each visit once, in the branch that the contact's answer gives. */
function paths(evidence: WorkflowsEvidence): Finding {
  const visits = Map.groupBy(evidence.visits, ({ executionId }) => executionId);
  const participants = new Map(evidence.participants.map((each) => [each.email, each]));
  return finding(
    'G12 path',
    'a visit that is missing, was made twice, or took another branch',
    evidence.visits.length,
    evidence.executions.map((row) => {
      const participant = participants.get(row.email);
      if (!participant || isGivenUp(row)) return null;
      const wanted = pathOf(participant).toSorted().join(', ');
      const taken = (visits.get(row.id) ?? []).map(({ step, visit, branch, status }) =>
        status === 'DONE' ? visitText(step, visit, branch) : `${visitText(step, visit, branch)} ${status}`,
      );
      const text = taken.toSorted().join(', ');
      return text === wanted ? null : `${row.email} went ${text}`;
    }),
  );
}

function timers({ visits }: WorkflowsEvidence): Finding {
  const waited = visits.filter(
    ({ step, endedAt, branch }) => step in waitSeconds && endedAt !== null && branch !== 'event',
  );
  return finding(
    'timers',
    'a delay or a timeout that ended before its time',
    waited.length,
    waited.map(({ step, executionId, enteredAt, endedAt }) => {
      const early = enteredAt + waitSeconds[step]! * 1_000 - endedAt!;
      return early > 1 ? `${step} of ${executionId} ended ${early} ms early` : null;
    }),
  );
}

/** Each visit of a mail step has one e-mail of its own, and no e-mail is without one. */
function mails(evidence: WorkflowsEvidence): Finding {
  const rows = new Map(evidence.executions.map((row) => [row.id, row]));
  const known = new Map(evidence.mails.map((mail) => [mail.id, mail]));
  const sending = evidence.visits.filter(({ step, emailId }) => step in subjects && emailId !== null);
  const owners = Map.groupBy(sending, ({ emailId }) => emailId!);
  const lost = new Set(evidence.executions.filter(isGivenUp).map(({ email }) => email));
  return finding(
    'G12 mails',
    'a visit without an e-mail of its own, or an e-mail of no visit',
    evidence.mails.length,
    [
      ...sending.map(({ executionId, step, visit, emailId }) => {
        const mail = known.get(emailId!);
        const { email } = rows.get(executionId)!;
        if (!mail) return `${visitText(step, visit, null)} of ${email} has no e-mail`;
        return mail.email === email && mail.subject === subjects[step]
          ? null
          : `${emailId} is "${mail.subject}" to ${mail.email}`;
      }),
      ...[...owners].map(([emailId, visits]) =>
        visits.length > 1 ? `the e-mail ${emailId} is that of ${visits.length} visits` : null,
      ),
      // What came of an effect of an execution that was given up may be unwritten.
      ...evidence.mails.map(({ id, email, subject }) =>
        owners.has(id) || lost.has(email) ? null : `"${subject}" to ${email} is of no visit`,
      ),
      ...tooMany(evidence),
    ],
  );
}

/** Whatever the rows say: no address has more mails of a step than visits that its path has. */
function tooMany({ participants, mails: all }: WorkflowsEvidence): (string | null)[] {
  const counts = Map.groupBy(all, ({ email, subject }) => `${subject} to ${email}`);
  return participants.flatMap((participant) =>
    Object.entries(subjects).map(([step, subject]) => {
      const key = `${subject} to ${participant.email}`;
      const [count, most] = [counts.get(key)?.length ?? 0, step === 'last' ? roundsOf(participant) : 1];
      return count > most ? `"${key}" was sent ${count} times` : null;
    }),
  );
}

/** Mail of workflows is held where its outcome is unknown, so there is no honest repeat. */
function arrived({ mails: all, sink }: WorkflowsEvidence): Finding {
  const copies = Map.groupBy(sink, emailIdOf);
  const known = new Map(all.map((mail) => [mail.id, mail]));
  return finding('G3 G4', 'mail that came twice, that nobody sent, or that did not come', sink.length, [
    ...[...copies].map(([id, lines]) => {
      const [{ to }] = lines as [(typeof sink)[number]];
      if (known.get(id)?.email !== to) return `${to} got ${id}, which is not its e-mail`;
      return lines.length > 1 ? `${to} got ${id} ${lines.length} times` : null;
    }),
    ...all.map(({ id, email, status }) =>
      status === 'DELIVERED' && !copies.has(id) ? `${id} to ${email} is DELIVERED and never arrived` : null,
    ),
  ]);
}

function unconfirmed({ mails: all, strikes }: WorkflowsEvidence): Finding {
  const ends = endsOfSending({ strikes });
  const held = all.filter(({ failureKind }) => failureKind === 'delivery_unconfirmed');
  const lost = all.filter((mail) => mail.isGivenUp && mail.status === 'FAILED');
  const most = { held: connections * ends, lost: Math.floor(ends / endsToGiveUp) };
  return finding('G4 held', 'mail that failed without a strike at sending that explains it', all.length, [
    held.length > most.held ? `${held.length} are unconfirmed, ${most.held} can be` : null,
    lost.length > most.lost ? `${lost.length} were given up, ${most.lost} can be` : null,
    ...all.map((mail) => (isExplained(mail) ? null : `"${mail.subject}" to ${mail.email} is ${mail.status}`)),
  ]);
}

const isExplained = ({ status, failureKind, isGivenUp: isLost }: WorkflowMail): boolean =>
  status === 'DELIVERED' || (status === 'FAILED' && (failureKind === 'delivery_unconfirmed' || isLost));

function updates({ participants, executions: rows, fields }: WorkflowsEvidence): Finding {
  const lost = new Set(rows.filter(isGivenUp).map(({ email }) => email));
  return finding(
    'G12 updates',
    'a contact whose fields are not as its steps set them',
    participants.length,
    participants.map((participant) => {
      const own = fields.get(participant.email) ?? {};
      const differs = Object.entries(endFieldsOf(participant)).filter(([name, value]) => own[name] !== value);
      return differs.length === 0 || lost.has(participant.email)
        ? null
        : `${participant.email}: ${differs.map(([name]) => `${name} ${String(own[name])}`).join(', ')}`;
    }),
  );
}

function stats({ executions: rows, visits, stats: shown }: WorkflowsEvidence): Finding {
  const ofStatus = Map.groupBy(rows, ({ status }) => status);
  const ofStep = Map.groupBy(visits, ({ step }) => step);
  const differs = (what: string, is: number, should: number) =>
    is === should ? null : `${what}: ${is}, and a recount gives ${should}`;
  const missing = [...ofStep.keys()].filter((name) => !shown.steps.some(({ step }) => step === name));
  return finding(
    'G11 stats',
    'statistics that differ from a recount of executions and visits',
    visits.length,
    [
      ...[...new Set([...ofStatus.keys(), ...Object.keys(shown.executions)])].map((status) =>
        differs(status, shown.executions[status] ?? 0, ofStatus.get(status)?.length ?? 0),
      ),
      ...shown.steps.flatMap((step) => {
        const counted = countsOf(ofStep.get(step.step) ?? []);
        return (Object.keys(counted) as (keyof typeof counted)[]).map((name) =>
          differs(`${name} of ${step.step}`, step[name], counted[name]),
        );
      }),
      ...missing.map((name) => `${name} is not in the statistics`),
    ],
  );
}

function countsOf(visits: readonly VisitRow[]): Omit<ShownSteps, 'step'> {
  const of = (wanted: string) => visits.filter(({ status }) => status === wanted).length;
  return {
    entered: visits.length,
    waiting: of('WAITING'),
    done: of('DONE'),
    skipped: of('SKIPPED'),
    failed: of('FAILED'),
  };
}

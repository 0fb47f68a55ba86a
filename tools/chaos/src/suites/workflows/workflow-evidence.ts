import type { SinkLine } from '../../judging/sink-ledger.js';
import type { DoneStrike } from '../service-strikes.js';
import type { ReceivedCall } from './webhook-receiver.js';
import type { Participant } from './workflow-participants.js';

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
export interface ShownStats {
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

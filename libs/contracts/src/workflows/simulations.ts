import { query } from '../schema/contract.js';
import {
  Address,
  Choice,
  Count,
  Flag,
  FreeMap,
  Id,
  Instant,
  ListOf,
  Nested,
  Nullable,
  Numeric,
  Optional,
  Text,
} from '../schema/fields.js';
import { AlsoRequired } from '../schema/required-members.js';
import { JoinFields, PickFields } from '../schema/shapes.js';
import { maxCustomFields } from '../contacts/contacts.js';
import { ExecutionStep } from './executions.js';
import { stepTypes, type StepType } from './graphs.js';
import { WorkflowId } from './workflows.js';

/** LIMIT: more than 500 steps, or mails, calls and updates of more than 4 MiB. */
export const simulationOutcomes = ['COMPLETED', 'EXITED', 'FAILED', 'LIMIT'] as const;
export type SimulationOutcome = (typeof simulationOutcomes)[number];
export const maxSimulatedSteps = 500;
export const maxSimulatedBytes = 4 * 1024 * 1024;
const maxSampledContacts = 1_000;

/** Somebody who need not exist. */
export class SimulatedContact {
  @Address() email: string;
  /** True by default. */
  @Flag() @Optional() subscribed?: boolean;
  @FreeMap({ max: maxCustomFields, legacyAliases: ['data'], v1JsonText: true })
  @Optional()
  customFields?: Record<string, unknown>;
}

const noContact = 'is required unless contactId is given; give only one of them';

/** What an execution would do, from now on, for a contact or for somebody made up (docs/api-decisions.md §7). */
@AlsoRequired(({ contactId }): Record<string, string> =>
  contactId === undefined ? { contact: noContact } : {},
)
export class Simulate {
  @Nested(() => SimulatedContact) @Optional() contact?: SimulatedContact;
  @Id() @Optional() contactId?: string;
  /** Data of the event that triggers it. */
  @FreeMap({ max: 65_536 }) @Optional() event?: Record<string, unknown>;
  @FreeMap({ max: 65_536 }) @Optional() context?: Record<string, unknown>;
  /** By the id of a step: `{event?, after_minutes?}` or `{timeout: true}` for a wait, `{status, body?}` for a webhook.
   * Without one a wait times out and a webhook answers 200. */
  @FreeMap({ max: 65_536 }) @Optional() answers?: Record<string, unknown>;
}

export class SimulateWorkflow extends JoinFields(WorkflowId, Simulate) {}

class SimulatedTimes {
  @Instant() enteredAt: Date;
  @Instant() @Nullable() leftAt: Date | null;
  @Text(1, 100) @Nullable() branch: string | null;
}

class SimulatedVisit extends PickFields(ExecutionStep, ['stepId', 'stepName', 'type', 'visit']) {}

export class SimulatedStep extends JoinFields(SimulatedVisit, SimulatedTimes) {}

export class SimulatedEmail {
  @Id() stepId: string;
  @Instant() at: Date;
  @Address() to: string;
  @Address() from: string;
  @Text(0, 998) subject: string;
  @Text(0, 2 * 1024 * 1024) html: string;
  @Text(0, 2 * 1024 * 1024) text: string;
}

export class SimulatedWebhook {
  @Id() stepId: string;
  @Instant() at: Date;
  @Text(1, 10) method: string;
  @Text(0, 4_000) url: string;
  @FreeMap() headers: Record<string, string>;
  @Text(0, 256 * 1024) @Nullable() body: string | null;
}

export class SimulatedUpdate {
  @Id() stepId: string;
  @Instant() at: Date;
  @FreeMap() updates: Record<string, unknown>;
  @Flag() @Nullable() subscribed: boolean | null;
}

export class Simulation {
  @Choice(simulationOutcomes) outcome: SimulationOutcome;
  @Text(1, 1_000) @Nullable() reason: string | null;
  @ListOf(() => SimulatedStep, 0, maxSimulatedSteps + 1) path: SimulatedStep[];
  @ListOf(() => SimulatedEmail, 0, maxSimulatedSteps) emails: SimulatedEmail[];
  @ListOf(() => SimulatedWebhook, 0, maxSimulatedSteps) webhooks: SimulatedWebhook[];
  @ListOf(() => SimulatedUpdate, 0, maxSimulatedSteps) updates: SimulatedUpdate[];
  @Instant() endedAt: Date;
}

export class SimulateAudience {
  /** That of the workflow by default; null for all subscribed contacts. */
  @Id() @Optional() @Nullable() segmentId?: string | null;
  /** 200 by default. */
  @Count({ min: 1, max: maxSampledContacts }) @Optional() sample?: number;
}

export class SimulateAudienceOf extends JoinFields(WorkflowId, SimulateAudience) {}

export class BranchShare {
  @Id() stepId: string;
  @Text(1, 100) stepName: string;
  @Choice(stepTypes) type: StepType;
  @Text(1, 100) branch: string;
  /** Each once, however often it takes the branch. */
  @Count() contacts: number;
  /** Of the contacts that came to the step, from 0 to 1. */
  @Numeric() share: number;
}

export class EmailsOfDay {
  /** 0 for the first day. */
  @Count() day: number;
  @Count() emails: number;
}

/** Waits time out and webhooks answer 200. */
export class AudienceSimulation {
  /** Contacts that were rehearsed: fewer than asked for where there are no more, or no more time. */
  @Count() sampled: number;
  @FreeMap() outcomes: Record<string, number>;
  @ListOf(() => BranchShare, 0, 5_000) branches: BranchShare[];
  @ListOf(() => EmailsOfDay, 0, 5_000) emailsPerDay: EmailsOfDay[];
}

export const simulations = {
  /** Sends, calls and changes nothing. */
  run: query('workflows.simulations.run', SimulateWorkflow, Simulation),
  audience: query('workflows.simulations.audience', SimulateAudienceOf, AudienceSimulation),
};

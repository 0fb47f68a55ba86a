import {
  audiences,
  contactLookups,
  contacts,
  DomainError,
  emails,
  executions,
  unavailable,
  workflowGraphs,
  workflowMail,
  workflows,
  type AcceptSend,
  type Caller,
  type Contact,
  type CreateWorkflow,
  type Execution,
  type ExecutionWithSteps,
  type UpdateContactById,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { setTimeout as delay } from 'node:timers/promises';
import { executionWork } from '../work-kinds.js';
import { eventually, EventPublisher, standIn } from '@posthorn/testing';
import { buildGraph, type BuiltGraph, type BuiltStep } from './graph-builder.js';
import { usedPaths } from './used-paths.js';
import { startWorkflowsSuite, type WorkflowsSuite } from './workflows-suite.js';

/** What the engine asked of other services, in order. */
export interface Effected {
  sends: AcceptSend[];
  updates: UpdateContactById[];
  /** In whose name each send came. */
  callers: Caller[];
}

export interface EngineSuite extends WorkflowsSuite {
  people: Map<string, Contact>;
  /** Of the segments that have not everybody as a member. */
  members: Map<string, Set<string>>;
  eventData: Map<string, Record<string, unknown>>;
  effected: Effected;
  /** Sends of which the answer is lost after sending stored them. */
  lostAnswers: number;
  /** Why sending refuses everything; null where it does not. */
  refusal: DomainError | null;
  /** A contact was changed, and the change is not answered yet. */
  onUpdate: (update: UpdateContactById, contact: Contact) => Promise<void>;
  /** What Liquid in steps of a project takes. */
  slowTexts: Map<string, () => Promise<void>>;
  /** Variables with which the answer of sending cannot be read. */
  brokenTexts: Set<string>;
  /** Variables with which sending fails. */
  awayTexts: Set<string>;
  /** Sends are answered once it has opened. */
  gate: Promise<void> | null;
  contacts: EventPublisher;
  sending: EventPublisher;
  addContact(projectId: string, fields?: Record<string, unknown>): Contact;
  /** A workflow that is enabled. */
  enable(
    caller: Caller,
    steps: Record<string, BuiltStep>,
    settings?: Partial<CreateWorkflow>,
  ): Promise<{ id: string; graph: BuiltGraph }>;
  /** The service remembers them for a second. */
  forgetStandings(): Promise<void>;
  /** Until the execution was put off. */
  postponed(executionId: string): Promise<unknown>;
  dueNow(executionId: string): Promise<void>;
  start(caller: Caller, workflowId: string, contactId: string): Promise<Execution>;
  /** Until the execution is so. */
  until(
    caller: Caller,
    execution: Pick<Execution, 'id' | 'workflowId'>,
    status: Execution['status'],
  ): Promise<ExecutionWithSteps>;
}

export async function startEngineSuite(changes: Record<string, string> = {}): Promise<EngineSuite> {
  const suite = await startWorkflowsSuite(changes);
  const [ofContacts, sending] = await Promise.all([
    EventPublisher.start(suite.connection, 'contacts'),
    EventPublisher.start(suite.connection),
  ]);
  const engine: EngineSuite = {
    ...suite,
    ...actionsOf(suite),
    people: new Map(),
    members: new Map(),
    eventData: new Map(),
    effected: { sends: [], updates: [], callers: [] },
    gate: null,
    slowTexts: new Map(),
    brokenTexts: new Set(),
    awayTexts: new Set(),
    onUpdate: () => Promise.resolve(),
    lostAnswers: 0,
    refusal: null,
    contacts: ofContacts,
    sending,
    addContact: (projectId, customFields = {}) => {
      const id = newId();
      const at = new Date();
      const contact = { id, projectId, email: `${id}@example.org`, subscribed: true, customFields };
      engine.people.set(id, { ...contact, createdAt: at, updatedAt: at });
      return engine.people.get(id)!;
    },
    stop: async () => {
      await Promise.all(leave.map((stop) => stop()));
      await Promise.all([ofContacts.stop(), sending.stop()]);
      await suite.stop();
    },
  };
  const leave = await standInFor(engine);
  return engine;
}

type Actions = Pick<EngineSuite, 'enable' | 'start' | 'until' | 'forgetStandings' | 'postponed' | 'dueNow'>;

function actionsOf({ bus, database, queue }: WorkflowsSuite): Actions {
  const key = [executionWork.name];
  return {
    forgetStandings: () => delay(1_100),
    postponed: (executionId) =>
      eventually(async () => {
        const [item] = await database.query(
          `SELECT 1 FROM work_items WHERE kind = $1 AND key = $2 AND state = 'WAITING' AND due_at > now() + interval '5 seconds'`,
          [...key, executionId],
        );
        return item ?? null;
      }, 'put off'),
    dueNow: async (executionId) => {
      await database.query(
        `UPDATE work_items SET due_at = now(), state = 'READY' WHERE kind = $1 AND key = $2`,
        [...key, executionId],
      );
      queue.wakeAfterCommit();
    },
    enable: async (caller, steps, settings = {}) => {
      const graph = buildGraph(steps);
      const definition = { name: 'Welcome', triggerType: 'MANUAL' as const, ...settings };
      const { id } = await bus.call(workflows.create, caller, definition);
      await bus.call(workflowGraphs.put, caller, { id, steps: graph.steps, transitions: graph.transitions });
      await bus.call(workflows.resume, caller, { id });
      return { id, graph };
    },
    start: (caller, workflowId, contactId) => bus.call(executions.start, caller, { workflowId, contactId }),
    until: (caller, { id, workflowId }, status) =>
      eventually(async () => {
        const found = await bus.call(executions.get, caller, { id, workflowId });
        return found.status === status ? found : null;
      }, status),
  };
}

function standInFor(engine: EngineSuite): Promise<(() => Promise<void>)[]> {
  const { connection, people, eventData, effected } = engine;
  return Promise.all([
    standIn(connection, contactLookups.byIds, async ({ ids }) => ({
      contacts: ids.flatMap((id) => people.get(id) ?? []),
    })),
    standIn(connection, contactLookups.events, async ({ ids }) => ({
      events: ids.flatMap((id) => (eventData.has(id) ? [{ id, payload: eventData.get(id)! }] : [])),
    })),
    standIn(connection, contacts.update, async (update) => {
      effected.updates.push(update);
      const contact = people.get(update.id)!;
      Object.assign(contact.customFields, update.customFields);
      if (update.subscribed !== undefined) contact.subscribed = update.subscribed;
      await engine.onUpdate(update, contact);
      return contact;
    }),
    standIn(connection, audiences.page, async ({ audience, after = '', limit }, { projectId }) => {
      const members = engine.members.get(audience.segmentId ?? '');
      const items = [...people.values()]
        .filter((person) => person.projectId === projectId && (members?.has(person.id) ?? true))
        .filter(({ id }) => id > after)
        .slice(0, limit);
      return {
        items: items.map(({ id, ...person }) => audienceMember(id, person)),
        next: items.length < limit ? null : items.at(-1)!.id,
      };
    }),
    standIn(connection, workflowMail.texts, async ({ items }, { projectId }) => {
      await engine.slowTexts.get(projectId)?.();
      const names = (known: Set<string>) =>
        items.some(({ variables }) =>
          [...known].some((text) => JSON.stringify(variables).includes(`"${text}"`)),
        );
      if (names(engine.awayTexts)) throw unavailable();
      if (names(engine.brokenTexts)) return {} as never;
      return {
        items: items.map(({ texts, variables }) => ({
          texts: texts.map(({ text }) => filled(text, variables)),
          error: null,
        })),
      };
    }),
    standIn(connection, workflowMail.uses, async (content) => ({ paths: usedPaths(content) })),
    standIn(connection, workflowMail.tryOut, async ({ subject = 'Subject', body = 'Body' }) => ({
      from: 'hello@example.org',
      subject,
      html: body,
      text: body,
    })),
    standIn(connection, emails.get, async ({ id }) => {
      if (!effected.sends.some(({ recipients }) => recipients[0]!.id === id))
        throw new DomainError('not_found', 'resource_not_found', 'No such email');
      return { id, createdAt: new Date() } as never;
    }),
    standInForSends(engine),
  ]);
}

const audienceMember = (contactId: string, { email, subscribed }: Pick<Contact, 'email' | 'subscribed'>) => ({
  contactId,
  email,
  subscribed,
  excluded: false,
});

/** Calls that are gathered are answered one by one. An id that is taken is refused, as sending does. */
function standInForSends(engine: EngineSuite): Promise<() => Promise<void>> {
  const { connection, effected } = engine;
  return standIn(connection, emails.accept, async (send, caller) => {
    const { id, to } = send.recipients[0]!;
    if (engine.refusal) throw engine.refusal;
    if (effected.sends.some(({ recipients }) => recipients[0]!.id === id)) throw unavailable();
    effected.sends.push(send);
    effected.callers.push(caller);
    await engine.gate;
    if (engine.lostAnswers > 0) {
      engine.lostAnswers -= 1;
      throw unavailable();
    }
    const email = { id, to: to.email, from: 'hello@example.org', contactId: null };
    return { emails: [email], acceptedAt: new Date() };
  });
}

/** Enough Liquid for `{{ contact.email }}`. */
function filled(text: string, variables: Record<string, unknown>): { text: string } {
  return {
    text: text.replace(/\{\{ *([\w.]+) *\}\}/g, (_, path: string) =>
      String(
        path
          .split('.')
          .reduce<unknown>((value, name) => (value as Record<string, unknown>)?.[name], variables),
      ),
    ),
  };
}

import { Injectable } from '@nestjs/common';
import {
  contacts,
  DomainError,
  emails,
  normaliseAddress,
  parseMailbox,
  serviceCaller,
  type Caller,
  type SendEmailConfig,
  type UpdateContactConfig,
} from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import { rightsFault, callerFor, LenderStandings } from '../authorities/standings.js';
import { EffectFence } from '../cancellations/effect-fence.js';
import type { Effect } from '../engine/step-machine.js';
import { isTemporary } from './temporary.js';
import { UsedVariables } from '../texts/used-variables.js';
import { StepTexts } from '../texts/step-texts.js';
import { textsOfRecipient } from '../texts/texts-of-stop.js';
import type { Turn } from './turn.js';

export type EffectResult =
  /** Since when what it causes can have happened, where it was done before. */
  | { kind: 'done'; output: Record<string, unknown> | null; at?: Date }
  /** Repeating it would not help. */
  | { kind: 'refused'; reason: string }
  /** Its execution has ended, or was paused with its workflow. */
  | { kind: 'over' }
  | { kind: 'later'; error: Error }
  /** Its project is disabled. */
  | { kind: 'held' };

const atOnce = 64;

type Data = Record<string, unknown>;
interface Addressed {
  to: string;
  data: Data;
}
type Sent = Extract<Effect, { kind: 'email' | 'contact' }>;

/** What steps do in other services. Each effect has the id of its visit, so that a repetition changes nothing. */
@Injectable()
export class Effects {
  constructor(
    private readonly bus: Bus,
    private readonly texts: StepTexts,
    private readonly standings: LenderStandings,
    private readonly fence: EffectFence,
    private readonly used: UsedVariables,
  ) {}

  /** Calls to sending travel together, as the bus gathers them; what waits for its turn does not use up their time. */
  async run(projectId: string, turns: readonly Turn[]): Promise<Map<Turn, EffectResult>> {
    const results = new Map<Turn, EffectResult>();
    for (let from = 0; from < turns.length; from += atOnce) {
      const part = turns.slice(from, from + atOnce);
      for (const [turn, result] of await this.together(projectId, part)) results.set(turn, result);
    }
    return results;
  }

  private async together(projectId: string, turns: readonly Turn[]): Promise<[Turn, EffectResult][]> {
    const addresses = await addressesOf(
      this.texts,
      projectId,
      turns.map((turn) => ({ turn, recipient: configOf(turn.effect!) })),
    );
    const standings = await this.standings.ofEach(projectId, turns);
    const data = await this.dataOf(projectId, turns);
    // Many parts may follow the beginning of a batch.
    if (await this.fence.isHeld(projectId)) return turns.map((turn) => [turn, { kind: 'held' }]);
    const results = await this.fence.whileRunning(projectId, turns, (running) =>
      Promise.all(
        turns.map(async (turn): Promise<[Turn, EffectResult]> => {
          if (!running.has(turn)) return [turn, { kind: 'over' }];
          const lent = standings.get(turn)!;
          const fault = rightsFault(lent, turn.step.type);
          if (fault !== null) return [turn, { kind: 'refused', reason: fault }];
          const to = addresses.get(turn)!;
          if (to instanceof Error) return [turn, { kind: 'refused', reason: to.message }];
          const caller = callerFor(projectId, lent);
          const done = this.one(caller, turn, turn.effect!, { to, data: data.get(turn)! });
          return [turn, await done.catch(resultOfError)];
        }),
      ),
    );
    return Promise.all(
      results.map(async ([turn, result]): Promise<[Turn, EffectResult]> => {
        const isUnknown =
          result.kind === 'later' && turn.effect!.kind === 'email' && isTemporary(result.error);
        return [turn, isUnknown ? await this.looked(projectId, turn, result, addresses.get(turn)!) : result];
      }),
    );
  }

  /** An answer may be lost, and an id that is taken is answered like a deadline that has passed. Whoever ends the execution does not wait for this. */
  private looked(
    projectId: string,
    { effectId: id }: Turn,
    result: EffectResult,
    to: string | Error,
  ): Promise<EffectResult> {
    return this.bus.call(emails.get, serviceCaller('workflows', projectId), { id }).then(
      ({ createdAt: at }) => ({ kind: 'done', output: { emailId: id, to }, at }),
      () => result,
    );
  }

  /** Before anything is locked. */
  private async dataOf(projectId: string, turns: readonly Turn[]): Promise<Map<Turn, Data>> {
    const found = turns.map(async (turn): Promise<[Turn, Data]> => {
      if (turn.effect!.kind !== 'email') return [turn, {}];
      const { contact, event, context, workflow, execution, steps } = turn.variables.shown();
      const variables = { contact, event, context, workflow, execution, steps };
      const content = contentOf(turn.effect!.config);
      return [turn, await this.used.of(projectId, content, variables)];
    });
    return new Map(await Promise.all(found));
  }

  private one(caller: Caller, turn: Turn, effect: Sent, mail: Addressed): Promise<EffectResult> {
    return effect.kind === 'email'
      ? this.send(caller, turn, effect.config, mail)
      : this.update(caller, turn, effect.config);
  }

  private async send(
    caller: Caller,
    turn: Turn,
    config: SendEmailConfig,
    { to, data }: Addressed,
  ): Promise<EffectResult> {
    const id = turn.effectId;
    const { contactId, workflowId } = turn.execution;
    const isContact = to === turn.sources.contact.email;
    const message = {
      recipients: [{ id, to: { email: to }, ...(isContact ? { contactId } : {}) }],
      ...contentOf(config),
      ...(config.templateId ? {} : { category: 'MARKETING' as const }),
      data,
      metadata: { workflowId, executionId: turn.execution.id },
      sourceType: 'WORKFLOW' as const,
    };
    await this.bus.call(emails.accept, caller, message);
    return { kind: 'done', output: { emailId: id, to } };
  }

  private async update(
    caller: Caller,
    turn: Turn,
    { updates, subscribed }: UpdateContactConfig,
  ): Promise<EffectResult> {
    const contact = await this.bus.call(contacts.update, caller, {
      id: turn.execution.contactId,
      ...(updates ? { customFields: updates } : {}),
      ...(subscribed === undefined ? {} : { subscribed }),
      customFieldsMode: 'MERGE',
      effect: { id: turn.effectId, executionId: turn.execution.id },
    });
    turn.showContact(contact);
    return { kind: 'done', output: null };
  }
}

/** As the step says it; a sender may be a text. */
export function contentOf({ templateId, subject, body, from }: SendEmailConfig) {
  const sender = parseMailbox(from);
  return {
    ...(templateId ? { template: templateId } : {}),
    subject,
    body,
    ...(sender ? { from: sender } : {}),
  };
}

/** Of the contact, or what the step's own text gives. */
export async function recipientOf(
  texts: StepTexts,
  projectId: string,
  turn: Turn,
  { recipient }: SendEmailConfig,
): Promise<string | Error> {
  return (await addressesOf(texts, projectId, [{ turn, recipient }])).get(turn)!;
}

async function addressesOf(
  texts: StepTexts,
  projectId: string,
  wanted: readonly { turn: Turn; recipient: SendEmailConfig['recipient'] }[],
): Promise<Map<Turn, string | Error>> {
  const custom = wanted.filter(({ recipient }) => recipient?.type === 'CUSTOM');
  const rendered = await texts.render(
    projectId,
    custom.map(({ turn, recipient }) => ({ turn, texts: textsOfRecipient(recipient) })),
  );
  return new Map(
    wanted.map(({ turn }) => {
      const own = rendered.get(turn);
      if (own === undefined) return [turn, turn.sources.contact.email];
      return [turn, own instanceof Error ? own : addressIn(own[0]!)];
    }),
  );
}

const configOf = (effect: Sent): SendEmailConfig['recipient'] =>
  effect.kind === 'email' ? effect.config.recipient : undefined;

function addressIn(text: string): string | Error {
  return normaliseAddress(text.trim()) ?? new Error(`"${text.slice(0, 100)}" is not an address`);
}

function resultOfError(error: unknown): EffectResult {
  if (error instanceof DomainError && !isTemporary(error))
    return { kind: 'refused', reason: reasonOf(error) };
  return { kind: 'later', error: error instanceof Error ? error : new Error(String(error)) };
}

/** Names the members that are wrong. */
export function reasonOf({ message, details: { errors } }: DomainError): string {
  return errors
    ? errors.map(({ path, message: reason }) => `${path.join('.')} ${reason}`).join('; ')
    : message;
}

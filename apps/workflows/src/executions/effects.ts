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
import type { Activation } from './activation.js';

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
  async run(projectId: string, activations: readonly Activation[]): Promise<Map<Activation, EffectResult>> {
    const results = new Map<Activation, EffectResult>();
    for (let from = 0; from < activations.length; from += atOnce) {
      const part = activations.slice(from, from + atOnce);
      for (const [activation, result] of await this.together(projectId, part))
        results.set(activation, result);
    }
    return results;
  }

  private async together(
    projectId: string,
    activations: readonly Activation[],
  ): Promise<[Activation, EffectResult][]> {
    const addresses = await addressesOf(
      this.texts,
      projectId,
      activations.map((activation) => ({ activation, recipient: configOf(activation.effect!) })),
    );
    const standings = await this.standings.ofEach(projectId, activations);
    const data = await this.dataOf(projectId, activations);
    // Many parts may follow the beginning of a batch.
    if (await this.fence.isHeld(projectId))
      return activations.map((activation) => [activation, { kind: 'held' }]);
    const results = await this.fence.whileRunning(projectId, activations, (running) =>
      Promise.all(
        activations.map(async (activation): Promise<[Activation, EffectResult]> => {
          if (!running.has(activation)) return [activation, { kind: 'over' }];
          const lent = standings.get(activation)!;
          const fault = rightsFault(lent, activation.step.type);
          if (fault !== null) return [activation, { kind: 'refused', reason: fault }];
          const to = addresses.get(activation)!;
          if (to instanceof Error) return [activation, { kind: 'refused', reason: to.message }];
          const caller = callerFor(projectId, lent);
          const done = this.one(caller, activation, activation.effect!, { to, data: data.get(activation)! });
          return [activation, await done.catch(resultOfError)];
        }),
      ),
    );
    return Promise.all(
      results.map(async ([activation, result]): Promise<[Activation, EffectResult]> => {
        const isUnknown =
          result.kind === 'later' && activation.effect!.kind === 'email' && isTemporary(result.error);
        return [
          activation,
          isUnknown ? await this.looked(projectId, activation, result, addresses.get(activation)!) : result,
        ];
      }),
    );
  }

  /** An answer may be lost, and an id that is taken is answered like a deadline that has passed. Whoever ends the execution does not wait for this. */
  private looked(
    projectId: string,
    { effectId: id }: Activation,
    result: EffectResult,
    to: string | Error,
  ): Promise<EffectResult> {
    return this.bus.call(emails.get, serviceCaller('workflows', projectId), { id }).then(
      ({ createdAt: at }) => ({ kind: 'done', output: { emailId: id, to }, at }),
      () => result,
    );
  }

  /** Before anything is locked. */
  private async dataOf(
    projectId: string,
    activations: readonly Activation[],
  ): Promise<Map<Activation, Data>> {
    const found = activations.map(async (activation): Promise<[Activation, Data]> => {
      if (activation.effect!.kind !== 'email') return [activation, {}];
      const { contact, event, context, workflow, execution, steps } = activation.variables.shown();
      const variables = { contact, event, context, workflow, execution, steps };
      const content = contentOf(activation.effect!.config);
      return [activation, await this.used.of(projectId, content, variables)];
    });
    return new Map(await Promise.all(found));
  }

  private one(caller: Caller, activation: Activation, effect: Sent, mail: Addressed): Promise<EffectResult> {
    return effect.kind === 'email'
      ? this.send(caller, activation, effect.config, mail)
      : this.update(caller, activation, effect.config);
  }

  private async send(
    caller: Caller,
    activation: Activation,
    config: SendEmailConfig,
    { to, data }: Addressed,
  ): Promise<EffectResult> {
    const id = activation.effectId;
    const { contactId, workflowId } = activation.execution;
    const isContact = to === activation.sources.contact.email;
    const message = {
      recipients: [{ id, to: { email: to }, ...(isContact ? { contactId } : {}) }],
      ...contentOf(config),
      ...(config.templateId ? {} : { category: 'MARKETING' as const }),
      data,
      metadata: { workflowId, executionId: activation.execution.id, stepId: activation.step.id },
      sourceType: 'WORKFLOW' as const,
    };
    await this.bus.call(emails.accept, caller, message);
    return { kind: 'done', output: { emailId: id, to } };
  }

  private async update(
    caller: Caller,
    activation: Activation,
    { updates, subscribed }: UpdateContactConfig,
  ): Promise<EffectResult> {
    const contact = await this.bus.call(contacts.update, caller, {
      id: activation.execution.contactId,
      ...(updates ? { customFields: updates } : {}),
      ...(subscribed === undefined ? {} : { subscribed }),
      customFieldsMode: 'MERGE',
      effect: { id: activation.effectId, executionId: activation.execution.id },
    });
    activation.showContact(contact);
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
  activation: Activation,
  { recipient }: SendEmailConfig,
): Promise<string | Error> {
  return (await addressesOf(texts, projectId, [{ activation, recipient }])).get(activation)!;
}

async function addressesOf(
  texts: StepTexts,
  projectId: string,
  wanted: readonly { activation: Activation; recipient: SendEmailConfig['recipient'] }[],
): Promise<Map<Activation, string | Error>> {
  const custom = wanted.filter(({ recipient }) => recipient?.type === 'CUSTOM');
  const rendered = await texts.render(
    projectId,
    custom.map(({ activation, recipient }) => ({ activation, texts: textsOfRecipient(recipient) })),
  );
  return new Map(
    wanted.map(({ activation }) => {
      const own = rendered.get(activation);
      if (own === undefined) return [activation, activation.sources.contact.email];
      return [activation, own instanceof Error ? own : addressIn(own[0]!)];
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

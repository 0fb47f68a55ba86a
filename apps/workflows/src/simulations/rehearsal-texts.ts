import { Injectable } from '@nestjs/common';
import { DomainError, workflowMail, type Caller, type SendEmailConfig } from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import { contentOf, reasonOf, recipientOf } from '../executions/effects.js';
import { UsedVariables } from '../texts/used-variables.js';
import { StepTexts } from '../texts/step-texts.js';
import type { Turn } from '../executions/turn.js';
import { WebhookRequests } from '../executions/webhook-requests.js';
import type { RehearsalTexts } from './rehearsal.js';

/** Mails and requests as they would leave. */
@Injectable()
export class RenderedTexts {
  constructor(
    private readonly bus: Bus,
    private readonly texts: StepTexts,
    private readonly requests: WebhookRequests,
    private readonly used: UsedVariables,
  ) {}

  of(caller: Caller): RehearsalTexts {
    return {
      email: (turn, config) => this.email(caller, turn, config),
      webhook: async (turn) => (await this.requests.of(caller.projectId, [turn])).get(turn)!,
    };
  }

  private async email(caller: Caller, turn: Turn, config: SendEmailConfig) {
    const to = await recipientOf(this.texts, caller.projectId, turn, config);
    if (to instanceof Error) return to;
    const content = contentOf(config);
    const variables = await this.used.of(caller.projectId, content, turn.variables.shown());
    const rendered = await this.bus
      .call(workflowMail.tryOut, caller, { ...content, variables })
      .catch(refusalOf);
    return rendered instanceof Error ? rendered : { to, ...rendered };
  }
}

function refusalOf(error: unknown): Error {
  if (error instanceof DomainError && error.kind === 'invalid') return new Error(reasonOf(error));
  throw error;
}

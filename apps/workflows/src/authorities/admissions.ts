import { Injectable } from '@nestjs/common';
import {
  DomainError,
  emails,
  parseMailbox,
  workflowScopeMissing,
  type Authority,
  type Caller,
  type ExecutionId,
  type GivenStep,
  type SendEmailConfig,
} from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import { isTemporary } from '../executions/temporary.js';
import { LendersRepository } from './lenders.repository.js';
import { authorityOf, callerFor, isConfined, scopesOf, LenderStandings } from './standings.js';

type Step = Pick<GivenStep, 'type' | 'config'>;
type Sender = Pick<SendEmailConfig, 'from' | 'templateId'>;

const atOnce = 16;
const time = { timeoutShare: 0.6 };

/** Nobody makes a workflow do what he may not do himself. */
@Injectable()
export class Admissions {
  constructor(
    private readonly standings: LenderStandings,
    private readonly lenders: LendersRepository,
    private readonly bus: Bus,
  ) {}

  /** Answers who lends the workflow his rights. */
  async lender(caller: Caller, steps: readonly Step[]): Promise<Authority> {
    const authority = authorityOf(caller);
    const standing = await this.standings.now(caller.projectId, authority);
    for (const scope of scopesOf(steps.map(({ type }) => type)))
      if (!standing.scopes.includes(scope)) throw workflowScopeMissing(scope);
    if (isConfined(standing))
      await this.refuseOtherSenders(callerFor(caller.projectId, [standing]), sendersOf(steps));
    return authority;
  }

  /** Of one execution; null for somebody who does not confine it further than the lender of its workflow. */
  async starter(caller: Caller, workflowId: string): Promise<Authority | null> {
    return this.confining(caller, await this.lenders.steps(caller.projectId, workflowId));
  }

  async mover(caller: Caller, execution: ExecutionId): Promise<Authority | null> {
    return this.confining(caller, await this.lenders.stepsOf(caller.projectId, execution));
  }

  private async confining(caller: Caller, steps: readonly Step[]): Promise<Authority | null> {
    const authority = await this.lender(caller, steps);
    return isConfined(await this.standings.of(caller.projectId, authority)) ? authority : null;
  }

  private async refuseOtherSenders(confined: Caller, senders: readonly Sender[]): Promise<void> {
    for (let from = 0; from < senders.length; from += atOnce)
      await Promise.all(
        senders.slice(from, from + atOnce).map((sender) => this.refuseOther(confined, sender)),
      );
  }

  /** Only what confinement refuses: what else a step lacks is told when the workflow is enabled, or by its mail. */
  private async refuseOther(confined: Caller, { from, templateId }: Sender): Promise<void> {
    const sender = parseMailbox(from);
    const send = {
      ...(sender ? { from: sender } : {}),
      ...(templateId ? { template: templateId } : { category: 'MARKETING' as const }),
    };
    try {
      await this.bus.call(emails.check, confined, send, time);
    } catch (error) {
      if (isTemporary(error) || !(error instanceof DomainError) || error.kind === 'forbidden') throw error;
    }
  }
}

function sendersOf(steps: readonly Step[]): Sender[] {
  const configs = steps.filter(({ type }) => type === 'SEND_EMAIL').map(({ config }) => config as Sender);
  const distinct = configs.map(({ from, templateId }): Sender => ({ from, templateId: templateId ?? null }));
  return [...new Map(distinct.map((sender) => [JSON.stringify(sender), sender])).values()];
}

import { Injectable, Logger } from '@nestjs/common';
import { overdueMail, type ChangedHeldMail, type HeldMail, type SelectHeldMail } from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { SendingConfig } from '../../config.js';
import { policiesOf, type AmbiguousRules } from '../claiming/leases.repository.js';
import { DeliveryWakeUp } from '../delivery-wake-up.js';
import { failure } from '../outcomes/outcome.js';
import { OutcomeRecorder } from '../outcomes/outcome-recorder.js';
import { OverdueMailRepository, type Gap } from './overdue-mail.repository.js';

const atOnce = 5_000;
const droppedAtOnce = 256;

/** After a long outage, or on a restored database, overdue mail waits for an operator (docs/guarantees.md G24). */
@Injectable()
export class OverdueMail {
  private readonly log = new Logger('OverdueMail');
  private readonly limitSeconds: number;
  private readonly policies: AmbiguousRules['policies'];

  constructor(
    private readonly mail: OverdueMailRepository,
    private readonly recorder: OutcomeRecorder,
    private readonly wakeUp: DeliveryWakeUp,
    config: SendingConfig,
  ) {
    this.limitSeconds = config.outageHoldHours * 3_600;
    this.policies = policiesOf(config);
  }

  /** Before a worker begins. In several transactions, each of which finds the same gap until everything is held. */
  async holdAfterOutage(): Promise<void> {
    let count = 0;
    const holdSome = async ({ restored }: Gap) => {
      if (restored) await this.mail.endWorkers();
      const some = await this.mail.hold(atOnce);
      count += some;
      return some === 0;
    };
    const find = () => this.mail.findGap(this.limitSeconds, holdSome);
    let found: Gap | null = null;
    for (let gap = await find(); gap; gap = await find()) found = gap;
    if (found && count > 0) this.log.error(warningOf(found, count));
  }

  @Handles(overdueMail.held)
  async held({ body }: Incoming<SelectHeldMail>): Promise<HeldMail> {
    const projectId = body.projectId ?? null;
    const [projects, count, oldestDueAt] = await Promise.all([
      this.mail.byProject(projectId),
      this.mail.count(projectId),
      this.mail.oldestDueAt(projectId),
    ]);
    return { count, oldestDueAt, projects };
  }

  @Handles(overdueMail.release)
  async release({ body }: Incoming<SelectHeldMail>): Promise<ChangedHeldMail> {
    const projectId = body.projectId ?? null;
    const changed = await this.mail.release(projectId, atOnce, this.policies);
    if (changed > 0) this.wakeUp.wake();
    return { changed, left: await this.mail.count(projectId) };
  }

  @Handles(overdueMail.drop)
  async drop({ body }: Incoming<SelectHeldMail>): Promise<ChangedHeldMail> {
    const projectId = body.projectId ?? null;
    const outcome = failure(
      'expired',
      'The message was overdue after an outage, and the operator dropped it',
    );
    const rows = await this.mail.someHeld(projectId, droppedAtOnce);
    await Promise.all(rows.map((row) => this.recorder.record({ ...row, subject: null, outcome })));
    return { changed: rows.length, left: await this.mail.count(projectId) };
  }
}

function warningOf({ restored, seconds }: Gap, count: number): string {
  const cause = restored
    ? 'this is a restored copy of the database'
    : `nothing was sent for ${Math.round(seconds / 3_600)} hours`;
  return `${count} overdue messages are held because ${cause}: list them with "posthorn deliveries held", then release or drop them`;
}

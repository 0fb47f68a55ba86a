import { Injectable } from '@nestjs/common';
import { eraseIn, erasingServices, serviceCaller, type ErasingService } from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import { WorkRunner, type WorkBatch, type WorkHandler } from '@posthorn/work';
import { erasureWork, PendingErasures, type PendingErasure } from './pending-erasures.js';
import { ErasuresRepository } from './erasures.repository.js';
import { OwnErasure } from './own-erasure.js';

type OtherService = Exclude<ErasingService, 'contacts'>;
/** WAITS for an import that may contain the person. */
type Step = 'MORE' | 'WAITS' | 'DONE' | Error;

const others: readonly OtherService[] = erasingServices.filter((service) => service !== 'contacts');
const stageOf = ({ answers }: PendingErasure): 'OWN' | 'OTHERS' | 'LAST' =>
  !answers.contacts ? 'OWN' : others.every((service) => answers[service]) ? 'LAST' : 'OTHERS';

const importDelayMs = 1_000;
const callTimeoutMs = 10_000;

/** Erases people in this service first, then in sending, whose events the other services receive, then in those. */
@Injectable()
export class ErasuresWork implements WorkHandler<object> {
  constructor(
    private readonly pending: PendingErasures,
    private readonly erasures: ErasuresRepository,
    private readonly own: OwnErasure,
    private readonly bus: Bus,
    runner: WorkRunner,
  ) {
    runner.register(erasureWork, this);
  }

  async run(batch: WorkBatch): Promise<void> {
    const { projectId } = batch;
    const items = new Map(batch.items.map((item) => [item.key!, item]));
    const { people, unreadable } = await this.pending.open(projectId, [...items.keys()]);
    for (const [id, error] of unreadable) batch.fail(items.get(id)!, error);
    const steps = await this.step(projectId, people);
    const of = (step: Step) =>
      people.filter((person) => steps.get(person) === step).map(({ id }) => items.get(id)!);
    await batch.continueLater(of('MORE'));
    await batch.postpone(of('WAITS'), importDelayMs);
    for (const [person, step] of steps) if (step instanceof Error) batch.fail(items.get(person.id)!, step);
  }

  private async step(projectId: string, people: PendingErasure[]): Promise<Map<PendingErasure, Step>> {
    const stages = Map.groupBy(people, stageOf);
    const [own = [], inOthers = [], last = []] = [
      stages.get('OWN'),
      stages.get('OTHERS'),
      stages.get('LAST'),
    ];
    const steps = new Map<PendingErasure, Step>();
    const note = async (group: readonly PendingErasure[], work: Promise<Step>) => {
      const step = await work.catch((error: Error) => error);
      for (const person of group) steps.set(person, step);
    };
    const waiting = await this.own.mayBeImported(projectId, own);
    await note(waiting, Promise.resolve('WAITS'));
    const free = own.filter((person) => !waiting.includes(person));
    await Promise.all([
      note(free, this.ownStep(projectId, free)),
      note(last, this.lastStep(projectId, last)),
      ...inOthers.map((person) => note([person], this.callOthers(person))),
    ]);
    return steps;
  }

  private async ownStep(projectId: string, people: PendingErasure[]): Promise<Step> {
    if (people.length > 0) await this.erasures.answered(await this.own.step(projectId, people), 'contacts');
    return 'MORE';
  }

  private async lastStep(projectId: string, people: PendingErasure[]): Promise<Step> {
    if (people.length === 0) return 'DONE';
    if (!(await this.own.finish(projectId, people))) return 'MORE';
    await this.erasures.complete(people);
    return 'DONE';
  }

  /** A service that is down is called again later, and does not delay the others. */
  private async callOthers(person: PendingErasure): Promise<Step> {
    const next = others.filter((service) => !person.answers[service]);
    const services = next.includes('sending') ? (['sending'] as const) : next;
    const answers = await Promise.allSettled(services.map((service) => this.callOne(service, person)));
    const failed = answers.find((answer) => answer.status === 'rejected');
    return failed ? (failed.reason as Error) : 'MORE';
  }

  private async callOne(service: OtherService, person: PendingErasure): Promise<void> {
    const { projectId, id, email, createdAt: erasedAt } = person;
    const request = { erasureId: id, contactId: id, email, erasedAt };
    const { done } = await this.bus.call(eraseIn[service], serviceCaller('contacts', projectId), request, {
      timeoutMs: callTimeoutMs,
    });
    if (done) await this.erasures.answered([person], service);
  }
}

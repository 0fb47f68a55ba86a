import { Injectable, Logger } from '@nestjs/common';
import { eraseIn, erasingServices, serviceCaller, type ErasingService } from '@posthorn/contracts';
import { Bus, Upkeep } from '@posthorn/messaging';
import { ErasuresRepository } from './erasures.repository.js';
import { OwnErasure } from './own-erasure.js';
import { PendingErasures, type PendingErasure } from './pending-erasures.js';

type OtherService = Exclude<ErasingService, 'contacts'>;
/** Some of it is left; it waits for something; somebody could not be asked; nothing is left. */
type Step = 'MORE' | 'WAITS' | 'FAILED' | 'DONE';

const others: readonly OtherService[] = erasingServices.filter((service) => service !== 'contacts');
const stageOf = ({ answers }: PendingErasure): 'OWN' | 'OTHERS' | 'LAST' =>
  !answers.contacts ? 'OWN' : others.every((service) => answers[service]) ? 'LAST' : 'OTHERS';

const everyMs = 500;
const atOnce = 64;
const waitSeconds = 1;
const callMs = 10_000;
/** A service that stops waits for no more than that. */
const mostInARound = 20;

/** Has everybody forget whose contacts were deleted: this service first, then sending, whose facts the others hear, then those. */
@Injectable()
export class Erasing {
  private readonly log = new Logger('Erasures');

  constructor(
    private readonly pending: PendingErasures,
    private readonly erasures: ErasuresRepository,
    private readonly own: OwnErasure,
    private readonly bus: Bus,
  ) {}

  async round(): Promise<void> {
    for (let more = true, left = mostInARound; more && left > 0; left -= 1) {
      const taken = await this.pending.take(atOnce);
      const byProject = Map.groupBy(taken, ({ projectId }) => projectId);
      const steps = await Promise.all([...byProject].map(([projectId, people]) => this.step(projectId, people)));
      more = steps.some((each) => each.has('MORE') || each.has('DONE'));
    }
  }

  /** A step of each, by what is to be done next; answers what became of them. */
  private async step(projectId: string, people: PendingErasure[]): Promise<Set<Step>> {
    const stages = Map.groupBy(people, stageOf);
    const [own = [], asking = [], last = []] = [stages.get('OWN'), stages.get('OTHERS'), stages.get('LAST')];
    const steps = new Map<PendingErasure, Step>();
    const learn = async (group: readonly PendingErasure[], work: Promise<Step>) => {
      const step = await work.catch((error: Error) => this.failed('contacts', group, error));
      for (const person of group) steps.set(person, step);
    };
    const waiting = await this.own.mayBeImported(projectId, own);
    await learn(waiting, Promise.resolve('WAITS'));
    const free = own.filter((person) => !waiting.includes(person));
    await Promise.all([
      learn(free, this.ownStep(projectId, free)),
      learn(last, this.lastStep(projectId, last)),
      ...asking.map((person) => learn([person], this.ask(person))),
    ]);
    const bySteps = Map.groupBy(people, (person) => steps.get(person)!);
    await this.erasures.putBack(bySteps.get('MORE') ?? [], 0);
    await this.erasures.putBack(bySteps.get('WAITS') ?? [], waitSeconds);
    await this.erasures.putBackFailed(bySteps.get('FAILED') ?? []);
    return new Set(bySteps.keys());
  }

  private async ownStep(projectId: string, people: PendingErasure[]): Promise<Step> {
    if (people.length > 0) await this.erasures.answered(await this.own.piece(projectId, people), 'contacts');
    return 'MORE';
  }

  private async lastStep(projectId: string, people: PendingErasure[]): Promise<Step> {
    if (people.length === 0) return 'DONE';
    if (!(await this.own.finish(projectId, people))) return 'MORE';
    await this.erasures.complete(people);
    return 'DONE';
  }

  private async ask(person: PendingErasure): Promise<Step> {
    const next = others.filter((service) => !person.answers[service]);
    const steps = await Promise.all(
      (next.includes('sending') ? (['sending'] as const) : next).map((service) => this.askOne(service, person)),
    );
    return steps.includes('FAILED') ? 'FAILED' : 'MORE';
  }

  /** Who is down is asked again, and keeps nobody else from being done. */
  private async askOne(service: OtherService, person: PendingErasure): Promise<Step> {
    const { projectId, id, email, createdAt: erasedAt } = person;
    try {
      const asked = { erasureId: id, contactId: id, email, erasedAt };
      const { done } = await this.bus.call(eraseIn[service], serviceCaller('contacts', projectId), asked, { timeoutMs: callMs });
      if (done) await this.erasures.answered([person], service);
      return 'MORE';
    } catch (error) {
      return this.failed(service, [person], error as Error);
    }
  }

  private failed(service: ErasingService, people: readonly PendingErasure[], { message }: Error): Step {
    this.log.warn(`${service} has not forgotten ${people.map(({ id }) => id).join(', ')}: ${message}`);
    return 'FAILED';
  }
}

/** Every replica works at those that nobody else has taken. */
@Injectable()
export class ErasureLoop extends Upkeep {
  constructor(erasing: Erasing) {
    super('Erasures', everyMs, () => erasing.round());
  }
}

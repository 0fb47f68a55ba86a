import { Injectable } from '@nestjs/common';
import {
  audiences,
  type AudienceSimulation,
  type BranchShare,
  type Caller,
  type EmailsOfDay,
  type SimulateAudienceOf,
  type Simulation,
} from '@posthorn/contracts';
import { DatabaseClock } from '@posthorn/database';
import { Bus } from '@posthorn/messaging';
import { People } from '../executions/people.js';
import { audienceOfSegment } from '../schedules/audience-of-segment.js';
import type { RehearsalTexts } from './rehearsal.js';
import { SimulationsService } from './simulations.service.js';

const defaultSample = 200;
const dayMs = 86_400_000;

/** Where a workflow would lead a sample of its audience; nothing is rendered. */
@Injectable()
export class AudienceSimulations {
  constructor(
    private readonly simulations: SimulationsService,
    private readonly people: People,
    private readonly clock: DatabaseClock,
    private readonly bus: Bus,
  ) {}

  async run(caller: Caller, request: SimulateAudienceOf): Promise<AudienceSimulation> {
    const { id, segmentId = null, sample = defaultSample } = request;
    const definition = await this.simulations.definition(caller.projectId, id);
    const now = await this.clock.now();
    const page = await this.bus.call(audiences.page, caller, {
      ...{ audience: audienceOfSegment(segmentId), until: now, limit: sample },
    });
    const contacts = await this.people.byIds(
      caller.projectId,
      page.items.map(({ contactId }) => contactId),
    );
    const rehearsed: Simulation[] = [];
    for (const contact of contacts.values())
      rehearsed.push(
        await this.simulations.rehearse(
          { ...definition, contact, event: {}, context: {}, answers: {} },
          unrendered,
          now,
        ),
      );
    return {
      sampled: rehearsed.length,
      outcomes: countsOf(rehearsed.map(({ outcome }) => outcome)),
      branches: sharesOf(rehearsed),
      emailsPerDay: daysOf(rehearsed, now),
    };
  }
}

const unrendered: RehearsalTexts = {
  email: async (turn) => ({ to: turn.sources.contact.email, from: '', subject: '', html: '', text: '' }),
  webhook: async () => ({ method: 'POST', url: '', headers: {}, body: null }),
};

function countsOf(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

function sharesOf(rehearsed: readonly Simulation[]): BranchShare[] {
  const taken = rehearsed.flatMap(({ path }) => path.filter(({ branch }) => branch !== null));
  const bySteps = Map.groupBy(taken, ({ stepId }) => stepId);
  return [...bySteps].flatMap(([stepId, visits]) =>
    [...Map.groupBy(visits, ({ branch }) => branch!)].map(([branch, those]) => ({
      ...{ stepId, stepName: those[0]!.stepName, type: those[0]!.type, branch, contacts: those.length },
      share: those.length / visits.length,
    })),
  );
}

function daysOf(rehearsed: readonly Simulation[], from: Date): EmailsOfDay[] {
  const days = rehearsed.flatMap(({ emails }) =>
    emails.map(({ at }) => Math.floor((at.getTime() - from.getTime()) / dayMs)),
  );
  return [...Map.groupBy(days, (day) => day)]
    .map(([day, mails]) => ({ day, emails: mails.length }))
    .toSorted((a, b) => a.day - b.day);
}

import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import {
  audiences,
  simulations,
  type AudiencePage,
  type AudienceSimulation,
  type BranchShare,
  type Caller,
  type Contact,
  type EmailsOfDay,
  type SimulateAudienceOf,
  type Simulation,
} from '@posthorn/contracts';
import { DatabaseClock } from '@posthorn/database';
import { Bus, Handles, type Incoming } from '@posthorn/messaging';
import { People } from '../executions/people.js';
import { audienceOfSegment } from '../workflows/segment-references.js';
import type { RehearsalTexts } from './rehearsal.js';
import { SimulationsService } from './simulations.service.js';

const defaultSample = 200;
/** For one page. */
const lookedAt = 1_000;
/** Of the time that the caller waits; the rest is for the answer. */
const marginMs = 3_000;
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

  /** As far as the time suffices. */
  @Handles(simulations.audience)
  async run({ caller, body: request, deadline }: Incoming<SimulateAudienceOf>): Promise<AudienceSimulation> {
    const { id, sample = defaultSample } = request;
    const remainingMs = await this.clock.msUntil(deadline);
    const stopAt = remainingMs === null ? Infinity : performance.now() + remainingMs - marginMs;
    const definition = await this.simulations.definition(caller.projectId, id);
    const { segmentId = definition.workflow.segmentId } = request;
    const now = await this.clock.now();
    const contacts = await this.sampleOf(caller, segmentId, { sample, now, stopAt });
    const rehearsed: Simulation[] = [];
    for (const contact of contacts) {
      if (performance.now() > stopAt) break;
      const person = { contact, event: {}, context: {}, answers: {} };
      rehearsed.push(await this.simulations.rehearse({ ...definition, ...person }, unrendered, now));
      // Nothing in a rehearsal without texts waits, and others have to be served meanwhile.
      await setImmediate();
    }
    return {
      sampled: rehearsed.length,
      outcomes: countsOf(rehearsed.map(({ outcome }) => outcome)),
      branches: sharesOf(rehearsed),
      emailsPerDay: daysOf(rehearsed, now),
    };
  }

  /** Those whom a schedule would start: members of the segment, or subscribed contacts. */
  private async sampleOf(
    caller: Caller,
    segmentId: string | null,
    { sample, now: until, stopAt }: { sample: number; now: Date; stopAt: number },
  ): Promise<Contact[]> {
    const audience = audienceOfSegment(segmentId);
    const ids: string[] = [];
    let after: string | null | undefined;
    do {
      const page: AudiencePage = await this.bus.call(audiences.page, caller, {
        audience,
        until,
        limit: lookedAt,
        ...(after ? { after } : {}),
      });
      const meant = page.items.filter(({ subscribed }) => subscribed || segmentId !== null);
      ids.push(...meant.map(({ contactId }) => contactId));
      after = page.next;
    } while (after !== null && ids.length < sample && performance.now() < stopAt);
    return [...(await this.people.byIds(caller.projectId, ids.slice(0, sample))).values()];
  }
}

const unrendered: RehearsalTexts = {
  email: async (activation) => ({
    to: activation.sources.contact.email,
    from: '',
    subject: '',
    html: '',
    text: '',
  }),
  webhook: async () => ({ method: 'POST', url: '', headers: {}, body: null }),
};

function countsOf(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** Of contacts, not of visits: in a loop a contact may take every branch. */
function sharesOf(rehearsed: readonly Simulation[]): BranchShare[] {
  const visits = rehearsed.flatMap(({ path }, contact) => path.map((visit) => ({ ...visit, contact })));
  return [...Map.groupBy(visits, ({ stepId }) => stepId)].flatMap(([stepId, ofStep]) => {
    const { stepName, type } = ofStep[0]!;
    const taken = Map.groupBy(
      ofStep.filter(({ branch }) => branch !== null),
      ({ branch }) => branch!,
    );
    return [...taken].map(([branch, ofBranch]) => {
      const contacts = contactsOf(ofBranch);
      return { stepId, stepName, type, branch, contacts, share: contacts / contactsOf(ofStep) };
    });
  });
}

const contactsOf = (visits: readonly { contact: number }[]): number =>
  new Set(visits.map(({ contact }) => contact)).size;

function daysOf(rehearsed: readonly Simulation[], from: Date): EmailsOfDay[] {
  const days = rehearsed.flatMap(({ emails }) =>
    emails.map(({ at }) => Math.floor((at.getTime() - from.getTime()) / dayMs)),
  );
  return [...Map.groupBy(days, (day) => day)]
    .map(([day, mails]) => ({ day, emails: mails.length }))
    .toSorted((a, b) => a.day - b.day);
}

import { Injectable } from '@nestjs/common';
import { isTimeZone, projects, serviceCaller, type AudienceMember } from '@posthorn/contracts';
import { TtlCache } from '@posthorn/database';
import { Bus } from '@posthorn/messaging';
import type { CampaignRow } from '../campaigns/campaign.entity.js';
import type { LaunchRow } from '../launching/launch.entity.js';
import { dueAtOf, startOf } from './due-times.js';

export interface RecipientTime {
  /** Null where the campaign leaves at once. */
  dueAt: Date | null;
  timeZone: string | null;
}

const timeoutMs = 5_000;
const atOnce: RecipientTime = { dueAt: null, timeZone: null };
const knownZones = new Map<string, boolean>();

@Injectable()
export class RecipientTimes {
  private readonly zones = new TtlCache((projectId) => this.zoneOf(projectId!));

  constructor(private readonly bus: Bus) {}

  async of(
    { projectId, id, timing, scheduledAt }: CampaignRow,
    { launchedAt }: Pick<LaunchRow, 'launchedAt'>,
    members: readonly AudienceMember[],
  ): Promise<RecipientTime[]> {
    if (timing === null) return members.map(() => atOnce);
    const usual = await this.zones.of(projectId);
    const launched = { campaignId: id, startsAt: startOf(launchedAt, scheduledAt) };
    return members.map(({ contactId, timeZone }) => {
      const zone = timeZone && isKnown(timeZone) ? timeZone : usual;
      return { dueAt: dueAtOf(timing, launched, { contactId, zone }), timeZone: zone };
    });
  }

  private async zoneOf(projectId: string): Promise<string> {
    const caller = serviceCaller('campaigns', projectId);
    const { timeZone = 'UTC' } = await this.bus.call(projects.get, caller, { id: projectId }, { timeoutMs });
    return timeZone;
  }
}

/** A zone is looked up once: contacts may name anything, so what is remembered is bounded. */
function isKnown(name: string): boolean {
  const known = knownZones.get(name);
  if (known !== undefined) return known;
  if (knownZones.size > 10_000) knownZones.clear();
  knownZones.set(name, isTimeZone(name));
  return knownZones.get(name)!;
}

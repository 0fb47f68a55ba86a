import type { Campaign, CampaignTiming, InvalidMember } from '@posthorn/contracts';

export function timingFaults({ timing, test }: Pick<Campaign, 'timing' | 'test'>): InvalidMember[] {
  if (timing === null) return [];
  const { quietHours } = timing;
  return [
    ...(isEmpty(timing)
      ? [fault(['timing'], 'needs spreadMinutes, localTime or quietHours; leave it null to send at once')]
      : []),
    ...(quietHours && quietHours.from === quietHours.to
      ? [fault(['timing', 'quietHours', 'to'], 'must differ from the beginning of the quiet hours')]
      : []),
    ...(test === null
      ? []
      : [fault(['timing'], 'does not go with variants, of which most people wait for the winner')]),
  ];
}

const isEmpty = ({ spreadMinutes, localTime, quietHours }: CampaignTiming): boolean =>
  spreadMinutes === undefined && localTime === undefined && quietHours === undefined;

const fault = (path: string[], message: string): InvalidMember => ({ path, code: 'not_allowed', message });

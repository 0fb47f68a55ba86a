import { type Campaign, type CampaignTiming, type InvalidMember, DomainError } from '@posthorn/contracts';

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

export function variantFaults({ variants, test }: Pick<Campaign, 'variants' | 'test'>): InvalidMember[] {
  if (variants === null && test === null) return [];
  if (variants === null) return [{ path: ['variants'], code: 'required', message: 'is required for a test' }];
  const names = variants.map(({ name }) => name);
  const repeated = names.flatMap((name, index): InvalidMember[] =>
    names.indexOf(name) === index
      ? []
      : [
          {
            path: ['variants', String(index), 'name'],
            code: 'not_allowed',
            message: 'is the name of another variant',
          },
        ],
  );
  return test === null
    ? [...repeated, { path: ['test'], code: 'required', message: 'is required for variants' }]
    : repeated;
}

export function insideVariant(error: unknown, index: number): unknown {
  if (!(error instanceof DomainError) || !error.details.errors) return error;
  const errors = error.details.errors.map((failure) => ({
    ...failure,
    path: ['variants', String(index), ...failure.path],
  }));
  return new DomainError(error.kind, error.code, error.message, { ...error.details, errors });
}

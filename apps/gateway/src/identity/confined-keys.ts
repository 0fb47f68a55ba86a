import type { Caller, Confinement } from '@posthorn/contracts';
import { notInConfinedOrigin, onlySubscribes } from '../wire/errors.js';
import { headerValues } from '../wire/header-values.js';
import type { Route } from '../routes/route-table.js';
import { scopesOf } from '../routes/route.js';

/** What the gateway can decide without knowing the message (docs/decisions/0023). */
export function refuseOutside(
  { origins, subscribeOnly }: Confinement,
  { declaration }: Route,
  rawHeaders: readonly string[],
): void {
  const [origin, ...others] = headerValues(rawHeaders, 'origin');
  if (origins && (origin === undefined || others.length > 0 || !origins.includes(origin)))
    throw notInConfinedOrigin();
  if (subscribeOnly && !scopesOf(declaration).includes('lists:write')) throw onlySubscribes();
}

export const enforcedByServices = ({
  templateIds,
  recipients,
  subscribeOnly,
}: Confinement): NonNullable<Caller['confine']> => ({
  ...(templateIds ? { templateIds } : {}),
  ...(recipients === 'CONTACTS' ? { onlyContacts: true } : {}),
  ...(subscribeOnly ? { subscribeOnly } : {}),
});

import type { Authority, Caller, Scope, Standing, StepType } from '@posthorn/contracts';
import { serviceCaller } from '@posthorn/contracts';

/** What a request would need to do the same as a step. */
const scopesOfSteps: Partial<Record<StepType, Scope>> = {
  SEND_EMAIL: 'emails:send',
  UPDATE_CONTACT: 'contacts:write',
};

export const scopesOf = (types: Iterable<StepType>): Scope[] => [
  ...new Set([...types].flatMap((type) => scopesOfSteps[type] ?? [])),
];

/** Why those who lend their rights to an execution may not do a step of this type now; null where they may. */
export function rightsFault(standings: readonly Standing[], type: StepType): string | null {
  if (standings.some(({ isValid }) => !isValid))
    return 'Whoever enabled or started this may no longer do so (a revoked key, a removed member or application): enable the workflow again';
  const [needed] = scopesOf([type]);
  if (needed && !standings.every(({ scopes }) => scopes.includes(needed)))
    return `The credential that enabled or started this lacks the scope ${needed}`;
  const domains = new Set(standings.flatMap(({ domainId }) => domainId ?? []));
  return domains.size > 1 ? 'The credentials that enabled and started this share no domain' : null;
}

/** Confined as they are, so that other services refuse what they would refuse them. */
export function callerFor(projectId: string, standings: readonly Standing[]): Caller {
  const inSandbox = standings.find(({ mode }) => mode === 'TEST');
  const domainId = standings.find((standing) => standing.domainId !== null)?.domainId;
  return {
    ...serviceCaller('workflows', projectId),
    ...(inSandbox ? { mode: 'TEST' as const } : {}),
    ...(inSandbox?.sandbox ? { sandbox: inSandbox.sandbox } : {}),
    ...(domainId ? { domainId } : {}),
  };
}

export const authorityOf = ({ actor: { kind, id } }: Caller): Authority => ({ kind, id });

export const isConfined = ({ mode, domainId }: Standing): boolean => mode === 'TEST' || domainId !== null;

import { Injectable } from '@nestjs/common';
import {
  authorities,
  serviceCaller,
  type Authority,
  type Standing,
  type Caller,
  type Scope,
  type StepType,
} from '@posthorn/contracts';
import { TtlCache } from '@posthorn/database';
import { Bus } from '@posthorn/messaging';

interface Known {
  standing: Standing;
  /** Of the project. */
  disabled: boolean;
}

const itself: Authority = { kind: 'SERVICE', id: 'workflows' };

/** What those may do who lend their rights to workflows, at most a second old (docs/decisions/0036-lent-authority.md). */
@Injectable()
export class LenderStandings {
  private readonly known = new TtlCache((projectId, kind, id) =>
    this.read(projectId!, { kind: kind as Authority['kind'], id: id! }),
  );

  constructor(private readonly bus: Bus) {}

  /** As it is at this moment. */
  async now(projectId: string, { kind, id }: Authority): Promise<Standing> {
    return (await this.known.refresh(projectId, kind, id)).standing;
  }

  async of(projectId: string, { kind, id }: Authority): Promise<Standing> {
    return (await this.known.of(projectId, kind, id)).standing;
  }

  /** Of the lenders of each, with one call for each lender. */
  async ofEach<Lent extends { execution: { lenders: readonly Authority[] } }>(
    projectId: string,
    activations: readonly Lent[],
  ): Promise<Map<Lent, Standing[]>> {
    const found = activations.map(async (activation) => {
      const { lenders } = activation.execution;
      return [activation, await Promise.all(lenders.map((lender) => this.of(projectId, lender)))] as const;
    });
    return new Map(await Promise.all(found));
  }

  async isDisabled(projectId: string): Promise<boolean> {
    return (await this.known.of(projectId, itself.kind, itself.id)).disabled;
  }

  private async read(projectId: string, authority: Authority): Promise<Known> {
    const { disabled, items } = await this.bus.call(
      authorities.standings,
      serviceCaller('workflows', projectId),
      { authorities: [authority] },
    );
    return { disabled, standing: items[0]! };
  }
}

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

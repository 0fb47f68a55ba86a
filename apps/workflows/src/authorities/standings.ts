import { Injectable } from '@nestjs/common';
import { authorities, serviceCaller, type Authority, type Standing } from '@posthorn/contracts';
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
    turns: readonly Lent[],
  ): Promise<Map<Lent, Standing[]>> {
    const found = turns.map(async (turn) => {
      const { lenders } = turn.execution;
      return [turn, await Promise.all(lenders.map((lender) => this.of(projectId, lender)))] as const;
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

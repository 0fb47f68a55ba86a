import { authorities, scopes, type Standing } from '@posthorn/contracts';
import type { BusConnection } from '@posthorn/messaging';
import { standIn } from '@posthorn/testing';

export interface KnownAuthorities {
  /** By the id of the actor; all others may do everything. */
  standings: Map<string, Partial<Standing>>;
  disabledProjects: Set<string>;
}

export const noAuthorities = (): KnownAuthorities => ({ standings: new Map(), disabledProjects: new Set() });

export const standInAuthorities = (
  connection: BusConnection,
  { standings, disabledProjects }: KnownAuthorities = noAuthorities(),
): Promise<() => Promise<void>> =>
  standIn(connection, authorities.standings, async ({ authorities: asked }, { projectId }) => ({
    disabled: disabledProjects.has(projectId),
    items: asked.map(({ id }) => ({ ...unconfined, ...standings.get(id) })),
  }));

const unconfined: Standing = {
  isValid: true,
  scopes: [...scopes],
  mode: 'LIVE',
  sandbox: null,
  domainId: null,
};

import {
  lists,
  memberships,
  type Caller,
  type CreateList,
  type List,
  type Subscribe,
  type Subscription,
} from '@posthorn/contracts';
import { ConfirmTokens } from '@posthorn/mail';
import { testSecret } from '@posthorn/testing';
import type { BorrowedContacts } from './contacts-suite.js';

const tokens = new ConfirmTokens([testSecret]);

export function listsFixture(suite: BorrowedContacts) {
  const { bus } = suite;
  return {
    build: (caller: Caller, wanted: Partial<CreateList> = {}): Promise<List> =>
      bus.call(lists.create, caller, { name: 'News', ...wanted }),
    subscribe: (caller: Caller, id: string, body: Subscribe): Promise<Subscription> =>
      bus.call(memberships.subscribe, caller, { ...body, id }),
    unsubscribe: (caller: Caller, id: string, email: string) =>
      bus.call(memberships.unsubscribe, caller, { id, email }),
    look: (token: string) => bus.call(memberships.look, ...requested(token)),
    confirm: (token: string) => bus.call(memberships.confirm, ...requested(token)),
    countOf: async (caller: Caller, id: string): Promise<number> =>
      (await bus.call(lists.get, caller, { id })).memberCount,
    /** Counted from the rows themselves. */
    recount: async ({ projectId }: Caller, id: string): Promise<number> => {
      const [row] = await suite.database.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM memberships WHERE project_id = $1 AND list_id = $2 AND status = 'CONFIRMED'`,
        [projectId, id],
      );
      return row!.count;
    },
  };
}

/** As the gateway calls it. */
function requested(token: string): [Caller, { membershipId: string; tokenHash: string }] {
  const { projectId, membershipId, tokenHash } = tokens.read(token)!;
  return [
    { projectId, actor: { kind: 'SERVICE', id: 'gateway' } },
    { membershipId, tokenHash },
  ];
}

import {
  contactImports,
  importPieceBytes,
  type Caller,
  type ContactImport,
  type ContactImportError,
  type ContactImportOptions,
} from '@posthorn/contracts';
import { eventually } from '@posthorn/testing';
import type { BorrowedContacts } from './contacts-suite.js';

const waiting = { timeoutMs: 20_000 };

export function importsFixture(suite: BorrowedContacts) {
  const { bus } = suite;
  const get = (caller: Caller, { id }: { id: string }) =>
    bus.call(contactImports.get, caller, { id }, waiting);
  return {
    /** In pieces, as the gateway does. */
    upload: async (
      caller: Caller,
      table: string | Buffer,
      options: ContactImportOptions = {},
    ): Promise<ContactImport> => {
      const bytes = Buffer.from(table as string);
      const pieces = Array.from(
        { length: Math.max(1, Math.ceil(bytes.length / importPieceBytes)) },
        (_, index) =>
          bytes.subarray(index * importPieceBytes, (index + 1) * importPieceBytes).toString('base64'),
      );
      let job = await bus.call(
        contactImports.start,
        caller,
        { ...options, bytes: pieces[0]!, last: pieces.length === 1 },
        waiting,
      );
      for (const [position, piece] of pieces.entries()) {
        const last = position === pieces.length - 1;
        if (position > 0)
          job = await bus.call(
            contactImports.append,
            caller,
            { id: job.id, place: position, bytes: piece, last },
            waiting,
          );
      }
      return job;
    },
    get,
    ended: (caller: Caller, job: { id: string }): Promise<ContactImport> =>
      eventually(
        async () => {
          const now = await get(caller, job).catch(() => null);
          return now?.finishedAt ? now : null;
        },
        'the import ends',
        90_000,
      ),
    errorsOf: async (caller: Caller, { id }: { id: string }): Promise<ContactImportError[]> =>
      (await bus.call(contactImports.errors, caller, { id })).items,
    /** By address. */
    contactsOf: (
      caller: Caller,
    ): Promise<{ email: string; subscribed: boolean; customFields: Record<string, unknown> }[]> =>
      suite.database.query(
        `SELECT email, subscribed, custom_fields AS "customFields" FROM contacts WHERE project_id = $1 ORDER BY email COLLATE "C"`,
        [caller.projectId],
      ),
  };
}

export const addresses = (count: number, of = 'list') =>
  Array.from({ length: count }, (_, index) => `r${index}@${of}.example`);

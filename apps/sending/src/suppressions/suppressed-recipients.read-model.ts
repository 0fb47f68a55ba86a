import { recipients, type SuppressedRecipients, type GetSuppressed } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import { Handles, type Incoming } from '@posthorn/messaging';
import type { ErasedAddressHasher } from '../erasures/erased-names.js';

interface RequestedRecipients {
  projectId: string;
  emails: string[];
}

export class SuppressedRecipientsReadModel {
  constructor(
    private readonly database: Database,
    private readonly hasher: ErasedAddressHasher,
  ) {}

  /** One query for all calls gathered meanwhile, answered in their order. */
  @Handles(recipients.suppressed)
  suppressedOf(calls: Incoming<GetSuppressed>[]): Promise<SuppressedRecipients[]> {
    return this.among(
      calls.map(({ caller, body }) => ({ projectId: caller.projectId, emails: body.emails })),
    );
  }

  async of(projectId: string, emails: string[]): Promise<ReadonlySet<string>> {
    const [found] = await this.among([{ projectId, emails }]);
    return new Set(found!.emails);
  }

  private async among(requested: RequestedRecipients[]): Promise<SuppressedRecipients[]> {
    const checked = requested.flatMap(({ projectId, emails }, index) =>
      emails.flatMap((email) =>
        [email, this.hasher.hash(projectId, email)].map((known) => ({ index, projectId, email, known })),
      ),
    );
    const rows = await this.database.query<{ index: number; email: string }>(
      `SELECT r.index, r.email FROM unnest($1::int[], $2::uuid[], $3::text[], $4::text[]) AS r (index, project_id, email, known)
       JOIN suppressions s ON s.project_id = r.project_id AND s.email = r.known`,
      [
        checked.map(({ index }) => index),
        checked.map(({ projectId }) => projectId),
        checked.map(({ email }) => email),
        checked.map(({ known }) => known),
      ],
    );
    const found = Map.groupBy(rows, ({ index }) => index);
    return requested.map(({ emails }, index) => {
      const suppressed = new Set(found.get(index)?.map(({ email }) => email));
      return { emails: emails.filter((email) => suppressed.has(email)) };
    });
  }
}

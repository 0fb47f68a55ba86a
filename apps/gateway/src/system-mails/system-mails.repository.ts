import { Injectable } from '@nestjs/common';
import { noProject } from '@posthorn/contracts';
import { Database } from '@posthorn/database';
import { WorkQueue, work } from '@posthorn/work';

/** A mail from Posthorn itself, keyed by its id. The handler decides when it is too old. */
export const systemMailWork = work('gateway.system-mails', {
  concurrency: 5,
  timeoutMs: 15_000,
  retry: { attempts: Infinity, firstMs: 2_000, maxMs: 30_000 },
});

export interface SealedMail {
  id: string;
  sealed: string;
}

/** The links in the mail have expired by then. */
const retentionHours = 24;

/** Not scoped to a project. */
@Injectable()
export class SystemMailsRepository {
  constructor(
    private readonly database: Database,
    private readonly queue: WorkQueue,
  ) {}

  /** Joins the ambient transaction; delivery starts after the commit. */
  async insert({ id, sealed }: SealedMail): Promise<void> {
    await this.database.transaction(async () => {
      await this.database.query(`INSERT INTO system_mails (id, sealed) VALUES ($1, $2)`, [id, sealed]);
      await this.queue.enqueue(systemMailWork, [{ projectId: noProject, key: id }]);
    });
  }

  async find(id: string): Promise<(SealedMail & { tooOld: boolean }) | null> {
    const [mail] = await this.database.query<SealedMail & { tooOld: boolean }>(
      `SELECT id, sealed, created_at < now() - make_interval(hours => ${retentionHours}) AS "tooOld" FROM system_mails WHERE id = $1`,
      [id],
    );
    return mail ?? null;
  }

  async remove(id: string): Promise<void> {
    await this.database.query(`DELETE FROM system_mails WHERE id = $1`, [id]);
  }
}

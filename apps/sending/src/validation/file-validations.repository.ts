import { maxOpenValidations, tooManyValidations, validationNotFound } from '@posthorn/contracts';
import { newId, ScopedRepository, StoredPiecesRepository, type Database } from '@posthorn/database';
import { work, type WorkQueue } from '@posthorn/work';
import { EmailValidationRow, type FileLayout } from './email-validation.entity.js';

/** By the id of the validation: due when its upload is complete, or when the upload has timed out. */
export const fileValidationWork = work('sending.file-validations', { exclusive: true, concurrency: 2 });

/** An upload without a new piece for this long has failed. */
const uploadTimeoutMs = 120_000;

type Key = Pick<EmailValidationRow, 'projectId' | 'id'>;
export type EndOfFile = 'COMPLETED' | 'FAILED' | 'CANCELLED';

export interface FileStep {
  position: number;
  line: number;
  processed: number;
  counts: Readonly<Record<'valid' | 'risky' | 'invalid' | 'unknown', number>>;
}

export class ValidationPiecesRepository extends StoredPiecesRepository {
  protected readonly table = 'email_validation_pieces';
  protected readonly owner = 'validation_id';
}

export class FileValidationsRepository extends ScopedRepository<EmailValidationRow> {
  constructor(
    database: Database,
    private readonly queue: WorkQueue,
  ) {
    super(database, EmailValidationRow, validationNotFound);
  }

  async insert(projectId: string, layout: FileLayout): Promise<EmailValidationRow> {
    await this.refuseTooMany(projectId);
    const id = newId();
    const { start: position } = layout;
    const line = position > 0 ? 1 : 0;
    await this.rows.insert({ projectId, id, status: 'UPLOADING', layout, position, line } as object);
    return this.rows.findOneByOrFail({ projectId, id });
  }

  /** Serializes the files that a project uploads. */
  private async refuseTooMany(projectId: string): Promise<void> {
    await this.database.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 56))`, [projectId]);
    const [row] = await this.database.query<{ open: number }>(
      `SELECT count(*)::int AS open FROM email_validations WHERE project_id = $1 AND finished_at IS NULL`,
      [projectId],
    );
    if (row!.open >= maxOpenValidations) throw tooManyValidations();
  }

  /** Counts one more piece of a locked row; the last one makes the validation due. */
  async addPiece({ projectId, id }: Key, lines: number, isLast: boolean): Promise<EmailValidationRow> {
    await this.database.query(
      `UPDATE email_validations SET pieces = pieces + 1, total = total + $3, status = CASE WHEN $4::boolean THEN 'QUEUED' ELSE status END
       WHERE project_id = $1 AND id = $2`,
      [projectId, id, lines, isLast],
    );
    const delayMs = isLast ? 0 : uploadTimeoutMs;
    await this.queue.enqueue(fileValidationWork, [{ projectId, key: id, delayMs }], 'REPLACE');
    return this.rows.findOneByOrFail({ projectId, id });
  }

  async begin({ projectId, id }: Key): Promise<void> {
    await this.database.query(
      `UPDATE email_validations SET status = 'RUNNING' WHERE project_id = $1 AND id = $2 AND status = 'QUEUED'`,
      [projectId, id],
    );
  }

  async advance({ projectId, id }: Key, { position, line, processed, counts }: FileStep): Promise<void> {
    await this.database.query(
      `UPDATE email_validations SET position = $3, line = $4, processed = processed + $5,
         valid = valid + $6, risky = risky + $7, invalid = invalid + $8, unknown = unknown + $9
       WHERE project_id = $1 AND id = $2`,
      [
        ...[projectId, id, position, line, processed],
        ...[counts.valid, counts.risky, counts.invalid, counts.unknown],
      ],
    );
  }

  /** Does nothing to one that has ended. Its bytes are deleted with it. */
  async finish({ projectId, id }: Key, status: EndOfFile): Promise<void> {
    await this.database.query(
      `WITH ended AS (
         UPDATE email_validations SET status = $3, pieces = 0, finished_at = clock_timestamp()
         WHERE project_id = $1 AND id = $2 AND finished_at IS NULL RETURNING id
       )
       DELETE FROM email_validation_pieces p USING ended WHERE p.project_id = $1 AND p.validation_id = ended.id`,
      [projectId, id, status],
    );
  }
}

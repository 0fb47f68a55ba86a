import { Injectable } from '@nestjs/common';
import {
  emailValidations,
  type EmailValidationId,
  type EmailValidationSummary,
  type FurtherTablePiece,
  type StartFileValidation,
} from '@posthorn/contracts';
import { bytesOfFurther, bytesOfPiece, linesIn } from '@posthorn/csv';
import { Handles, type Incoming } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import type { EmailValidationRow } from './email-validation.entity.js';
import { layoutOf } from './file-layout.js';
import { FileValidationsRepository, ValidationPiecesRepository } from './file-validations.repository.js';

@Injectable()
export class FileValidations {
  constructor(
    private readonly files: FileValidationsRepository,
    private readonly pieces: ValidationPiecesRepository,
    private readonly commits: Commits,
  ) {}

  @Handles(emailValidations.start)
  async start({ caller, body, deadline }: Incoming<StartFileValidation>): Promise<EmailValidationSummary> {
    const bytes = bytesOfPiece(body);
    const layout = layoutOf(bytes, body.column);
    const row = await this.commits.before(deadline, async () => {
      const started = await this.files.insert(caller.projectId, layout);
      return this.addPiece(started, bytes, body.last);
    });
    return row.toSummary();
  }

  @Handles(emailValidations.append)
  async append({ caller, body, deadline }: Incoming<FurtherTablePiece>): Promise<EmailValidationSummary> {
    const row = await this.commits.before(deadline, async () => {
      const known = await this.files.lockOrFail(caller.projectId, body.id);
      const bytes = bytesOfFurther(known, body);
      return bytes ? this.addPiece(known, bytes, body.last) : known;
    });
    return row.toSummary();
  }

  /** Waits for the commit that is under way; a validation that has ended keeps its status. */
  @Handles(emailValidations.cancel)
  async cancel({ caller, body, deadline }: Incoming<EmailValidationId>): Promise<EmailValidationSummary> {
    const { projectId } = caller;
    await this.commits.before(deadline, async () => {
      await this.files.finish(await this.files.lockOrFail(projectId, body.id), 'CANCELLED');
    });
    return (await this.files.findOrFail(projectId, body.id)).toSummary();
  }

  private async addPiece(row: EmailValidationRow, bytes: Buffer, last: boolean): Promise<EmailValidationRow> {
    await this.pieces.put(row, row.pieces, bytes);
    const { headed, start } = row.layout!;
    const others = row.pieces === 0 ? Number(headed) + Number(start > 0) : 0;
    return this.files.addPiece(row, linesIn(bytes, last) - others, last);
  }
}

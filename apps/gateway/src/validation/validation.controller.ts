import { Controller } from '@nestjs/common';
import {
  csvUnreadable,
  emailValidations,
  EmailValidationSummary,
  FileValidationOptions,
  maxValidationBytes,
  tooManyValidations,
  ValidatedLine,
  ValidateFile,
  ValidationResultFilter,
  validationNotFound,
  type ValidationResultPage,
} from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import { CsvTable, type CsvCell } from '../wire/bodies/csv.js';
import { Get, Post } from '../routes/route.js';
import type { RouteRequest } from '../routes/route-request.js';
import { pagesFrom } from '../routes/streamed.js';
import { uploadTable, whileUploading, type TableRequest } from '../routes/table-uploads.js';

const checks = ['syntax', 'mx', 'role', 'disposable', 'free', 'suppressed'] as const;
const columns = ['line', 'email', 'verdict', 'reason', 'suggestion', ...checks];

@Controller()
export class EmailValidationsController {
  constructor(private readonly bus: Bus) {}

  @Post('email-validations/import', {
    summary:
      'Validate the addresses of a table in text/csv, optionally gzipped, or in a form whose fields precede its file; nothing is sent, and nobody becomes a contact',
    scope: 'validation:write',
    body: ValidateFile,
    query: FileValidationOptions,
    maxUploadBytes: maxValidationBytes,
    reply: EmailValidationSummary,
    success: 'queued',
    errors: [() => csvUnreadable(''), tooManyValidations],
  })
  import(request: TableRequest<FileValidationOptions>): Promise<EmailValidationSummary> {
    const { caller, query } = request;
    return uploadTable(request, maxValidationBytes, {
      start: (piece) => this.bus.call(emailValidations.start, caller, { ...query, ...piece }, whileUploading),
      append: ({ id }, piece) =>
        this.bus.call(emailValidations.append, caller, { ...piece, id }, whileUploading),
      drop: ({ id }) => this.bus.call(emailValidations.cancel, caller, { id }),
    });
  }

  @Get('email-validations/:id/results', {
    summary: 'Download what was found as CSV, one row for each address, also while a file is being validated',
    scope: 'validation:read',
    query: ValidationResultFilter,
    reply: ValidatedLine,
    streamed: 'table',
    missing: validationNotFound,
  })
  async results({ caller, params, query }: RouteRequest<object, ValidationResultFilter>): Promise<CsvTable> {
    const wanted = { ...query, id: params['id']! };
    const first = await this.bus.call(emailValidations.results, caller, wanted);
    const pages = pagesFrom(first, ({ hasMore, items }) =>
      hasMore
        ? this.bus.call(emailValidations.results, caller, { ...wanted, afterLine: items.at(-1)!.line })
        : null,
    );
    return new CsvTable(columns, rowsOf(pages));
  }
}

async function* rowsOf(pages: AsyncIterable<ValidationResultPage>): AsyncGenerator<CsvCell[][]> {
  for await (const { items } of pages)
    yield items.map(({ line, email, verdict, reason, suggestion, checks: found }) => [
      line,
      email,
      verdict,
      reason,
      suggestion,
      ...checks.map((name) => found[name]?.toString() ?? null),
    ]);
}

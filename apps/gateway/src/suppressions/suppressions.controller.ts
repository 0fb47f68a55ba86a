import { Controller } from '@nestjs/common';
import {
  csvUnreadable,
  importNotFound,
  ImportSuppressions,
  maxPageSize,
  maxSuppressionCsv,
  PutSuppression,
  Suppression,
  SuppressionAddress,
  SuppressionFilter,
  SuppressionImport,
  suppressionImports,
  suppressionNotFound,
  suppressions,
  tooManySuppressionImports,
  type SuppressionPage,
} from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import type { RouteRequest } from '../edge/routes/route-request.js';
import { CsvTable, type CsvCell } from '../edge/bodies/csv.js';
import { Delete, Get, Post } from '../edge/routes/route.js';
import { pagesFrom } from '../edge/routes/streamed.js';

/** The rows are counted before the response. */
const waiting = { timeoutMs: 15_000 };
const legacyPath = 'suppression';
const legacyOne = 'suppression/:email';

const columns = ['email', 'reason', 'source', 'created_at'];
const cellsOf = ({ email, reason, source, createdAt }: Suppression): CsvCell[] => [
  email,
  reason,
  source,
  createdAt.toISOString(),
];

@Controller()
export class SuppressionsController {
  constructor(private readonly bus: Bus) {}

  @Get('suppressions', {
    summary:
      'List suppressed addresses, newest first, or export all as CSV with Accept: text/csv; suppressions of erased people are only counted',
    scope: 'suppression:read',
    legacyPath,
    query: SuppressionFilter,
    listed: 'items',
    countsErased: true,
    alsoCsv: true,
    reply: Suppression,
  })
  async list({
    caller,
    query,
    listPage,
    wantsCsv,
  }: RouteRequest<object, SuppressionFilter>): Promise<SuppressionPage | CsvTable> {
    if (!wantsCsv) return this.bus.call(suppressions.list, caller, { ...query, ...listPage });
    const first = await this.bus.call(suppressions.list, caller, { ...query, limit: maxPageSize });
    const pages = pagesFrom(first, ({ next }) =>
      next ? this.bus.call(suppressions.list, caller, { ...query, limit: maxPageSize, after: next }) : null,
    );
    return new CsvTable(columns, rowsOf(pages));
  }

  @Post('suppressions', {
    summary: 'Suppress an address; an existing suppression keeps its reason',
    scope: 'suppression:write',
    legacyPath,
    body: PutSuppression,
    reply: Suppression,
    success: 'created',
    whileDisabled: true,
  })
  put({ caller, body }: RouteRequest<PutSuppression>): Promise<Suppression> {
    return this.bus.call(suppressions.put, caller, body);
  }

  @Post('suppressions/import', {
    summary:
      'Suppress a list of addresses from columns email and reason, or from the export of a hosted provider',
    scope: 'suppression:write',
    legacyPath: 'suppression/import',
    body: ImportSuppressions,
    csvMember: 'csv',
    bodyLimit: maxSuppressionCsv,
    reply: SuppressionImport,
    success: 'queued',
    whileDisabled: true,
    errors: [() => csvUnreadable(''), tooManySuppressionImports],
  })
  import({ caller, body }: RouteRequest<ImportSuppressions>): Promise<SuppressionImport> {
    return this.bus.call(suppressionImports.start, caller, body, waiting);
  }

  @Get('suppressions/imports/:id', {
    summary: 'Get the progress of a suppression import',
    scope: 'suppression:read',
    legacyPath: 'suppression/imports/:id',
    reply: SuppressionImport,
    missing: importNotFound,
  })
  getImport({ caller, params }: RouteRequest): Promise<SuppressionImport> {
    return this.bus.call(suppressionImports.get, caller, { id: params['id']! });
  }

  @Get('suppressions/:email', {
    summary: 'Get the suppression of an address',
    scope: 'suppression:read',
    legacyPath: legacyOne,
    reply: Suppression,
    missing: suppressionNotFound,
  })
  get({ caller, params }: RouteRequest): Promise<Suppression> {
    return this.bus.call(suppressions.get, caller, { email: params['email']! });
  }

  @Delete('suppressions/:email', {
    summary: 'Remove a suppression; also succeeds if the address is not suppressed',
    scope: 'suppression:write',
    legacyPath: legacyOne,
    reply: SuppressionAddress,
    success: 'deleted',
    missing: suppressionNotFound,
  })
  delete({ caller, params }: RouteRequest): Promise<SuppressionAddress> {
    return this.bus.call(suppressions.remove, caller, { email: params['email']! });
  }
}

async function* rowsOf(pages: AsyncIterable<SuppressionPage>): AsyncGenerator<CsvCell[][]> {
  for await (const { items } of pages) yield items.map(cellsOf);
}

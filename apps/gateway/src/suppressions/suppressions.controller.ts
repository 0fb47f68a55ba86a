import { Controller } from '@nestjs/common';
import {
  maxPageSize,
  Suppression,
  SuppressionFilter,
  suppressions,
  type SuppressionPage,
} from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import type { RouteRequest } from '../routes/route-request.js';
import { CsvTable, type CsvCell } from '../wire/bodies/csv.js';
import { Get } from '../routes/route.js';
import { pagesFrom } from '../routes/streamed.js';

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
    legacyPath: 'suppression',
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
}

async function* rowsOf(pages: AsyncIterable<SuppressionPage>): AsyncGenerator<CsvCell[][]> {
  for await (const { items } of pages) yield items.map(cellsOf);
}

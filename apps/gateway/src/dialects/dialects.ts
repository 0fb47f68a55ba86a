import type { Surface } from '../routes/route-request.js';
import type { Dialect } from './dialect.js';
import { legacy } from './legacy.js';
import type { DialectSchemas } from './dialect-schemas.js';
import { legacySchemas } from './legacy-schemas.js';
import { v1 } from './v1.js';
import { v1Schemas } from './v1-schemas.js';

export const dialects: Readonly<Record<Surface, Dialect>> = { v1, legacy };
/** What the API document says about each. */
export const dialectSchemas: Readonly<Record<Surface, DialectSchemas>> = {
  v1: v1Schemas,
  legacy: legacySchemas,
};

/** Everything outside `/api/v1` is legacy, unknown paths included (docs/api-decisions.md §1). */
export function dialectOfPath(path: string): Dialect {
  return path === '/api/v1' || path.startsWith('/api/v1/') ? v1 : legacy;
}

import type { Surface } from '../edge/routes/route-request.js';
import type { Dialect } from './dialect.js';
import { legacy } from './legacy.js';
import { v1 } from './v1.js';

export const dialects: Readonly<Record<Surface, Dialect>> = { v1, legacy };

/** Everything outside `/api/v1` is legacy, unknown paths included (docs/api-decisions.md §1). */
export function dialectOfPath(path: string): Dialect {
  return path === '/api/v1' || path.startsWith('/api/v1/') ? v1 : legacy;
}

import type { ErrorCode, JsonSchema, LegacyOnlyCode } from '@posthorn/contracts';
import type { Surface } from '../edge/routes/call.js';
import type { LegacyPage } from '../edge/routes/route.js';
import { legacySchemas } from './legacy-schemas.js';
import { v1Schemas } from './v1-schemas.js';

export type DomainCode = ErrorCode | LegacyOnlyCode;

/** What a dialect writes, as JSON Schema: each stands beside the dialect that it describes. */
export interface DialectSchemas {
  resource(reply: JsonSchema): JsonSchema;
  /** Of something that is called by its id or its address. */
  deleted(named: 'id' | 'email'): JsonSchema;
  entries(item: JsonSchema): JsonSchema;
  page(item: JsonSchema, envelope: LegacyPage, countsErased?: boolean): JsonSchema;
  /** The component of every failure. */
  readonly failure: Readonly<{ name: string; schema: JsonSchema }>;
  /** A code of the domain, as this dialect says it. */
  codeOf(code: DomainCode): string;
  /** What one status says more exactly than `failure`. */
  narrowed(status: number, codes: readonly string[]): JsonSchema;
}

export const dialectSchemas: Readonly<Record<Surface, DialectSchemas>> = {
  v1: v1Schemas,
  legacy: legacySchemas,
};

import type { ErrorCode, JsonSchema, LegacyOnlyCode } from '@posthorn/contracts';
import type { Surface } from '../edge/routes/route-request.js';
import type { LegacyList } from '../edge/routes/route.js';
import { legacySchemas } from './legacy-schemas.js';
import { v1Schemas } from './v1-schemas.js';

export type DomainCode = ErrorCode | LegacyOnlyCode;

export interface PageMembers {
  countsErased?: boolean;
  showsTotal?: boolean;
}

export interface DialectSchemas {
  resource(reply: JsonSchema): JsonSchema;
  deleted(named: 'id' | 'email'): JsonSchema;
  entries(item: JsonSchema): JsonSchema;
  page(item: JsonSchema, envelope: LegacyList, members?: PageMembers): JsonSchema;
  readonly failure: Readonly<{ name: string; schema: JsonSchema }>;
  codeOf(code: DomainCode): string;
  narrowed(status: number, codes: readonly string[]): JsonSchema;
}

export const dialectSchemas: Readonly<Record<Surface, DialectSchemas>> = {
  v1: v1Schemas,
  legacy: legacySchemas,
};

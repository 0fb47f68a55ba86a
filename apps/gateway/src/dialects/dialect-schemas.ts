import type { ErrorCode, JsonSchema, LegacyOnlyCode } from '@posthorn/contracts';
import type { LegacyList } from '../routes/route.js';

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

export const erasedCount: JsonSchema = {
  type: 'integer',
  minimum: 0,
  description: 'Number of further rows of erased people',
};

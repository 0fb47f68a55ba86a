import { errorCodes, failureCodes, legacyOnlyCodes, type JsonSchema } from '@posthorn/contracts';
import type { LegacyList } from '../routes/route.js';
import { erasedCount, type DialectSchemas } from './dialect-schemas.js';

const success: JsonSchema = { type: 'boolean', const: true };
const upper = (code: string): string => code.toUpperCase();
const object = (properties: Record<string, unknown>, optional: readonly string[] = []): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});
const listOf = (item: JsonSchema): JsonSchema => ({ type: 'array', items: item, maxItems: 100 });
const nextCursor: JsonSchema = {
  type: ['string', 'null'],
  description: '`cursor` of the next page; null on the last page',
};

const ends: Record<string, JsonSchema> = {
  hasMore: { type: 'boolean' },
  total: { type: ['integer', 'null'], minimum: 0 },
  totalIsCapped: { type: 'boolean', const: true, description: 'The actual number is higher than `total`' },
};

const envelopes: Readonly<Record<LegacyList, (item: JsonSchema, countsErased?: boolean) => JsonSchema>> = {
  items: (item, countsErased) =>
    object({
      success,
      data: object({ items: listOf(item), nextCursor, ...ends, ...(countsErased ? { erasedCount } : {}) }, [
        'totalIsCapped',
      ]),
    }),
  flat: (item) => object({ success, data: listOf(item), nextCursor }),
  nested: (item) =>
    object({ success, data: object({ data: listOf(item), cursor: nextCursor, ...ends }, ['totalIsCapped']) }),
  whole: (item) => object({ success, data: { type: 'array', items: item } }),
};

export const legacySchemas: DialectSchemas = {
  resource: (reply) => object({ success, data: reply }),
  deleted: () => object({ success }),
  entries: (item) => object({ success, data: listOf(item) }),
  page: (item, envelope, members) => envelopes[envelope](item, members?.countsErased),
  failure: {
    name: 'LegacyFailure',
    schema: object({
      success: { type: 'boolean', const: false },
      error: object(
        {
          message: { type: 'string' },
          code: { type: 'string', enum: [...errorCodes, ...legacyOnlyCodes].map(upper) },
          details: object(
            {
              errors: {
                type: 'array',
                items: object({
                  field: { type: 'string', description: 'The field or parameter, such as `replyTo.email`' },
                  code: { type: 'string', enum: failureCodes },
                  message: { type: 'string' },
                }),
              },
              previousStatus: {
                type: 'string',
                description: 'Status of a membership that needs consent to be subscribed again',
              },
            },
            ['errors', 'previousStatus'],
          ),
        },
        ['details'],
      ),
    }),
  },
  codeOf: upper,
  narrowed: (_, codes) => ({ properties: { error: { properties: { code: { enum: codes } } } } }),
};

import { errorCodes, failureCodes, type ErrorCode } from '@posthorn/contracts';
import type { DialectSchemas } from './dialect-schemas.js';
import { erasedCount } from './erased-count.js';
import { codeOf, titles, v1 } from './v1.js';

const failure = {
  type: 'object',
  properties: {
    pointer: {
      type: 'string',
      format: 'json-pointer',
      description: 'The member or the parameter, as RFC 6901 writes it',
    },
    code: { type: 'string', enum: failureCodes },
    message: { type: 'string' },
  },
  required: ['pointer', 'code', 'message'],
};

const formats = { id: 'uuid', email: 'email' };

export const v1Schemas: DialectSchemas = {
  resource: (reply) => reply,
  deleted: (named) => ({
    type: 'object',
    properties: {
      [named]: { type: 'string', format: formats[named] },
      deleted: { type: 'boolean', const: true },
    },
    required: [named, 'deleted'],
  }),
  entries: (item) => ({
    type: 'object',
    properties: { data: { type: 'array', items: item, maxItems: 100 } },
    required: ['data'],
  }),
  page: (item, _, countsErased) => ({
    type: 'object',
    properties: {
      data: { type: 'array', items: item, maxItems: 100 },
      has_more: { type: 'boolean' },
      next_cursor: {
        type: ['string', 'null'],
        description: `\`${v1.cursorParameter}\` of the next page; null on the last one`,
      },
      ...(countsErased ? { erased_count: erasedCount } : {}),
    },
    required: ['data', 'has_more', 'next_cursor', ...(countsErased ? ['erased_count'] : [])],
  }),
  failure: {
    name: 'Problem',
    schema: {
      type: 'object',
      description: 'RFC 9457. Branch on `code`; `detail` is for people and may change.',
      properties: {
        type: { type: 'string', format: 'uri' },
        title: { type: 'string', description: 'Identical for every occurrence of a code' },
        status: { type: 'integer', minimum: 400, maximum: 599 },
        detail: { type: 'string' },
        instance: { type: 'string', description: 'The path of the request' },
        code: { type: 'string', enum: errorCodes },
        request_id: { type: 'string', format: 'uuid', description: 'Stands in the log, too' },
        errors: { type: 'array', items: failure, description: 'Each member that was refused' },
        previous_status: { type: 'string', description: 'Of a membership that needs consent to come back' },
      },
      required: ['type', 'title', 'status', 'instance', 'code', 'request_id'],
    },
  },
  codeOf,
  narrowed: (status, codes) => ({
    properties: {
      type: { pattern: `#(${codes.join('|')})$` },
      title: { enum: codes.map((code) => titles[code as ErrorCode]) },
      status: { const: status },
      code: { enum: codes },
    },
  }),
};

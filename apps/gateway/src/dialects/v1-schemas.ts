import { errorCodes, failureCodes, type ErrorCode } from '@posthorn/contracts';
import { erasedCount, type DialectSchemas } from './dialect-schemas.js';
import { codeOf, titles, v1 } from './v1.js';

const failure = {
  type: 'object',
  properties: {
    pointer: {
      type: 'string',
      format: 'json-pointer',
      description: 'JSON Pointer (RFC 6901) of the field or parameter',
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
  page: (item, _, { countsErased, showsTotal } = {}) => ({
    type: 'object',
    properties: {
      data: { type: 'array', items: item, maxItems: 100 },
      has_more: { type: 'boolean' },
      next_cursor: {
        type: ['string', 'null'],
        description: `\`${v1.cursorParameter}\` of the next page; null on the last page`,
      },
      ...(showsTotal ? { total: { type: 'integer', minimum: 0 } } : {}),
      ...(countsErased ? { erased_count: erasedCount } : {}),
    },
    required: [
      'data',
      'has_more',
      'next_cursor',
      ...(showsTotal ? ['total'] : []),
      ...(countsErased ? ['erased_count'] : []),
    ],
  }),
  failure: {
    name: 'Problem',
    schema: {
      type: 'object',
      description: 'RFC 9457. Branch on `code`; `detail` is meant for people and may change.',
      properties: {
        type: { type: 'string', format: 'uri' },
        title: { type: 'string', description: 'The same for every occurrence of a code' },
        status: { type: 'integer', minimum: 400, maximum: 599 },
        detail: { type: 'string' },
        instance: { type: 'string', description: 'The path of the request' },
        code: { type: 'string', enum: errorCodes },
        request_id: { type: 'string', format: 'uuid', description: 'Also written to the log' },
        errors: { type: 'array', items: failure, description: 'Each field that was refused' },
        previous_status: {
          type: 'string',
          description: 'Status of a membership that needs consent to be subscribed again',
        },
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

import { fieldsOf, type Field, type FieldKind, type Shape } from './field.js';

/** JSON Schema 2020-12, which OpenAPI 3.1 and AsyncAPI 3 use. */
export interface JsonSchema {
  [keyword: string]: unknown;
}

/** How a document renders shapes: the bus uses contract names, each dialect has its own rules. */
export interface SchemaSurface {
  nameOf?: (name: string, field: Field) => string;
  shows?: (name: string, field: Field) => boolean;
  /** The `$ref` of a nested shape; without one the shape is inlined. */
  refOf?: (shape: Shape) => string | undefined;
  /** Replaces the schema of a member, e.g. for an object as JSON text; nullability is added afterwards. */
  rewrite?: (schema: JsonSchema, name: string, field: Field) => JsonSchema;
  /** Refuse unknown members, as in requests. Readers of responses and events must accept new members. */
  closed?: boolean;
}

/** JSON Schema counts Unicode characters, validation UTF-16 units; so the schema is never stricter. */
export function jsonSchemaOf(shape: Shape, surface: SchemaSurface = {}): JsonSchema {
  const members = Object.entries(fieldsOf(shape)).filter(
    ([name, field]) => surface.shows?.(name, field) ?? true,
  );
  const text = ([name, field]: [string, Field]) => surface.nameOf?.(name, field) ?? name;
  const required = members.filter(([, { optional }]) => !optional).map(text);
  return {
    type: 'object',
    properties: Object.fromEntries(
      members.map(([name, field]) => [text([name, field]), memberSchema(name, field, surface)]),
    ),
    ...(required.length > 0 ? { required } : {}),
    ...(surface.closed ? { additionalProperties: false } : {}),
  };
}

function memberSchema(name: string, field: Field, surface: SchemaSurface): JsonSchema {
  const plain = field.list ? listSchema(field, surface) : kindSchemas[field.kind](field, surface);
  const schema = surface.rewrite?.(plain, name, field) ?? plain;
  return {
    ...(field.nullable ? orNull(schema) : schema),
    ...(field.describe ? { description: field.describe } : {}),
  };
}

function listSchema(field: Field, surface: SchemaSurface): JsonSchema {
  const items = kindSchemas[field.kind]({ ...field, min: field.itemMin, max: field.itemMax }, surface);
  return { type: 'array', items, ...bounds('minItems', 'maxItems', field) };
}

const kindSchemas: Record<FieldKind, (field: Field, surface: SchemaSurface) => JsonSchema> = {
  id: () => ({ type: 'string', format: 'uuid' }),
  text: (field) => (field.orMap ? { anyOf: [textSchema(field), { type: 'object' }] } : textSchema(field)),
  flag: () => ({ type: 'boolean' }),
  count: (field) => ({ type: 'integer', ...bounds('minimum', 'maximum', field) }),
  number: (field) => ({ type: 'number', ...bounds('minimum', 'maximum', field) }),
  instant: () => ({ type: 'string', format: 'date-time' }),
  address: () => address,
  mailbox: () => ({ anyOf: [{ type: 'string', description: 'a@b.c or Name <a@b.c>' }, mailbox] }),
  choice: ({ open, values }) => ({ type: 'string', [open ? 'x-extensible-enum' : 'enum']: values }),
  object: ({ nested }, surface) => nestedSchema(nested!(), surface),
  map: ({ max, itemMax, pattern }) => ({
    type: 'object',
    additionalProperties: { type: 'string', ...bounds('minLength', 'maxLength', { max: itemMax }) },
    propertyNames: { minLength: 1, maxLength: 255, ...patternOf({ pattern }) },
    ...bounds('minProperties', 'maxProperties', { max }),
  }),
  json: ({ max }) => ({
    type: 'object',
    ...(max === undefined ? {} : { description: `at most ${max} bytes of JSON` }),
  }),
};

const textSchema = (field: Field): JsonSchema => ({
  type: 'string',
  ...bounds('minLength', 'maxLength', field),
  ...patternOf(field),
});

const address: JsonSchema = { type: 'string', format: 'email', maxLength: 254 };
const mailbox: JsonSchema = {
  type: 'object',
  properties: { email: address, name: { type: 'string' } },
  required: ['email'],
  additionalProperties: false,
};

function nestedSchema(shape: Shape, surface: SchemaSurface): JsonSchema {
  const ref = surface.refOf?.(shape);
  return ref === undefined ? jsonSchemaOf(shape, surface) : { $ref: ref };
}

function orNull(schema: JsonSchema): JsonSchema {
  if (typeof schema['type'] !== 'string') return { anyOf: [schema, { type: 'null' }] };
  const choices = Array.isArray(schema['enum']) ? { enum: [...(schema['enum'] as unknown[]), null] } : {};
  return { ...schema, type: [schema['type'], 'null'], ...choices };
}

function bounds(least: string, most: string, { min, max }: Pick<Field, 'min' | 'max'>): JsonSchema {
  return {
    ...(min ? { [least]: min } : min === 0 && least === 'minimum' ? { minimum: 0 } : {}),
    ...(max === undefined ? {} : { [most]: max }),
  };
}

function patternOf({ pattern, oneLine }: Pick<Field, 'pattern' | 'oneLine'>): JsonSchema {
  if (pattern) return { pattern: pattern.flags.includes('i') ? eitherCase(pattern.source) : pattern.source };
  return oneLine ? { pattern: '^[^\\r\\n\\u2028\\u2029]*$' } : {};
}

/** JSON Schema has no flags: a case-insensitive `x-[a-z]` becomes `[xX]-[a-zA-Z]`. */
function eitherCase(source: string): string {
  let inClass = false;
  return source.replace(/\\.|[a-z]-[a-z]|[[\]a-z]/gi, (part) => {
    if (part === '[' || part === ']') inClass = part === '[';
    if (!/^[a-z]/i.test(part)) return part;
    const both = part.toLowerCase() + part.toUpperCase();
    return inClass
      ? both
      : part.length > 1
        ? [...part].map((each) => (each === '-' ? each : eitherCase(each))).join('')
        : `[${both}]`;
  });
}

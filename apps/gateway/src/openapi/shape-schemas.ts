import {
  jsonSchemaOf,
  type Field,
  type JsonSchema,
  type SchemaSurface,
  type Shape,
} from '@posthorn/contracts';
import { dialects } from '../dialects/dialects.js';
import type { NamedField } from '../dialects/shape-names.js';
import type { Surface } from '../routes/route-request.js';

/** Requests are strict and responses may grow, so they never share a schema. */
export type Use = 'request' | 'reply';

// The format `email` does not allow internationalised local parts (RFC 6531).
const address: JsonSchema = { type: 'string', format: 'idn-email', maxLength: 254 };
const mailbox: JsonSchema = {
  anyOf: [
    { type: 'string', description: '`a@b.c` or `Name <a@b.c>`' },
    {
      type: 'object',
      properties: { email: address, name: { type: ['string', 'null'] } },
      required: ['email'],
      additionalProperties: false,
    },
  ],
};

export class ShapeSchemas {
  readonly written: Record<string, JsonSchema> = {};
  private readonly uses = new Map<string, { surface: Surface; shape: Shape; use: Use }>();

  refOf(surface: Surface, shape: Shape, use: Use): JsonSchema {
    const name = surface === 'v1' || shape.name.startsWith('Legacy') ? shape.name : `Legacy${shape.name}`;
    const known = this.uses.get(name);
    if (known && (known.surface !== surface || known.shape !== shape || known.use !== use))
      throw new Error(`two schemas are called ${name}: rename one of the shapes`);
    if (!known) {
      this.uses.set(name, { surface, shape, use });
      this.written[name] = this.schemaOf(surface, shape, use);
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  parametersOf(surface: Surface, shape: Shape): Record<string, JsonSchema> {
    return this.schemaOf(surface, shape, 'request')['properties'] as Record<string, JsonSchema>;
  }

  private schemaOf(surface: Surface, shape: Shape, use: Use): JsonSchema {
    const { byContractName, shown } = dialects[surface].names.of(shape);
    const texts: SchemaSurface = {
      nameOf: (name) => byContractName.get(name)!.dialectName,
      shows: (name) => use === 'request' || shown.some(({ contractName }) => contractName === name),
      refOf: (nested) => this.refOf(surface, nested, use)['$ref'] as string,
      rewrite: (schema, name, field) => described(schema, field, byContractName.get(name)!, use),
      closed: use === 'request',
    };
    const schema = jsonSchemaOf(shape, texts);
    return use === 'request' ? withAliases(schema, shape, surface) : schema;
  }
}

function described(schema: JsonSchema, field: Field, { asText }: NamedField, use: Use): JsonSchema {
  if (asText) {
    const text = { type: 'string', contentMediaType: 'application/json' };
    return use === 'request' ? { anyOf: [schema, text] } : text;
  }
  if (field.kind === 'address') return field.list ? { ...schema, items: address } : address;
  if (field.kind === 'mailbox')
    return field.list ? { anyOf: [mailbox, { ...schema, items: mailbox }] } : mailbox;
  return schema;
}

/** Requests are closed, so aliases have to be listed as well. */
function withAliases(schema: JsonSchema, shape: Shape, surface: Surface): JsonSchema {
  const { read, byContractName } = dialects[surface].names.of(shape);
  const properties = { ...(schema['properties'] as Record<string, JsonSchema>) };
  for (const [name, { contractName }] of read) {
    const first = byContractName.get(contractName)!.dialectName;
    if (name !== first)
      properties[name] = {
        ...properties[first],
        description: `Alias of \`${first}\`; set only one of them`,
      };
  }
  return { ...schema, properties };
}

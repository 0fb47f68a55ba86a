import { actorKinds } from '../common/caller.js';
import { eventCatalogue } from '../common/catalogue.js';
import { maxEventItems, type EventContract } from './contract.js';
import { exampleOf } from './example.js';
import { jsonSchemaOf, type JsonSchema } from './json-schema.js';

/** An event on the wire. The schema is open because readers must accept members that are added later. */
export function eventSchema({ name, version, item }: EventContract): JsonSchema {
  return {
    type: 'object',
    properties: {
      id: {
        type: 'string',
        format: 'uuid',
        description: 'The same on every delivery: store it to ignore repeats.',
      },
      name: { type: 'string', const: name },
      version: {
        type: 'integer',
        minimum: version,
        description: 'Increases when members are added; none is ever removed.',
      },
      projectId: { type: 'string', format: 'uuid', description: 'The project of all items.' },
      at: { type: 'string', format: 'date-time', description: 'When it was committed.' },
      actor: {
        type: 'object',
        description: 'Who did it; absent if a service acted on its own or for several callers.',
        properties: {
          kind: { type: 'string', 'x-extensible-enum': [...actorKinds] },
          id: {
            type: 'string',
            description: 'The id of the user, key or token; the name of an operator or service.',
          },
          name: { type: 'string', description: 'The name at that time.' },
        },
        required: ['kind', 'id'],
      },
      ipAddress: { type: 'string', description: 'The IP address of the caller.' },
      items: { type: 'array', minItems: 1, maxItems: maxEventItems, items: jsonSchemaOf(item) },
    },
    required: ['id', 'name', 'version', 'projectId', 'at', 'items'],
  };
}

export function eventExample({ name, version, item }: EventContract): object {
  return {
    id: '01980a5c-1b2d-7c3e-8f40-0000000000f1',
    name,
    version,
    projectId: '01980a5c-1b2d-7c3e-8f40-0000000000a1',
    at: '2026-01-31T09:00:00.000Z',
    actor: { kind: 'KEY', id: '01980a5c-1b2d-7c3e-8f40-0000000000e1', name: 'Shop' },
    ipAddress: '192.0.2.1',
    items: [exampleOf(item)],
  };
}

export function eventSchemas(): Record<string, JsonSchema> {
  const events = [...eventCatalogue].sort((a, b) => (a.name < b.name ? -1 : 1));
  return Object.fromEntries(events.map((contract) => [contract.name, eventSchema(contract)]));
}

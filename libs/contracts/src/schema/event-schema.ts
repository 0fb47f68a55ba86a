import { actorKinds } from '../common/caller.js';
import { eventCatalogue } from '../common/catalogue.js';
import { maxEventItems, type EventContract } from './contract.js';
import { exampleOf } from './example.js';
import { jsonSchemaOf, type JsonSchema } from './json-schema.js';

/** An event as it travels. Open: whoever reads it must take members that are added later. */
export function eventSchema({ name, version, item }: EventContract): JsonSchema {
  return {
    type: 'object',
    properties: {
      id: {
        type: 'string',
        format: 'uuid',
        description: 'The same each time that the fact is told: remember it, and a repeat does nothing.',
      },
      fact: { type: 'string', const: name },
      version: {
        type: 'integer',
        minimum: version,
        description: 'Rises when members are added; none is ever taken away.',
      },
      projectId: { type: 'string', format: 'uuid', description: 'Whose all the items are.' },
      at: { type: 'string', format: 'date-time', description: 'When it was committed.' },
      actor: {
        type: 'object',
        description: 'Who did it; absent where a service did it by itself, or for several callers at once.',
        properties: {
          kind: { type: 'string', 'x-extensible-enum': [...actorKinds] },
          id: {
            type: 'string',
            description: 'Of the user, key or token; the name of an operator or service.',
          },
          name: { type: 'string', description: 'As it was called then.' },
        },
        required: ['kind', 'id'],
      },
      address: { type: 'string', description: 'The network address that it was done from.' },
      items: { type: 'array', minItems: 1, maxItems: maxEventItems, items: jsonSchemaOf(item) },
    },
    required: ['id', 'fact', 'version', 'projectId', 'at', 'items'],
  };
}

export function eventExample({ name, version, item }: EventContract): object {
  return {
    id: '01980a5c-1b2d-7c3e-8f40-0000000000f1',
    fact: name,
    version,
    projectId: '01980a5c-1b2d-7c3e-8f40-0000000000a1',
    at: '2026-01-31T09:00:00.000Z',
    actor: { kind: 'KEY', id: '01980a5c-1b2d-7c3e-8f40-0000000000e1', name: 'Shop' },
    address: '192.0.2.1',
    items: [exampleOf(item)],
  };
}

/** Every event by its name: what a release promises to those who listen. */
export function eventSchemas(): Record<string, JsonSchema> {
  const events = [...eventCatalogue].sort((a, b) => (a.name < b.name ? -1 : 1));
  return Object.fromEntries(events.map((contract) => [contract.name, eventSchema(contract)]));
}

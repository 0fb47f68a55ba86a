import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import {
  eventCatalogue,
  eventExample,
  eventSchema,
  eventSubject,
  streamOf,
  type EventContract,
} from '@posthorn/contracts';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';

const require = createRequire(import.meta.url);
const { version, license } = JSON.parse(
  readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'),
) as Record<string, string>;

const guarantees = `The domain events of Posthorn: committed changes, published over NATS JetStream. docs/guides/subscribing.md shows a complete subscriber.

- **At least once.** An event is written in the same transaction as the change it describes and sent afterwards. It may be sent again: after a crash, after NATS has lost its store, or when an operator requests it. Each message carries the same \`id\`. To process an event once, store its \`id\` in the transaction of your effect.
- **No ordering.** Where order matters, items carry a \`seq\` per aggregate that rises with every change: ignore one that is lower than yours; a gap means that an event has not arrived yet.
- **One project per event**, with 1 to 256 items.
- **Seven days.** A stream retains seven days of events. The outbox of the publishing service retains as much (RETENTION_OUTBOX_DAYS).
- **Additive changes only.** Members are added, never removed or changed, and the version rises when they are. Accept unknown members, and unknown values where a member says \`x-extensible-enum\`.
- **Streams and consumers can disappear** with the NATS store. Check that yours exists, and create it again if it does not.`;

/** Every event that a service may publish, as an AsyncAPI document for subscribers. */
export function asyncApiDocument(): string {
  const events = [...eventCatalogue].sort((a, b) => (a.name < b.name ? -1 : 1));
  const each = <T>(write: (contract: EventContract) => T) =>
    Object.fromEntries(events.map((contract) => [contract.name, write(contract)]));
  const document = {
    asyncapi: '3.0.0',
    info: { title: 'Posthorn events', version, description: guarantees, license: { name: license } },
    defaultContentType: 'application/json',
    servers: {
      nats: {
        host: '127.0.0.1:4222',
        protocol: 'nats',
        description: 'NATS 2.9 or later with JetStream; its address is NATS_URL.',
      },
    },
    channels: each(channelOf),
    operations: each(({ name }) => ({
      action: 'send',
      channel: { $ref: `#/channels/${name}` },
      messages: [{ $ref: messageIn(name) }],
    })),
    components: { messages: each(messageOf) },
  };
  assertValid(document);
  return JSON.stringify(document);
}

const messageIn = (name: string): string => `#/channels/${name}/messages/${name}`;

function channelOf({ name, owner, describe }: EventContract): object {
  return {
    address: eventSubject(name),
    description: `${describe} In the stream ${streamOf(owner)}.`,
    servers: [{ $ref: '#/servers/nats' }],
    messages: { [name]: { $ref: `#/components/messages/${name}` } },
  };
}

function messageOf(contract: EventContract): object {
  const { name, describe } = contract;
  return {
    name,
    title: name,
    summary: describe,
    headers: {
      type: 'object',
      properties: { 'Nats-Msg-Id': { type: 'string', description: 'Starts with the id of the event.' } },
    },
    payload: eventSchema(contract),
    examples: [{ name: 'example', payload: eventExample(contract) }],
  };
}

function assertValid(document: object): void {
  const schema = require('@asyncapi/specs/schemas/3.0.0-without-$id.json') as object;
  const ajv = new Ajv({ strict: false, allErrors: true, logger: false });
  (addFormats as unknown as (instance: Ajv) => void)(ajv);
  if (!ajv.validate(schema, document))
    throw new Error(`docs/asyncapi.json would be no AsyncAPI 3.0: ${ajv.errorsText()}`);
}

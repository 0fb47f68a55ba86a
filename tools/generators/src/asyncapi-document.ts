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

const guarantees = `What happened in Posthorn and was committed, told over NATS JetStream. docs/guides/subscribing.md shows a complete subscriber.

- **At least once.** A fact is written in the transaction of the change that it tells of, and published afterwards, again where that is in doubt: after a crash, after NATS has lost its store, when an operator asks for it. Every telling has the same \`id\`. Remember the ids that you took in, in the transaction of your effect.
- **Any order.** Where order matters the items carry a \`seq\` for each aggregate, which rises with every change: an older one than yours is no news, a gap means that one is still to come.
- **One project a fact**, 1 to 256 items.
- **Seven days.** A stream holds what was told in the last seven days. The outbox of the owner holds as much (RETENTION_OUTBOX_DAYS).
- **Only additions.** Members are added, never taken away or changed; the version rises then. Take members that you do not know. Where a member says \`x-extensible-enum\`, take values that you do not know.
- **Streams and consumers can vanish** with NATS's store. Look whether yours is there, and make it again.`;

/** The bus for those who listen: every event that a service may publish, also those whose publishers come later. */
export function asyncApiDocument(): string {
  const events = [...eventCatalogue].sort((a, b) => (a.name < b.name ? -1 : 1));
  const each = <T>(write: (contract: EventContract) => T) =>
    Object.fromEntries(events.map((contract) => [contract.name, write(contract)]));
  const document = {
    asyncapi: '3.0.0',
    info: { title: 'Posthorn facts', version, description: guarantees, license: { name: license } },
    defaultContentType: 'application/json',
    servers: {
      nats: {
        host: '127.0.0.1:4222',
        protocol: 'nats',
        description: 'NATS 2.9 or later with JetStream; NATS_URL says where.',
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
      properties: { 'Nats-Msg-Id': { type: 'string', description: 'Begins with the id of the fact.' } },
    },
    payload: eventSchema(contract),
    examples: [{ name: 'example', payload: eventExample(contract) }],
  };
}

/** By the specification's own schema: a document that no tool can read is not written. */
function assertValid(document: object): void {
  const schema = require('@asyncapi/specs/schemas/3.0.0-without-$id.json') as object;
  const ajv = new Ajv({ strict: false, allErrors: true, logger: false });
  (addFormats as unknown as (instance: Ajv) => void)(ajv);
  if (!ajv.validate(schema, document))
    throw new Error(`docs/asyncapi.json would be no AsyncAPI 3.0: ${ajv.errorsText()}`);
}

import {
  contacts,
  emails,
  templates,
  type AcceptSend,
  type Caller,
  type CreateTemplate,
  type GetVariables,
} from '@posthorn/contracts';
import { eventually, standIn } from '@posthorn/testing';
import { buildSend, type SendingSuite } from './sending-suite.js';

const contactId = '019b76da-a800-7000-8000-000000000001';

export function composingFixture(suite: SendingSuite) {
  let leave: (() => Promise<void>) | null = null;
  const statusOf = async (caller: Caller, id: string) =>
    (await suite.bus.call(emails.get, caller, { id })).status;
  return {
    /** Answers the addresses of every request. */
    contactsKnow: async (fields: Record<string, unknown>): Promise<string[][]> => {
      const requested: string[][] = [];
      leave = await standIn(
        suite.connection,
        contacts.variables,
        async ({ emails: addresses }: GetVariables) => {
          requested.push(addresses);
          return { contacts: addresses.map((email) => ({ email, id: contactId, customFields: fields })) };
        },
      );
      return requested;
    },
    loseContacts: async () => {
      await leave?.();
      leave = null;
    },
    buildTemplate: (caller: Caller, more: Partial<CreateTemplate> = {}) =>
      suite.bus.call(templates.create, caller, {
        name: 'Welcome',
        subject: 'Hello {{ name }}',
        body: '<p>Hello {{ name }}, you are on {{ plan }}. {{> footer}}</p>',
        emailCategory: 'TRANSACTIONAL',
        ...more,
      }),
    accept: async (caller: Caller, domain: string, more: Partial<AcceptSend> = {}) => {
      const { subject: _, body: __, ...rest } = buildSend(domain);
      const send = { ...rest, ...more };
      await suite.bus.call(emails.accept, caller, send, { timeoutMs: 60_000 });
      return { id: send.recipients[0]!.id, to: send.recipients[0]!.to.email };
    },
    statusOf,
    reaches: (caller: Caller, id: string, status: string) =>
      eventually(async () => (await statusOf(caller, id)) === status, status, 240_000),
    taken: async (to: string) => {
      await suite.sink.waitFor((messages) => messages.some((message) => message.to === to));
      return suite.sink.messages.find((message) => message.to === to)!.raw!;
    },
  };
}

import { emails, type AcceptSend } from '@posthorn/contracts';
import { standIn } from '@posthorn/testing';
import type { GatewaySuite } from './gateway-suite.js';

/** What the gateway asks sending to send, one at a time. Sending also takes a repeated id once. */
export async function takeMails({ connection }: Pick<GatewaySuite, 'connection'>): Promise<{
  taken: AcceptSend[];
  stop: () => Promise<void>;
}> {
  const taken: AcceptSend[] = [];
  const stop = await standIn(connection, emails.accept, async (send) => {
    if (!taken.some(({ recipients }) => recipients[0]!.id === send.recipients[0]!.id)) taken.push(send);
    return {
      emails: send.recipients.map(({ id, to }) => ({
        id,
        to: to.email,
        from: 'hello@posthorn.example.test',
        contactId: null,
      })),
      acceptedAt: new Date(),
    };
  });
  return { taken, stop };
}

import type { ProviderEvent } from '@posthorn/contracts';
import { simulatedAddress, type Simulation } from './simulated-address.js';

export interface SimulatedMessage {
  emailId: string;
  position: number;
  recipient: string;
}

type Told = Pick<ProviderEvent, 'kind' | 'detail' | 'statusCode' | 'replyCode'>;

/** Once delivered, or not; then what the reader does. */
export const simulatedDelaysMs = [300, 900] as const;

const mailboxFull: Told = {
  kind: 'SOFT_BOUNCED',
  detail: '452 4.2.2 The mailbox is full (simulated)',
  statusCode: '4.2.2',
  replyCode: 452,
};

const told: Record<Simulation, readonly Told[]> = {
  success: [{ kind: 'DELIVERED' }],
  bounce: [
    { kind: 'BOUNCED', detail: '550 5.1.1 User unknown (simulated)', statusCode: '5.1.1', replyCode: 550 },
  ],
  softbounce: [mailboxFull],
  complaint: [{ kind: 'DELIVERED' }, { kind: 'COMPLAINED', detail: 'abuse (simulated)' }],
  delay: [
    {
      kind: 'DELAYED',
      detail: '451 4.4.1 The server does not answer (simulated)',
      statusCode: '4.4.1',
      replyCode: 451,
    },
  ],
  reject: [{ kind: 'REJECTED', detail: 'The message contains a virus (simulated)' }],
};

export function simulatedEvents({ emailId, position, recipient }: SimulatedMessage): ProviderEvent[] {
  const address = simulatedAddress(recipient);
  if (!address) return [];
  return told[address.simulation].map((event) => ({
    source: 'simulator',
    eventId: emailId,
    emailId,
    position,
    suppresses: address.tagged,
    ...event,
  }));
}

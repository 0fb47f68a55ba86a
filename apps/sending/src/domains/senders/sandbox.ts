import { outsideSandbox, recipientOutsideSandbox, type Caller, type Mailbox } from '@posthorn/contracts';
import { simulatedAddress } from '../../simulator/simulated-address.js';

/** A TEST key has one sender, which is also the default. */
export function sandboxSender({ sandbox }: Caller, from: Mailbox | undefined): Mailbox {
  if (!sandbox || (from && from.email !== sandbox.address)) throw outsideSandbox();
  return from ?? { email: sandbox.address };
}

/** A TEST key reaches its owners' addresses and the simulator (docs/api-decisions.md §2). */
export function refuseOutsideSandbox({ mode, sandbox }: Caller, recipients: readonly string[]): void {
  if (mode !== 'TEST') return;
  const own = sandbox?.recipients ?? [];
  if (recipients.some((email) => !own.includes(email) && !simulatedAddress(email)))
    throw recipientOutsideSandbox();
}

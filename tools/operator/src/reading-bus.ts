import { parse, type Caller, type RequestContract } from '@posthorn/contracts';
import type { Bus } from '@posthorn/messaging';

/** What an operator types is read as strictly as what a client sends: services trust what comes over the bus. */
export class ReadingBus {
  constructor(private readonly bus: Bus) {}

  call<In extends object, Out extends object>(
    contract: RequestContract<In, Out>,
    caller: Caller,
    body: In,
    options: { timeoutMs?: number } = {},
  ): Promise<Out> {
    return this.bus.call(contract, caller, parse(contract.body, body), options);
  }
}

import type { Caller, RequestContract, ServiceName } from '@posthorn/contracts';
import { answerEach, CallResponder, type BusConnection, type Incoming } from '@posthorn/messaging';

/** Handles one request in place of a service that does not run in the suite; returns a function to stop it. */
export async function standIn<In extends object, Out extends object>(
  connection: BusConnection,
  contract: RequestContract<In, Out>,
  answer: (body: In, caller: Caller) => Promise<Out>,
): Promise<() => Promise<void>> {
  const queue: ServiceName = contract.owner;
  const answerOne = ({ body, caller }: Incoming<object>) => answer(body as In, caller);
  const answerAll = (requested: Incoming<object> | Incoming<object>[]): Promise<unknown> =>
    Array.isArray(requested) ? answerEach(requested, answerOne) : answerOne(requested);
  const answering = new CallResponder(contract as unknown as RequestContract, answerAll, {
    nats: connection.nats,
    queue,
    onUnexpected: (error) => {
      throw error;
    },
  });
  await connection.nats.flush();
  return () => answering.drain();
}

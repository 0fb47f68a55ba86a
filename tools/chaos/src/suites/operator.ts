import { noProject, serviceCaller, type Caller } from '@posthorn/contracts';
import { BusConnection, type Bus } from '@posthorn/messaging';
import { slowBus } from '@posthorn/testing';

/** What only an operator may do. */
export async function asOperator<T>(
  natsUrl: string,
  work: (bus: Bus, caller: Caller) => Promise<T>,
): Promise<T> {
  const connection = await BusConnection.open({ url: natsUrl, name: 'chaos' });
  try {
    return await work(slowBus(connection), serviceCaller('chaos', noProject));
  } finally {
    await connection.close();
  }
}

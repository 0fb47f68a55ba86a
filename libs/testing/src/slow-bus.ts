import { Bus, type BusConnection } from '@posthorn/messaging';

/** Waits longer than the edge does, so that suites do not depend on the load of the machine. */
export const slowBus = (connection: BusConnection): Bus => new Bus(connection, undefined, undefined, 20_000);

import { Bus, type BusConnection } from '@posthorn/messaging';

/** Waits longer than an edge would: what a suite proves must not turn on how busy the machine is. */
export const slowBus = (connection: BusConnection): Bus => new Bus(connection, undefined, undefined, 20_000);

import { eraseIn, type EraseAddress, type ErasingService } from '@posthorn/contracts';
import { standIn } from '@posthorn/testing';
import type { ContactsSuite } from './contacts-suite.js';

type OtherService = Exclude<ErasingService, 'contacts'>;
export const otherServices = Object.keys(eraseIn) as OtherService[];

/** Stand-ins for the other services that erase people. */
export interface ErasingServices {
  /** Requests to each, in order. */
  requested: (EraseAddress & { service: OtherService; projectId: string })[];
  /** Further calls that each service needs. */
  left: Map<OtherService, number>;
  start(...services: OtherService[]): Promise<void>;
  stop(...services: OtherService[]): Promise<void>;
}

export async function startErasingServices({
  connection,
}: Pick<ContactsSuite, 'connection'>): Promise<ErasingServices> {
  const leave = new Map<OtherService, () => Promise<void>>();
  const services: ErasingServices = {
    requested: [],
    left: new Map(),
    start: async (...names) => {
      for (const service of names) {
        const stop = await standIn(connection, eraseIn[service], async (body, { projectId }) => {
          services.requested.push({ ...body, service, projectId });
          const left = services.left.get(service) ?? 0;
          services.left.set(service, Math.max(0, left - 1));
          return { done: left === 0 };
        });
        leave.set(service, stop);
      }
    },
    stop: async (...names) => {
      for (const service of names) {
        await leave.get(service)?.();
        leave.delete(service);
      }
    },
  };
  await services.start(...otherServices);
  return services;
}

import * as groups from '../groups.js';
import type { EventContract, RequestContract, ServiceName } from '../schema/contract.js';

/** The contracts of every group that is exported, and of the groups in it. */
const declared = new Set(Object.values(groups as Readonly<Record<string, unknown>>).flatMap(contractsIn));

function contractsIn(value: unknown): object[] {
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return [];
  return isRequest(value) || isEvent(value) ? [value] : Object.values(value).flatMap(contractsIn);
}

/** A service that lacks a handler for one of its own requests does not start. */
export const requestCatalogue: readonly RequestContract[] = [...declared].filter(isRequest);
export const eventCatalogue: readonly EventContract[] = [...declared].filter(isEvent);

export const requestsOf = (owner: ServiceName): RequestContract[] =>
  requestCatalogue.filter((contract) => contract.owner === owner);

function isRequest(value: object): value is RequestContract {
  return 'subject' in value && 'onlyReads' in value;
}

function isEvent(value: object): value is EventContract {
  return 'item' in value && 'version' in value;
}

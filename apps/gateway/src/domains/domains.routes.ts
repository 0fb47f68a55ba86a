import {
  type AddDomain,
  domainExists,
  domainInUse,
  domainNotFound,
  domainOfSandbox,
  domains,
  domainTaken,
  maxDomains,
  tooManyDomains,
} from '@posthorn/contracts';
import { foreignProject } from '../wire/errors.js';
import { create, get, list, patch, post, remove, routes, wholeOnLegacy } from '../routes/calls.js';
import type { RouteRequest } from '../routes/route-request.js';

const common = { read: 'domains:read', write: 'domains:write', missing: domainNotFound } as const;
/** Creating keys and querying name servers take time. */
const waits = { timeoutMs: 15_000 };

function checks({ caller, body }: RouteRequest<AddDomain>): void {
  if (body.projectId !== undefined && body.projectId.toLowerCase() !== caller.projectId)
    throw foreignProject();
}

export const domainRoutes = routes('domains', common, {
  add: create('domains', domains.add, 'Add a sending domain; returns its DNS records', {
    checks,
    waits,
    errors: [foreignProject, domainExists, domainTaken, domainOfSandbox, tooManyDomains],
  }),
  list: list('domains', domains.list, 'List sending domains', wholeOnLegacy(maxDomains)),
  get: get('domains/:id', domains.get, 'Get a sending domain with its last check'),
  lastCheck: get('domains/:id/verify', domains.get, 'Get the result of the last DNS check of a domain'),
  verify: post('domains/:id/verify', domains.check, 'Check the DNS records of a domain now', {
    waits,
    errors: [domainTaken],
  }),
  update: patch('domains/:id', domains.update, 'Update a sending domain'),
  delete: remove('domains/:id', domains.delete, 'Remove a sending domain', { errors: [domainInUse] }),
});

import {
  listNotFound,
  lists,
  listTemplateUnknown,
  listUsed,
  memberships,
  resubscribeRefused,
} from '@posthorn/contracts';
import { create, get, list, patch, post, remove, routes } from '../routes/calls.js';
import { allCallers } from '../routes/route.js';

const common = { read: 'lists:read', write: 'lists:write', missing: listNotFound } as const;
/** Sign-up forms of web pages call these with a public key (docs/api-decisions.md §15). */
const selfServed = { orScope: 'emails:send', callers: allCallers } as const;

export const listRoutes = routes('lists', common, {
  create: create('lists', lists.create, 'Create a list', { errors: [listTemplateUnknown] }),
  list: list('lists', lists.list, 'List lists, newest first'),
  get: get('lists/:id', lists.get, 'Get a list'),
  update: patch('lists/:id', lists.update, 'Update a list', { errors: [listTemplateUnknown] }),
  delete: remove('lists/:id', lists.delete, 'Delete a list and its memberships; the contacts stay', {
    whileDisabled: true,
    errors: [listUsed],
  }),
  members: list('lists/:id/members', lists.members, 'List the members of a list, newest first'),
  subscribe: post('lists/:id/subscribe', memberships.subscribe, 'Subscribe an address to a list', {
    ...selfServed,
    errors: [resubscribeRefused],
  }),
  unsubscribe: post(
    'lists/:id/unsubscribe',
    memberships.unsubscribe,
    'Unsubscribe an address from a list; the response does not reveal whether it was subscribed',
    { ...selfServed, whileDisabled: true },
  ),
});

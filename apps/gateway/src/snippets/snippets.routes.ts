import { snippetNameTaken, snippetNotFound, snippets } from '@posthorn/contracts';
import { create, get, list, patch, remove, routes } from '../routes/calls.js';

const common = { read: 'templates:read', write: 'templates:write', missing: snippetNotFound } as const;

export const snippetRoutes = routes('snippets', common, {
  create: create('snippets', snippets.create, 'Create a snippet', { errors: [snippetNameTaken] }),
  list: list('snippets', snippets.list, 'List snippets, newest first', { listed: 'nested' }),
  get: get('snippets/:id', snippets.get, 'Get a snippet'),
  update: patch('snippets/:id', snippets.update, 'Update a snippet', { errors: [snippetNameTaken] }),
  delete: remove(
    'snippets/:id',
    snippets.delete,
    'Delete a snippet; templates that include it render nothing in its place',
  ),
});

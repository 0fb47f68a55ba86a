import { senderNotVerified, templateInUse, templateNotFound, templates } from '@posthorn/contracts';
import { create, get, list, patch, post, remove, routes } from '../routes/calls.js';

/** How long templates and campaigns wait for sending, which loads the MJML compiler and what renders at their first use: 2 s, and many more on a busy machine. */
export const renderingTime = { timeoutMs: 25_000 };

const common = { read: 'templates:read', write: 'templates:write', missing: templateNotFound } as const;
const saving = { bodyLimit: 3 * 1024 * 1024, waits: renderingTime };

export const templateRoutes = routes('templates', common, {
  create: create('templates', templates.create, 'Create a template', {
    ...saving,
    errors: [senderNotVerified],
  }),
  list: list('templates', templates.list, 'List templates, newest first'),
  get: get('templates/:id', templates.get, 'Get a template'),
  update: patch('templates/:id', templates.update, 'Update a template', {
    ...saving,
    errors: [senderNotVerified],
  }),
  delete: remove('templates/:id', templates.delete, 'Delete a template that is not in use', {
    errors: [templateInUse],
  }),
  versions: list(
    'templates/:id/versions',
    templates.versions,
    'List the versions of a template, newest first',
  ),
  preview: post(
    'templates/:id/preview',
    templates.preview,
    'Render a template without sending it, and lint the result',
    { waits: renderingTime },
  ),
  lint: post('templates/lint', templates.lint, 'Lint a template body', saving),
});

import {
  maxWebhooks,
  mayNotHearOfPending,
  projectWebhookSecrets,
  tooManyWebhooks,
  webhookCallNotFound,
  webhookNotActive,
  webhookNotFound,
  webhooks,
} from '@posthorn/contracts';
import { create, get, list, patch, post, remove, routes, wholeOnLegacy } from '../routes/calls.js';
import type { RouteRequest } from '../routes/route-request.js';

const common = { read: 'webhooks:read', write: 'webhooks:write', missing: webhookNotFound } as const;
const also = { mayConfirm: ({ scopes }: RouteRequest) => scopes.has('lists:write') };
/** An endpoint may take ten seconds, and a range may have many calls. */
const waits = { timeoutMs: 15_000 };
const secretPath = 'projects/:projectId/webhook-secret';

export const webhookRoutes = routes('webhooks', common, {
  create: create(
    'webhooks',
    webhooks.create,
    'Subscribe a URL to events; returns the secret that signs them, which is shown once',
    { also, errors: [tooManyWebhooks, mayNotHearOfPending] },
  ),
  list: list('webhooks', webhooks.list, 'List webhooks, newest first', wholeOnLegacy(maxWebhooks)),
  get: get('webhooks/:id', webhooks.get, 'Get a webhook'),
  update: patch('webhooks/:id', webhooks.update, 'Change a webhook, pause it, or set it to ACTIVE again', {
    also,
    errors: [mayNotHearOfPending],
  }),
  delete: remove('webhooks/:id', webhooks.delete, 'Delete a webhook with all its calls'),
  rotateSecret: post(
    'webhooks/:id/rotate-secret',
    webhooks.rotateSecret,
    'Make a new secret of a webhook; the old one signs, too, for 24 hours',
  ),
  test: post(
    'webhooks/:id/test',
    webhooks.test,
    'Send a test to the URL of a webhook and return what it answered',
    { waits },
  ),
});

export const webhookCallRoutes = routes('webhookCalls', common, {
  list: list(
    'webhooks/:id/calls',
    webhooks.calls,
    'List the calls of a webhook with their attempts, newest first',
  ),
  replay: post(
    'webhooks/:id/calls/:callId/replay',
    webhooks.replay,
    'Make a call of a webhook again, under the id of its event',
    { success: 'queued', missing: webhookCallNotFound, errors: [webhookNotActive] },
  ),
  replayRange: post(
    'webhooks/:id/replay',
    webhooks.replayRange,
    'Make all calls about the events of a time again, whatever came of them',
    { success: 'queued', waits, errors: [webhookNotActive] },
  ),
});

/** Signs the calls of webhook steps. */
export const webhookSecretRoutes = routes('webhookSecret', common, {
  get: get(
    secretPath,
    projectWebhookSecrets.get,
    'Get the end of the secret that signs the calls of webhook steps',
  ),
  rotate: post(
    secretPath,
    projectWebhookSecrets.rotate,
    'Make a new secret for webhook steps, which is shown once; the old one signs, too, for 24 hours',
  ),
});

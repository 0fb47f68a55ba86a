import { emailValidations, validationNotFound } from '@posthorn/contracts';
import { create, get, list, post, routes } from '../routes/calls.js';

const common = { read: 'validation:read', write: 'validation:write', missing: validationNotFound } as const;
/** Name servers of strangers take their time. */
const waits = { timeoutMs: 8_000 };

export const validationRoutes = routes('emailValidations', common, {
  create: create(
    'email-validations',
    emailValidations.create,
    'Validate addresses; nothing is sent, and nobody becomes a contact',
    { waits },
  ),
  list: list('email-validations', emailValidations.list, 'List the validations of the last 30 days'),
  get: get(
    'email-validations/:id',
    emailValidations.get,
    'Get a validation with its results; of a file with its progress and the first fifty',
  ),
  cancel: post(
    'email-validations/:id/cancel',
    emailValidations.cancel,
    'Cancel the validation of a file; what was found stays, and a finished validation is returned unchanged',
  ),
});

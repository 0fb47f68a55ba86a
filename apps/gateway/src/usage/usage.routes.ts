import { usage } from '@posthorn/contracts';
import { get, patch, routes } from '../routes/calls.js';

export const usageRoutes = routes(
  'usage',
  { read: 'usage:read', write: 'projects:write' },
  {
    get: get('usage', usage.get, 'Get what the project has sent this month and today, and its limits'),
    update: patch(
      'usage',
      usage.update,
      'Choose whether mail over a limit fails or waits for the next day or month',
    ),
  },
);

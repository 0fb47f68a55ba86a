import type { JsonSchema } from '@posthorn/contracts';

export const erasedCount: JsonSchema = {
  type: 'integer',
  minimum: 0,
  description: 'Number of further rows of erased people',
};

import type { JsonSchema } from '@posthorn/contracts';

/** Beside the rows of a list that leaves out whom it may not name. */
export const erasedCount: JsonSchema = {
  type: 'integer',
  minimum: 0,
  description: 'How many more there are of people who were erased',
};

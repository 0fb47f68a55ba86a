import { fact } from './contract.js';
import { Count, Id, Instant } from './fields.js';

/** Facts whose publishers come with their own services: the names and payloads are settled, so that subscribers can be written. */

export class TemplateFact {
  @Id() templateId: string;
  @Count() version: number;
  @Instant() at: Date;
}

export const templateFacts = {
  changed: fact('sending.template.changed', TemplateFact, 'A template has a new version.'),
  deleted: fact('sending.template.deleted', TemplateFact, 'A template was deleted.'),
};

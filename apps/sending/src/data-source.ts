import { CampaignContentRow } from './campaign-mail/campaign-content.entity.js';
import { DkimKeyRow } from './domains/dkim/dkim-key.entity.js';
import { DomainRow } from './domains/domain.entity.js';
import { EmailRow } from './emails/email.entity.js';
import { ErasureSecretRow } from './erasures/erased-address.entity.js';
import { SuppressionImportRow } from './suppressions/suppression-import.entity.js';
import { SnippetRow } from './snippets/snippet.entity.js';
import { TemplateRow, TemplateVersionRow } from './templates/template.entity.js';
import { EmailValidationRow } from './validation/email-validation.entity.js';
import { baseline } from './migrations/1767000000000-baseline.js';

export const entities = [
  EmailRow,
  CampaignContentRow,
  DomainRow,
  DkimKeyRow,
  SuppressionImportRow,
  ErasureSecretRow,
  TemplateRow,
  TemplateVersionRow,
  SnippetRow,
  EmailValidationRow,
];

export const migrations = [baseline];

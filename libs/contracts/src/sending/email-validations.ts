import { query, request } from '../schema/contract.js';
import { DomainError } from '../common/errors.js';
import { PageEnd, PageQuery } from '../common/page.js';
import { Choice, Count, Flag, Id, Instant, ListOf, Nested, Nullable, Text, Texts } from '../schema/fields.js';
import { JoinFields, PickFields } from '../schema/shapes.js';

/** RISKY can be delivered to, but should be looked at; UNKNOWN had no answer from the DNS, and may be asked again. */
export const validationVerdicts = ['VALID', 'RISKY', 'INVALID', 'UNKNOWN'] as const;
export type ValidationVerdict = (typeof validationVerdicts)[number];

/** What decided a verdict other than VALID. */
export const validationReasons = [
  'syntax',
  'null_mx',
  'no_mail_host',
  'no_answer',
  'suppressed',
  'typo',
  'disposable',
  'role',
] as const;
export type ValidationReason = (typeof validationReasons)[number];

const maxValidated = 50;
export const validationDays = 30;
/** Longer than any address, so that one with a slip is looked at, too. */
const maxWritten = 320;

/** Null for what could not be looked at. */
export class ValidationChecks {
  @Flag() syntax: boolean;
  /** Whether a host takes mail for the domain, by MX or else by its address. */
  @Flag() @Nullable() mx: boolean | null;
  /** The address is of a function, such as info@, and not of a person. */
  @Flag() @Nullable() role: boolean | null;
  @Flag() @Nullable() disposable: boolean | null;
  /** Anybody can open an address at the domain. */
  @Flag() @Nullable() free: boolean | null;
  /** In this project. */
  @Flag() @Nullable() suppressed: boolean | null;
}

export class ValidatedEmail {
  /** Normalised where it is an address, otherwise as it was given. */
  @Text(1, maxWritten, { example: 'ada@gmial.com' }) email: string;
  @Choice(validationVerdicts) verdict: ValidationVerdict;
  @Choice(validationReasons, { open: true }) @Nullable() reason: ValidationReason | null;
  @Nested(() => ValidationChecks) checks: ValidationChecks;
  /** What was probably meant. */
  @Text(3, 254, { example: 'ada@gmail.com' }) @Nullable() suggestion: string | null;
}

export class ValidationCounts {
  @Count() VALID: number;
  @Count() RISKY: number;
  @Count() INVALID: number;
  @Count() UNKNOWN: number;
}

/** Kept for thirty days. */
export class EmailValidationSummary {
  @Id() id: string;
  @Count() total: number;
  @Nested(() => ValidationCounts) counts: ValidationCounts;
  @Instant() createdAt: Date;
}

class ValidationResults {
  /** In the order of the request. */
  @ListOf(() => ValidatedEmail, 0, maxValidated) results: ValidatedEmail[];
}

export class EmailValidation extends JoinFields(EmailValidationSummary, ValidationResults) {}

export class ValidateEmails {
  @Texts(1, maxValidated, maxWritten, { example: ['ada@gmial.com'] }) emails: string[];
}

export class EmailValidationId extends PickFields(EmailValidationSummary, ['id']) {}
export class ListEmailValidations extends PageQuery {}
export class EmailValidationPage extends PageEnd {
  @ListOf(() => EmailValidationSummary, 0, 100) items: EmailValidationSummary[];
}

export const emailValidations = {
  /** Nothing is sent, and nobody becomes a contact. */
  create: request('sending.email_validations.create', ValidateEmails, EmailValidation),
  get: query('sending.email_validations.get', EmailValidationId, EmailValidation),
  list: query('sending.email_validations.list', ListEmailValidations, EmailValidationPage),
};

export const validationNotFound = () =>
  new DomainError('not_found', 'resource_not_found', 'No such validation');

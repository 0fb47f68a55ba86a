import { query, request } from '../schema/contract.js';
import { DomainError } from '../common/errors.js';
import { FurtherTablePiece, importStatuses, TablePiece, type ImportStatus } from '../common/import-jobs.js';
import { PageEnd, PageQuery } from '../common/page.js';
import {
  Choice,
  Count,
  Flag,
  Id,
  Instant,
  ListOf,
  Nested,
  Nullable,
  Optional,
  Text,
  Texts,
} from '../schema/fields.js';
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

export const maxValidated = 50;
/** Data rows of a file; with more of them the validation ends as FAILED and keeps what it found. */
export const maxValidatedRows = 1_000_000;
/** Of a file, both as uploaded and unpacked. */
export const maxValidationBytes = 64 * 1024 * 1024;
/** Of a project, not finished. */
export const maxOpenValidations = 5;
export const validationDays = 30;
/** Longer than any address, so that one with a slip is looked at, too. */
export const maxWritten = 320;

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
  @Text(0, maxWritten, { example: 'ada@gmial.com' }) email: string;
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
  /** COMPLETED at once for addresses in a request; a file is validated in the background. */
  @Choice(importStatuses) status: ImportStatus;
  /** Estimated from the lines while a file is read. */
  @Count() total: number;
  @Count() processed: number;
  @Nested(() => ValidationCounts) counts: ValidationCounts;
  @Instant() createdAt: Date;
  @Instant() @Nullable() finishedAt: Date | null;
}

class LineOfResult {
  @Count() line: number;
}

class ValidationResults {
  /** In the order of the request; of a file the first fifty. */
  @ListOf(() => ValidatedEmail, 0, maxValidated) results: ValidatedEmail[];
}

export class EmailValidation extends JoinFields(EmailValidationSummary, ValidationResults) {}

export class ValidateEmails {
  @Texts(1, maxValidated, maxWritten, { example: ['ada@gmial.com'] }) emails: string[];
}

export class EmailValidationId extends PickFields(EmailValidationSummary, ['id']) {}

export class FileValidationOptions {
  @Text(1, 1_024, {
    describe:
      'The column with the addresses, by its name in the header, or by its number where there is no header. By default a column with a usual name such as email, or the first one with an address',
  })
  @Optional()
  column?: string;
}
/** Carries the first piece, which shows whether the file is a table with addresses. */
export class StartFileValidation extends JoinFields(FileValidationOptions, TablePiece) {}
export class ValidateFile {
  @Text(1, 1024 * 1024) csv: string;
}

export class ValidationResultFilter {
  @Choice(validationVerdicts) @Optional() verdict?: ValidationVerdict;
}
/** A result, and the line of the file (or the place in the request) that it is of. */
export class ValidatedLine extends JoinFields(LineOfResult, ValidatedEmail) {}
export class ListValidationResults extends JoinFields(EmailValidationId, ValidationResultFilter) {
  @Count() @Optional() afterLine?: number;
}
export class ValidationResultPage {
  /** In the order of the file, at most a thousand per response. */
  @ListOf(() => ValidatedLine, 0, 1_000) items: ValidatedLine[];
  @Flag() hasMore: boolean;
}
export class ListEmailValidations extends PageQuery {}
export class EmailValidationPage extends PageEnd {
  @ListOf(() => EmailValidationSummary, 0, 100) items: EmailValidationSummary[];
}

export const emailValidations = {
  /** Nothing is sent, and nobody becomes a contact. */
  create: request('sending.email_validations.create', ValidateEmails, EmailValidation),
  get: query('sending.email_validations.get', EmailValidationId, EmailValidation),
  list: query('sending.email_validations.list', ListEmailValidations, EmailValidationPage),
  /** 422 if the file is not a table with addresses. QUEUED once the last piece has arrived. */
  start: request('sending.email_validations.start', StartFileValidation, EmailValidationSummary),
  /** Replies once the piece is stored, so the sender holds one piece at a time. */
  append: request('sending.email_validations.append', FurtherTablePiece, EmailValidationSummary),
  results: query('sending.email_validations.results', ListValidationResults, ValidationResultPage),
  /** What was found stays. A finished validation is returned unchanged. */
  cancel: request('sending.email_validations.cancel', EmailValidationId, EmailValidationSummary),
};

export const tooManyValidations = () =>
  new DomainError(
    'conflict',
    'conflict',
    `A project may have at most ${maxOpenValidations} unfinished validations of files`,
  );

export const validationNotFound = () =>
  new DomainError('not_found', 'resource_not_found', 'No such validation');

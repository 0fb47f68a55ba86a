import { Injectable } from '@nestjs/common';
import {
  emailValidations,
  type EmailValidation,
  type EmailValidationId,
  type EmailValidationPage,
  maxValidated,
  type ListEmailValidations,
  type ListValidationResults,
  type ValidateEmails,
  type ValidationResultPage,
} from '@posthorn/contracts';
import { DatabaseClock } from '@posthorn/database';
import { Handles, type Incoming } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { AddressChecks } from './address-checks.js';
import { EmailValidationsRepository } from './email-validations.repository.js';

const resultsPerPage = 1_000;

/** For the answers of name servers; for the commit and the reply. */
const limitMs = { lookUps: 5_000, rest: 1_000 };

@Injectable()
export class EmailValidationsService {
  constructor(
    private readonly validations: EmailValidationsRepository,
    private readonly checks: AddressChecks,
    private readonly commits: Commits,
    private readonly clock: DatabaseClock,
  ) {}

  /** The lookups come before the transaction. */
  @Handles(emailValidations.create)
  async create({ caller, body, deadline }: Incoming<ValidateEmails>): Promise<EmailValidation> {
    const { projectId } = caller;
    const remainingMs = (await this.clock.msUntil(deadline)) ?? Infinity;
    const lookMs = Math.min(limitMs.lookUps, Math.max(0, remainingMs - limitMs.rest));
    const results = await this.checks.check(projectId, body.emails, lookMs);
    const row = await this.commits.before(deadline, () => this.validations.add(projectId, results));
    return { ...row.toSummary(), results };
  }

  @Handles(emailValidations.get)
  async get({ caller: { projectId }, body: { id } }: Incoming<EmailValidationId>): Promise<EmailValidation> {
    const row = await this.validations.findOrFail(projectId, id);
    const found = await this.validations.resultsOf(projectId, id, { afterLine: -1, limit: maxValidated });
    return { ...row.toSummary(), results: found.map(({ line: _, ...result }) => result) };
  }

  @Handles(emailValidations.results)
  async results({
    caller: { projectId },
    body: { id, verdict, afterLine = -1 },
  }: Incoming<ListValidationResults>): Promise<ValidationResultPage> {
    await this.validations.findOrFail(projectId, id);
    const wanted = { verdict, afterLine, limit: resultsPerPage + 1 };
    const items = await this.validations.resultsOf(projectId, id, wanted);
    return { items: items.slice(0, resultsPerPage), hasMore: items.length > resultsPerPage };
  }

  @Handles(emailValidations.list)
  async list({ caller: { projectId }, body }: Incoming<ListEmailValidations>): Promise<EmailValidationPage> {
    const { items, ...end } = await this.validations.list(projectId, body);
    const total = body.withTotal ? await this.validations.total(projectId) : {};
    return { items: items.map((row) => row.toSummary()), ...end, ...total };
  }
}

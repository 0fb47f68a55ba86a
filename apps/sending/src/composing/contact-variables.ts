import { Injectable, Logger } from '@nestjs/common';
import { contacts, serviceCaller } from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import { ProjectStates } from '../projects/project-states.read-model.js';
import type { ProjectInMail } from './marketing-footer.js';
import type { StoredMessage } from './stored-message.js';
import { ContactVariablesRepository } from './contact-variables.repository.js';

type Variables = Record<string, unknown>;
type ContactFields = Map<string, { id: string; customFields: Variables }>;

const timeoutMs = 1_500;

/** Fields are read at the first claim and stored with a message of Liquid, so that every attempt renders the same (docs/guarantees.md §3). */
@Injectable()
export class ContactVariables {
  private readonly log = new Logger('ContactVariables');

  constructor(
    private readonly bus: Bus,
    private readonly rows: ContactVariablesRepository,
    private readonly projects: ProjectStates,
  ) {}

  /** By e-mail id. Messages whose contacts could not be fetched are missing; they wait and are never rendered with empty fields. */
  async of(messages: readonly StoredMessage[]): Promise<Map<string, Variables>> {
    const known = new Map(
      messages.flatMap(({ emailId, variables }) => (variables ? [[emailId, variables]] : [])) as [
        string,
        Variables,
      ][],
    );
    const unknown = messages.filter(({ emailId, variables }) => variables === null && !known.has(emailId));
    const requested = [
      ...Map.groupBy(unknown, ({ projectId, liquid }) => `${projectId} ${liquid}`).values(),
    ].map((some) =>
      some[0]!.liquid ? this.store(some[0]!.projectId, some) : this.ofProject(some[0]!.projectId, some),
    );
    for (const stored of await Promise.all(requested))
      for (const [id, variables] of stored) known.set(id, variables);
    return known;
  }

  /** For a preview: the stored fields, or those of today, which are not stored. */
  async forPreview(message: StoredMessage): Promise<Variables | null> {
    if (message.variables) return message.variables;
    const { projectId, emailId, to, liquid } = message;
    if (!liquid) return (await this.ofProject(projectId, [message])).get(emailId)!;
    const fields = await this.request(projectId, [to.email]);
    return fields && this.rows.withProject(projectId, variablesOf(to.email, fields.get(to.email)));
  }

  private async store(
    projectId: string,
    messages: readonly StoredMessage[],
  ): Promise<Map<string, Variables>> {
    // A claim has fewer recipients than one call may ask for.
    const fields = await this.request(projectId, [...new Set(messages.map(({ to }) => to.email))]);
    if (!fields) return new Map();
    const rows = messages.map(({ emailId, to }) => ({
      emailId,
      variables: variablesOf(to.email, fields.get(to.email)),
    }));
    return this.rows.keep(projectId, rows);
  }

  /** Without Liquid only the footer of marketing mail needs some, which is not worth a statement for each batch. */
  private async ofProject(
    projectId: string,
    messages: readonly StoredMessage[],
  ): Promise<Map<string, Variables>> {
    const { name, language, timeZone, postalAddress } = await this.projects.settingsOf(projectId);
    const project: ProjectInMail = { name, language, time_zone: timeZone, postal_address: postalAddress };
    return new Map(messages.map(({ emailId }) => [emailId, { project }]));
  }

  private async request(projectId: string, emails: string[]): Promise<ContactFields | null> {
    try {
      const { contacts: found } = await this.bus.call(
        contacts.variables,
        serviceCaller('sending', projectId),
        { emails },
        { timeoutMs },
      );
      return new Map(found.map(({ email, id, customFields }) => [email, { id, customFields }]));
    } catch (error) {
      this.log.warn(
        `${emails.length} messages wait for the fields of their contacts: ${(error as Error).message}`,
      );
      return null;
    }
  }
}

/** Custom fields are available at the top level and under `contact.data` (docs/api-decisions.md §4). */
function variablesOf(email: string, contact: { id: string; customFields: Variables } | undefined): Variables {
  const fields = contact?.customFields ?? {};
  return { ...fields, contact: { email, ...(contact ? { id: contact.id } : {}), data: fields } };
}

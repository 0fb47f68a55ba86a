import { Injectable } from '@nestjs/common';
import { html, type Html } from '../pages/html.js';
import { SystemMails } from '../system-mails/system-mails.js';
import { OwnersReadModel } from './owners.read-model.js';

/** What owners are told by mail about the domains of their project. */
@Injectable()
export class DomainMails {
  constructor(
    private readonly owners: OwnersReadModel,
    private readonly mails: SystemMails,
  ) {}

  /** Joins the transaction of what it tells of. */
  async lost(projectId: string, domain: string): Promise<void> {
    const why = `For three days the DNS of ${domain} has not shown the key that its mail is signed with.`;
    const what =
      'Mail from it is refused until the record stands there again. Its records are listed with the domain; paste them, then check it.';
    for (const to of await this.owners.addressesOf(projectId)) {
      await this.mails.send({
        to,
        subject: `${domain} is not verified any more`,
        text: `${why}\n\n${what}\n`,
        body: letter(why, what).text,
      });
    }
  }
}

const letter = (why: string, what: string): Html =>
  html`<!doctype html>
    <html lang="en">
      <body style="font: 16px/1.5 system-ui, sans-serif; color: #1c1e21">
        <p>${why}</p>
        <p>${what}</p>
      </body>
    </html>`;

import { Injectable } from '@nestjs/common';
import {
  contentNotRetained,
  DomainError,
  emailNotFound,
  unavailable,
  emails,
  type SentContent,
  type EmailId,
} from '@posthorn/contracts';
import { readHeaders, textFromHtml } from '@posthorn/mail';
import { Handles, type Incoming } from '@posthorn/messaging';
import { Composer, isComposed } from '../composing/composer.js';
import { SentContentsRepository } from './sent-contents.repository.js';

/** Renders an e-mail again from what was fixed at acceptance and at its first claim, so the rendered form need not be stored. */
@Injectable()
export class SentContents {
  constructor(
    private readonly rows: SentContentsRepository,
    private readonly composer: Composer,
  ) {}

  @Handles(emails.content)
  async of({ caller: { projectId }, body: { id } }: Incoming<EmailId>): Promise<SentContent> {
    const message = await this.rows.find(projectId, id);
    if (!message) throw (await this.rows.exists(projectId, id)) ? contentNotRetained() : emailNotFound();
    if (message.html === '' && message.text === null && message.templateId === null)
      throw contentNotRetained();
    const composition = await this.composer.composeToShow(message);
    if (!isComposed(composition))
      throw composition!.retryable ? unavailable() : notRendered(composition!.error);
    const { raw, texts } = composition;
    return {
      id,
      subject: texts.subject,
      html: texts.html,
      text: texts.text ?? textFromHtml(texts.html),
      headers: readHeaders(raw),
      attachments: message.attachments ?? [],
    };
  }
}

const notRendered = (reason: string): DomainError =>
  new DomainError('conflict', 'conflict', `The email cannot be rendered: ${reason}`);

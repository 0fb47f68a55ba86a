import { Injectable, Logger } from '@nestjs/common';
import { DomainError, isTemplateText, serviceCaller, workflowMail } from '@posthorn/contracts';
import { fromDatabaseError } from '@posthorn/database';
import { Bus } from '@posthorn/messaging';
import { UsedVariables } from './used-variables.js';
import { isTemporary } from '../executions/temporary.js';
import type { Activation } from '../executions/activation.js';

/** Each may take half a second. */
const atOnce = 8;
const renderMs = 10_000;

interface Wanted {
  activation: Activation;
  texts: readonly string[];
}

/** Liquid in URLs, headers, bodies and addresses of steps, which sending renders in its threads; plain text stays as it is. */
@Injectable()
export class StepTexts {
  private readonly log = new Logger('StepTexts');

  constructor(
    private readonly bus: Bus,
    private readonly used: UsedVariables,
  ) {}

  async render(projectId: string, wanted: readonly Wanted[]): Promise<Map<Activation, string[] | Error>> {
    const rendered = new Map<Activation, string[] | Error>();
    const withLiquid: Wanted[] = [];
    for (const item of wanted)
      if (!item.texts.some(isTemplateText)) rendered.set(item.activation, [...item.texts]);
      else if (item.activation.rendered) rendered.set(item.activation, item.activation.rendered);
      else withLiquid.push(item);
    for (let from = 0; from < withLiquid.length; from += atOnce)
      await this.renderPart(projectId, withLiquid.slice(from, from + atOnce), rendered);
    return rendered;
  }

  /** What one of them takes or breaks must not hold up the others. */
  private async renderPart(
    projectId: string,
    part: readonly Wanted[],
    rendered: Map<Activation, string[] | Error>,
  ): Promise<void> {
    const items = await this.call(projectId, part).catch((error: unknown) => {
      if (part.length === 1 && (isTemporary(error) || fromDatabaseError(error) !== null)) throw error;
      return part.length > 1 || error instanceof DomainError ? (error as Error) : this.unforeseen(error);
    });
    if (!(items instanceof Error))
      return items.forEach((item, index) => rendered.set(part[index]!.activation, item));
    if (part.length === 1) return void rendered.set(part[0]!.activation, items);
    for (const one of part) await this.renderPart(projectId, [one], rendered);
  }

  /** It would fail again, and hold up those behind it. */
  private unforeseen(error: unknown): Error {
    this.log.error('Texts of a step cannot be rendered', (error as Error).stack);
    return new Error('It could not be rendered');
  }

  private async call(projectId: string, part: readonly Wanted[]): Promise<(string[] | Error)[]> {
    const wanted = part.map(async ({ activation, texts: given }) => {
      const texts = given.map((text) => ({ text }));
      return { texts, variables: await this.used.of(projectId, { texts }, activation.variables.shown()) };
    });
    const { items } = await this.bus.call(
      workflowMail.texts,
      serviceCaller('workflows', projectId),
      { items: await Promise.all(wanted) },
      { timeoutMs: renderMs },
    );
    return items.map(({ texts, error }) =>
      error === null ? texts.map(({ text }) => text) : new Error(error),
    );
  }
}

import { Injectable } from '@nestjs/common';
import { isTemplateText, maxRenderedTexts, serviceCaller, workflowMail } from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import type { Turn } from './turn.js';

interface Wanted {
  turn: Turn;
  texts: readonly string[];
}

/** Liquid in URLs, headers, bodies and addresses of steps, which sending renders in its threads; plain text stays as it is. */
@Injectable()
export class StepTexts {
  constructor(private readonly bus: Bus) {}

  async render(projectId: string, wanted: readonly Wanted[]): Promise<Map<Turn, string[] | Error>> {
    const rendered = new Map<Turn, string[] | Error>();
    const withLiquid: Wanted[] = [];
    for (const item of wanted)
      if (item.texts.some(isTemplateText)) withLiquid.push(item);
      else rendered.set(item.turn, [...item.texts]);
    for (let from = 0; from < withLiquid.length; from += maxRenderedTexts) {
      const part = withLiquid.slice(from, from + maxRenderedTexts);
      const { items } = await this.bus.call(workflowMail.texts, serviceCaller('workflows', projectId), {
        items: part.map(({ turn, texts }) => ({
          texts: texts.map((text) => ({ text })),
          variables: turn.variables.shown(),
        })),
      });
      items.forEach(({ texts, error }, index) => {
        const { turn } = part[index]!;
        rendered.set(turn, error === null ? texts.map(({ text }) => text) : new Error(error));
      });
    }
    return rendered;
  }
}

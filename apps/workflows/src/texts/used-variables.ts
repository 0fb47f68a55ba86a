import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  DomainError,
  isTemplateText,
  serviceCaller,
  workflowMail,
  type ContentToAnalyse,
} from '@posthorn/contracts';
import { TtlCache } from '@posthorn/database';
import { Bus } from '@posthorn/messaging';
import { usedPart, type VariablePath } from '../engine/used-part.js';
import { isTemporary } from '../executions/temporary.js';

type Variables = Record<string, unknown>;

const time = { timeoutMs: 5_000 };

/** Only what the texts of a step refer to travels to sending, however large its contact or its event is. */
@Injectable()
export class UsedVariables {
  private readonly contents = new Map<string, ContentToAnalyse>();
  private readonly paths = new TtlCache((projectId, hash) => this.read(projectId!, hash!));

  constructor(private readonly bus: Bus) {}

  async of(projectId: string, content: ContentToAnalyse, variables: Variables): Promise<Variables> {
    if (!hasLiquid(content)) return {};
    const hash = createHash('sha256').update(JSON.stringify(content)).digest('base64');
    const known = this.paths.cached(projectId, hash);
    if (!known) this.contents.set(hash, content);
    const { paths } = await (known ?? this.paths.refresh(projectId, hash));
    return paths === null ? variables : usedPart(variables, paths);
  }

  /** Null for Liquid that cannot be read: then the rendering says what is wrong. */
  private async read(projectId: string, hash: string): Promise<{ paths: VariablePath[] | null }> {
    const content = this.contents.get(hash)!;
    this.contents.delete(hash);
    try {
      const { paths } = await this.bus.call(
        workflowMail.uses,
        serviceCaller('workflows', projectId),
        content,
        time,
      );
      return { paths: paths.map((path) => JSON.parse(path) as VariablePath) };
    } catch (error) {
      if (isTemporary(error) || !(error instanceof DomainError)) throw error;
      return { paths: null };
    }
  }
}

const hasLiquid = ({ template, subject = '', body = '', from, texts = [] }: ContentToAnalyse): boolean =>
  template !== undefined ||
  [subject, body, from?.name ?? '', ...texts.map(({ text }) => text)].some(isTemplateText);

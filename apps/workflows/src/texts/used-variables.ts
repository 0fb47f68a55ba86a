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

type Json = Record<string, unknown>;
export type VariablePath = readonly (string | number)[];

interface Uses {
  isWhole: boolean;
  below: Map<string, Uses>;
}

/** What is at the paths, and nothing else; what a path ends at, and what is a list, as a whole. */
export const usedPart = (variables: Json, paths: readonly VariablePath[]): Json =>
  partOf(variables, usesIn(paths)) as Json;

function usesIn(paths: readonly VariablePath[]): Uses {
  const root: Uses = { isWhole: false, below: new Map() };
  for (const path of paths) {
    let uses = root;
    for (const name of path.map(String)) {
      const below = uses.below.get(name) ?? { isWhole: false, below: new Map<string, Uses>() };
      uses.below.set(name, below);
      uses = below;
    }
    uses.isWhole = true;
  }
  return root;
}

function partOf(value: unknown, { isWhole, below }: Uses): unknown {
  if (isWhole || typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const kept = [...below].filter(([name]) => Object.hasOwn(value, name));
  return Object.fromEntries(kept.map(([name, uses]) => [name, partOf((value as Json)[name], uses)]));
}

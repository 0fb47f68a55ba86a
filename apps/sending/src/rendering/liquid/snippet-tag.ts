import {
  Hash,
  Tag,
  type Arguments,
  type Context,
  type Emitter,
  type Liquid,
  type TagToken,
  type Template,
  type Token,
  type TopLevelToken,
  type ValueToken,
} from 'liquidjs';

const snippetsRegister = 'snippets';
const depthRegister = 'depth';
const maxDepth = 10;

export type FindSnippet = (name: string) => Template[] | null;

export function giveSnippets(context: Context, find: FindSnippet): void {
  context.setRegister(snippetsRegister, find);
}

/** A snippet sees the caller's variables; what it assigns stays local (docs/api-decisions.md §4). */
function* renderSnippet(
  engine: Liquid,
  name: string,
  given: object,
  context: Context,
  emitter: Emitter,
): Generator<unknown, void> {
  const find = context.getRegister<FindSnippet | undefined>(snippetsRegister);
  const depth = context.getRegister<number>(depthRegister, 0) + 1;
  if (depth > maxDepth) throw new Error(`snippets are nested deeper than ${maxDepth}`);
  const templates = find?.(name);
  if (templates) {
    const inner = context.spawn(context.getAll());
    Object.assign(inner.bottom(), given);
    inner.setRegister(snippetsRegister, find);
    inner.setRegister(depthRegister, depth);
    yield engine.renderer.renderTemplates(templates, inner, emitter);
  }
}

export class IncludedSnippet implements Template {
  constructor(
    readonly token: Token,
    private readonly engine: Liquid,
    readonly snippet: string,
  ) {}

  render(context: Context, emitter: Emitter): unknown {
    return renderSnippet(this.engine, this.snippet, {}, context, emitter);
  }
}

export class SnippetTag extends Tag {
  readonly snippet: string;
  private readonly given: Hash;

  constructor(token: TagToken, remaining: TopLevelToken[], engine: Liquid) {
    super(token, remaining, engine);
    const file = this.tokenizer.readQuoted();
    this.tokenizer.assert(
      file && /^[A-Za-z][\w-]*$/.test(file.content),
      'a snippet is included as {% render "name" %}',
    );
    this.snippet = file!.content;
    this.given = new Hash(this.tokenizer, engine.options.keyValueSeparator);
    this.tokenizer.skipBlank();
    this.tokenizer.assert(
      this.tokenizer.end(),
      'behind the name of a snippet stand only pairs such as key: value',
    );
  }

  *render(context: Context, emitter: Emitter): Generator<unknown, void> {
    const given = (yield this.given.render(context)) as object;
    yield renderSnippet(this.liquid, this.snippet, given, context, emitter);
  }

  *arguments(): Arguments {
    for (const value of Object.values(this.given.hash)) if (value) yield value as ValueToken;
  }
}

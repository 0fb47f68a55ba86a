import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect } from '@jest/globals';
import { format } from 'prettier';

/** A refusal after which `curl --retry` of the guides tried again: a slow machine may have some. Without a success the output is missing. */
const retried = /^curl: \(22\) The requested URL returned error: 503\n/gm;

/** A fenced block of a guide. A block without a language after a command is its output. */
interface GuideBlock {
  language: string;
  text: string;
}

const fence = /^```(\w+)\n([\s\S]*?)^```$/gm;

const blocksOf = (guide: string): GuideBlock[] =>
  [...guide.matchAll(fence)].map(([, language, text]) => ({ language: language!, text: text! }));

/** The guide with replaced blocks. */
function withBlocks(guide: string, texts: readonly string[]): string {
  let next = 0;
  return guide.replace(fence, (_, language: string) => `\`\`\`${language}\n${texts[next++]!}\`\`\``);
}

/** Ids, instants, keys and durations differ in every run; so does the progress of an import. */
const comparable = (printed: string): string =>
  printed
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<instant>')
    .replace(/("confirm_token": ?)"[^"]*"/g, '$1"…"')
    .replace(/("measured_ms": )\d+/g, '$1…')
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/g, '<time>')
    .replace(/^data: .*"status":"(?:QUEUED|RUNNING)".*$/gm, 'data: under way')
    .trim();

/** One bash for all commands of a guide, like one terminal. */
export class Terminal {
  private readonly bash: ChildProcessWithoutNullStreams;
  private printed = '';
  private received: () => void = () => undefined;

  constructor(directory: string) {
    this.bash = spawn('bash', ['--norc'], { cwd: directory });
    for (const stream of [this.bash.stdout, this.bash.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        this.printed += chunk;
        this.received();
      });
  }

  /** The output of the commands. */
  async run(commands: string): Promise<string> {
    const end = `end-${randomUUID()}`;
    this.printed = '';
    this.bash.stdin.write(`${commands}\necho ${end}\n`);
    while (!this.printed.includes(`${end}\n`))
      await new Promise<void>((resolve) => (this.received = resolve));
    return this.printed.replace(`${end}\n`, '').replace(retried, '');
  }

  close(): void {
    this.bash.kill();
  }
}

/** Writes the output into the guide instead of comparing it. */
const records = process.env['POSTHORN_RECORD_GUIDE'] === 'true';

interface Walk {
  /** What does the blocks of a language; all other blocks are output. */
  does: Readonly<Record<string, (text: string) => Promise<string>>>;
  onPrinted?: (printed: string) => void;
  /** Shortens output before it is recorded. */
  shown?: (text: string) => string;
}

/** Does what a guide says, from its beginning to its end, and compares the output with that of the guide. */
export async function walkGuide(
  path: string,
  { does, onPrinted = () => undefined, shown = (text) => text }: Walk,
): Promise<void> {
  const location = resolve(path);
  const guide = readFileSync(location, 'utf8');
  const blocks = blocksOf(guide);
  const texts: string[] = [];
  const recorded: [command: string, printed: string][] = [];
  const now: typeof recorded = [];
  let printed = '';
  for (const [index, { language, text }] of blocks.entries()) {
    if (language in does) {
      printed = await does[language]!(text);
      onPrinted(printed);
      const next = blocks[index + 1];
      if (!next || next.language in does) expect([text, printed]).toEqual([text, '']);
      texts.push(text);
      continue;
    }
    const output =
      language === 'json'
        ? await format(printed, { parser: 'json', printWidth: 110 })
        : `${printed.trimEnd()}\n`;
    texts.push(output);
    recorded.push([blocks[index - 1]!.text, comparable(text)]);
    now.push([blocks[index - 1]!.text, comparable(output)]);
  }
  if (records) writeFileSync(location, withBlocks(guide, texts.map(shown)));
  else expect(now).toEqual(recorded);
}

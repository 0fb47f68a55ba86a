import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** A link or citation of a file that the repository does not have. */
export interface BrokenLink {
  file: string;
  line: number;
  target: string;
}

const markdownLink = /\[[^\]]*\]\(([^)\s]+)\)/g;
/** A page that a comment or a document names without linking it. */
const citation = /(?<![\w./:-])((?:[\w-]+\/)*[\w-]+\.md)\b/g;
const external = /^(?:[a-z]+:|#|\/)/;

/** Every link of the text whose file `exists` does not know; paths are relative to the file, or to the root of the repository. */
export function brokenLinks(file: string, text: string, exists: (path: string) => boolean): BrokenLink[] {
  return text.split('\n').flatMap((content, index) => {
    const links = file.endsWith('.md')
      ? [...content.matchAll(markdownLink)].map(([, target]) => target!)
      : [];
    const cited = [...content.replaceAll(markdownLink, '').matchAll(citation)].map(([, target]) => target!);
    const isMissing = (target: string) => {
      const path = target.replace(/[#?].*$/, '');
      return (
        path !== '' &&
        !path.startsWith('dist/') &&
        !exists(normalize(join(dirname(file), path))) &&
        !exists(normalize(path))
      );
    };
    const missing = [...links.filter((target) => !external.test(target)), ...cited].filter(isMissing);
    return missing.map((target) => ({ file, line: index + 1, target }));
  });
}

const texts = ['*.md', '*.ts', '*.mjs', '*.yaml', '*.yml'];
/** Specs of the checks name files that are made up. */
const madeUp = /^tools\/checks\/.*\.spec\.ts$/;

function main(): void {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...texts], {
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => file !== '' && existsSync(file) && !madeUp.test(file));
  const broken = files.flatMap((file) => brokenLinks(file, readFileSync(file, 'utf8'), existsSync));
  for (const { file, line, target } of broken)
    console.log(`${file}:${line} names ${target}, which does not exist`);
  console.log(
    broken.length === 0
      ? `${files.length} files, every link and citation leads somewhere`
      : `${broken.length} broken links`,
  );
  process.exitCode = broken.length === 0 ? 0 : 1;
}

if (process.argv[1]?.endsWith('links.js')) main();

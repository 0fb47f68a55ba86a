import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { argumentsOf, readCopy, readStages, type Stage } from '../deploy/dockerfile.js';
import type { Tree } from '../deploy/tree.js';

export interface ImageTree {
  /** The folder that is `/` in the image. */
  root: string;
  workingDirectory: string;
  entrypoint: string[];
  environment: Record<string, string>;
  remove(): void;
}

/** The files that the image would hold, put together as the Dockerfile says, without docker: no layer, no base image, and npm's packages are links to ours. */
export function assembleImage(root: string, tree: Tree): ImageTree {
  const target = mkdtempSync(join(tmpdir(), 'posthorn-image-'));
  chmodSync(target, 0o755);
  const stages = readStages(readFileSync(join(root, 'deploy/Dockerfile'), 'utf8'));
  for (const [index, stage] of stages.entries())
    new Assembly(root, tree, stages, target).assemble(stage, index);
  const last = stages.at(-1)!;
  const homePath = join(target, String(stages.length - 1));
  return {
    root: homePath,
    workingDirectory: join(homePath, workdirOf(last)),
    entrypoint: argumentsOf(last.instructions.findLast(({ text }) => text === 'ENTRYPOINT')!.rest)!,
    environment: Object.fromEntries(
      last.instructions.filter(({ text }) => text === 'ENV').flatMap(({ rest }) => pairs(rest)),
    ),
    remove: () => rmSync(target, { recursive: true, force: true }),
  };
}

const workdirOf = ({ instructions }: Stage): string =>
  instructions.findLast(({ text }) => text === 'WORKDIR')?.rest ?? '/';

const pairs = (rest: string): [string, string][] =>
  rest.split(/\s+/).map((pair) => pair.split(/=(.*)/s).slice(0, 2) as [string, string]);

class Assembly {
  constructor(
    private readonly root: string,
    private readonly tree: Tree,
    private readonly stages: Stage[],
    private readonly target: string,
  ) {}

  assemble(stage: Stage, index: number): void {
    const folder = join(this.target, String(index));
    const workdir = workdirOf(stage);
    mkdirSync(join(folder, workdir), { recursive: true });
    for (const { text, rest } of stage.instructions) {
      if (text === 'COPY') this.copy(rest, folder, workdir);
      else if (text === 'RUN') this.run(rest, join(folder, workdir));
    }
  }

  private copy(rest: string, folder: string, workdir: string): void {
    const { from, sources, target } = readCopy(rest);
    const many = sources.length > 1 || target.endsWith('/');
    for (const source of sources) {
      const base = target.startsWith('/') ? join(folder, target) : join(folder, workdir, target);
      const to = many ? join(base, source) : base;
      mkdirSync(dirname(to), { recursive: true });
      const stage = this.stages.findIndex(({ name }) => name === from);
      if (from === null)
        cpSync(join(this.root, source), to, {
          recursive: true,
          filter: (file) => !this.tree.isIgnored(relative(this.root, file)),
        });
      else cpSync(join(this.target, String(stage), source), to, { recursive: true, verbatimSymlinks: true });
    }
  }

  private run(command: string, cwd: string): void {
    if (command.startsWith('npm ci')) linkPackages(this.root, cwd, command.includes('--omit=dev'));
    else execFileSync('sh', ['-c', command], { cwd, stdio: 'pipe' });
  }
}

/** What npm would install there, by the lock file: a package that only the tests have is missing in the image. */
function linkPackages(root: string, cwd: string, production: boolean): void {
  const lock = JSON.parse(readFileSync(join(cwd, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; optional?: boolean }>;
  };
  const wanted = Object.entries(lock.packages).filter(
    ([path, { dev, optional }]) =>
      /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path) && !(production && (dev || optional)),
  );
  const folders = production ? wanted.map(([path]) => path) : ['node_modules'];
  for (const path of folders) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    symlinkSync(join(root, path), join(cwd, path));
  }
}

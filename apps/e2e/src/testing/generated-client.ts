import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { ApiDocument } from './api-document.js';

const run = promisify(execFile);
const require = createRequire(import.meta.url);
const generator = join(dirname(require.resolve('@hey-api/openapi-ts/package.json')), 'bin/run.js');
const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');

/** A client of one surface generated from the document alone. */
export class GeneratedClient {
  private readonly folder = mkdtempSync(join(tmpdir(), 'posthorn-client-'));

  async generate(document: ApiDocument): Promise<void> {
    this.write('package.json', { type: 'module' });
    this.write('openapi.json', document);
    await run(
      process.execPath,
      [
        generator,
        '-i',
        'openapi.json',
        '-o',
        'src/api',
        '-c',
        '@hey-api/client-fetch',
        '--no-log-file',
        '-s',
      ],
      {
        cwd: this.folder,
      },
    );
  }

  /** Compiles the client and a program that uses it with all strict options. */
  async compile(program: string): Promise<void> {
    const options = {
      target: 'es2023',
      lib: ['es2023', 'dom', 'dom.iterable'],
      module: 'nodenext',
      strict: true,
      // Of TypeScript's own libraries, which take longer than the client.
      skipLibCheck: true,
      types: [],
      outDir: 'js',
    };
    this.write('tsconfig.json', { compilerOptions: { ...options, rootDir: 'src' }, include: ['src'] });
    mkdirSync(join(this.folder, 'src'), { recursive: true });
    writeFileSync(join(this.folder, 'src/program.ts'), program);
    await run(process.execPath, [compiler, '-p', '.'], { cwd: this.folder }).catch(
      ({ stdout }: { stdout: string }) => {
        throw new Error(`the client does not compile:\n${stdout.slice(0, 4_000)}`);
      },
    );
  }

  /** The output of the program, as JSON. */
  async run(environment: Record<string, string>): Promise<unknown> {
    const { stdout } = await run(process.execPath, ['js/program.js'], {
      cwd: this.folder,
      env: { ...process.env, ...environment },
    });
    return JSON.parse(stdout) as unknown;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private write(file: string, content: object): void {
    writeFileSync(join(this.folder, file), JSON.stringify(content));
  }
}

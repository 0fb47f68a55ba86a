import { beforeAll, describe, expect, it } from '@jest/globals';
import { dockerfileFindings } from './dockerfile.js';
import { ignorePatterns, readTree, type Tree } from './tree.js';
import { changed, readDeployed, root } from '../testing/deployment.js';

const dockerfile = readDeployed('deploy/Dockerfile');

let tree: Tree;
beforeAll(async () => {
  tree = await readTree(root);
});

describe('the Dockerfile', () => {
  it('is sound as it stands', () => {
    expect(dockerfileFindings(dockerfile, tree)).toEqual([]);
  });

  it.each([
    [
      'begins with an image without a tag',
      'FROM node:24-slim AS build',
      'FROM node AS build',
      /FROM node needs a tag/,
    ],
    [
      'begins with an image that moves',
      'FROM node:24-slim AS build',
      'FROM node:latest AS build',
      /FROM node:latest needs a tag/,
    ],
    ['copies what is not there', 'COPY libs libs', 'COPY library libs', /COPY library: it is not there/],
    [
      'copies what is ignored',
      'COPY libs libs',
      'COPY tools/bench tools/bench',
      /COPY tools\/bench: .dockerignore leaves it out/,
    ],
    ['copies from no stage', '--from=build', '--from=builder', /--from=builder: there is no such stage/],
    [
      'runs a script that is none',
      'npm run build',
      'npm run compile',
      /npm run compile: package.json has no such script/,
    ],
    ['runs as root', 'USER 1000:1000', 'USER root', /USER root: it must be a number/],
    ['runs as the number of root', 'USER 1000:1000', 'USER 0', /USER 0: it must be a number/],
    ['runs as who cannot be known', 'USER 1000:1000', 'USER node', /USER node: it must be a number/],
    ['does not say as whom it runs', 'USER 1000:1000', '', /USER root/],
    [
      'starts through a shell',
      'ENTRYPOINT ["/usr/local/bin/start-service"]',
      'ENTRYPOINT start-service',
      /ENTRYPOINT is not a list/,
    ],
    [
      'starts what was not copied',
      '["/usr/local/bin/start-service"]',
      '["/usr/local/bin/start"]',
      /start is nothing that was copied/,
    ],
    [
      'starts what may not be executed',
      'COPY deploy/start-service.sh',
      'COPY deploy/is-ready.mjs',
      /deploy\/is-ready.mjs may not be executed/,
    ],
    ['names a service that is none', 'CMD ["gateway"]', 'CMD ["doorman"]', /names no service of this tree/],
    [
      'checks its health by nothing',
      'CMD ["node", "/usr/local/bin/is-ready.mjs"]',
      'CMD ["curl", "localhost"]',
      /HEALTHCHECK runs nothing that was copied/,
    ],
    [
      'sets a variable that nobody reads',
      'ADMIN_PORT=9090',
      'ADMIN_PROT=9090',
      /ENV ADMIN_PROT is no variable of any service/,
    ],
    ['adds instead of copying', 'COPY libs libs', 'ADD libs libs', /ADD is no instruction that is used here/],
  ])('is refused when it %s', (_, from, to, finding) => {
    expect(dockerfileFindings(changed(dockerfile, from, to), tree)).toContainEqual(
      expect.stringMatching(finding),
    );
  });
});

it('.dockerignore leaves out whole folders, anywhere where it says so', () => {
  const patterns = ignorePatterns('dist\n# words\napps/e2e\n**/*.spec.ts\n**/testing\n');
  const ignored = (path: string) => patterns.some((pattern) => pattern.test(path));
  expect(
    [
      'dist',
      'dist/x.js',
      'apps/e2e/src/x.ts',
      'libs/mail/src/a.spec.ts',
      'a.spec.ts',
      'apps/x/src/testing/y.ts',
    ].filter(ignored),
  ).toHaveLength(6);
  expect(['distance', 'apps/e2e-more', 'libs/dist', 'a.spec.tsx'].filter(ignored)).toEqual([]);
});

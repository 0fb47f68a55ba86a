import { fileURLToPath } from 'node:url';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';
import { boundaries, boundaryRules } from './tools/checks/lint/boundaries.mjs';

const root = fileURLToPath(new URL('.', import.meta.url));
const configs = ['*.config.mjs'];

const size = { skipBlankLines: true, skipComments: true };

/** Patterns that no rule of ESLint names. */
const never = [
  {
    selector: 'ExportDefaultDeclaration',
    message: 'Export by name, so that a thing is called the same everywhere.',
  },
  {
    selector: 'MethodDefinition[kind="constructor"] > FunctionExpression[params.length>6]',
    message: 'More than six injected: this class has two subjects.',
  },
  {
    selector:
      ':matches(ClassDeclaration, TSInterfaceDeclaration, TSTypeAliasDeclaration)[id.name=/(Impl|Manager|Helper|Utils?)$|^I[A-Z][a-z]/]',
    message: 'Names come from the domain: no I…, …Impl, Manager, Helper, Utils.',
  },
  {
    selector:
      'CallExpression[callee.object.name=/^(describe|it|test)$/][callee.property.name=/^(only|skip|todo)$/]',
    message:
      'No test is left out or run alone; a test that lacks a program of the machine skips by a named condition.',
  },
  {
    selector: 'CallExpression[callee.name=/^(fdescribe|fit|xdescribe|xit|xtest)$/]',
    message: 'No test is left out or run alone.',
  },
];
const noCatch = {
  selector: 'TryStatement',
  message: 'Handlers and controllers let errors pass: the filter and the dialect say them.',
};

export default defineConfig(
  { ignores: ['dist/', 'node_modules/', '.posthorn/', '.nx/', 'coverage/', '**/src/**/*-page.js'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.ts', '**/*.mjs'],
    plugins: { boundaries, '@typescript-eslint': tseslint.plugin },
    languageOptions: { parser: tseslint.parser },
    rules: {
      ...boundaryRules,
      'max-lines': ['error', { max: 400, ...size }],
      'max-lines-per-function': ['error', { max: 60, ...size }],
      'no-restricted-syntax': ['error', ...never],
      eqeqeq: 'error',
      'no-var': 'error',
      'prefer-const': 'error',
    },
  },
  {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: root } },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/ban-ts-comment': [
        'error',
        { 'ts-expect-error': 'allow-with-description', minimumDescriptionLength: 10 },
      ],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false },
      ],
    },
  },
  {
    files: ['**/*.controller.ts'],
    rules: { 'no-restricted-syntax': ['error', ...never, noCatch] },
  },
  { files: ['**/*.spec.ts'], rules: { 'max-lines-per-function': 'off' } },
  { files: configs, rules: { 'no-restricted-syntax': ['error', ...never.slice(1)] } },
);

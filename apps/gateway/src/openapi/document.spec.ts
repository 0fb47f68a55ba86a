import { describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Contact, CreateContact } from '@posthorn/contracts';
import { routeTable } from '../routes/route-table.js';
import { routeSources } from '../all-routes.js';
import { openApiDocument } from './document.js';
import { operationIdOf } from './operations.js';
import { ShapeSchemas } from './shape-schemas.js';

const table = routeTable(routeSources);
interface Operation {
  operationId: string;
  summary: string;
  description: string;
  parameters?: { name: string; in?: string; required?: boolean; description?: string }[];
  responses: Record<string, { $ref?: string }>;
}
const document = openApiDocument(table) as {
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    responses: Record<string, object>;
    schemas: Record<string, { properties: Record<string, { description?: string }> }>;
  };
};
const { responses, schemas } = document.components;
const operationAt = (method: string, path: string): Operation => document.paths[path]![method]!;

describe('the document', () => {
  it('another horse battery', async () => {
    const validator = new Validator();
    expect(await validator.validate(structuredClone(document))).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  it('every route is in it under a unique name', () => {
    const written = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(written.sort()).toEqual(
      table.routes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`).sort(),
    );
    const names = table.routes.map(operationIdOf);
    expect(new Set(names).size).toBe(names.length);
  });

  // JSON Schema cannot compare a path with the parameters of its operations.
  it('declares exactly the parameters of each path, as required', () => {
    const positions = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { parameters = [] }]) => ({
        place: `${method} ${path}`,
        path,
        parameters,
      })),
    );
    const declared = positions.map(({ place: location, parameters }) => {
      const ofPath = parameters.filter((parameter) => parameter.in === 'path');
      return [
        location,
        ofPath.map(({ name, required }) => (required ? name : `${name}, not required`)).sort(),
      ];
    });
    const named = positions.map(({ place: location, path }) => [
      location,
      [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort(),
    ]);
    expect(declared).toEqual(named);
  });

  it('lists the groups of /api/v1 first, in the order of the specification, then the legacy ones', () => {
    const names = document.tags.map(({ name }) => name);
    const ofV1 = names.filter((name) => !name.startsWith('legacy '));
    expect(names).toEqual([...ofV1, ...ofV1.map((name) => `legacy ${name}`)]);
    const specified = [
      'emails',
      'events',
      'contacts',
      'lists',
      'segments',
      'workflows',
      'campaigns',
      'templates',
      'snippets',
      'suppressions',
    ];
    specified.push('domains', 'projects', 'apiKeys', 'analytics');
    expect(ofV1.filter((name) => specified.includes(name))).toEqual(specified);
  });

  it('lists each failure with the codes of its surface', () => {
    expect(operationAt('patch', '/api/campaigns/{id}').responses).toMatchObject({
      403: { $ref: '#/components/responses/LegacyProjectAccessDeniedOrProjectDisabledOrScopeMissing403' },
      404: { $ref: '#/components/responses/LegacyResourceNotFound404' },
      409: { $ref: '#/components/responses/LegacyConflict409' },
    });
    expect(Object.keys(operationAt('post', '/api/v1/emails').responses)).toEqual([
      '202', '400', '401', '403', '409', '413', '415', '422', '429', '500', '503',
    ]); // prettier-ignore
    expect(operationAt('post', '/api/v1/emails').responses['503']!.$ref).toBe(
      '#/components/responses/EnqueueFailed503',
    );
    expect(responses['LegacyConflict409']).toMatchObject({
      content: {
        'application/json': {
          schema: {
            allOf: [{}, { properties: { error: { properties: { code: { enum: ['CONFLICT'] } } } } }],
          },
        },
      },
    });
  });

  it('uses only the names of each surface', () => {
    expect(Object.keys(schemas['Contact']!.properties)).toEqual([
      'id',
      'email',
      'subscribed',
      'custom_fields',
      'created_at',
      'updated_at',
    ]);
    expect(Object.keys(schemas['LegacyContact']!.properties)).toContain('projectId');
    expect(schemas['LegacyCreateContact']!.properties).toHaveProperty('data');
    expect(schemas['CreateContact']!.properties).not.toHaveProperty('data');
  });

  it('describes limits and behaviour that names do not show', () => {
    for (const path of ['/api/v1/contacts/imports', '/api/contacts/import']) {
      const { description, parameters } = operationAt('post', path);
      expect(description).toContain(`limited to ${2 * 1024 ** 3} bytes`);
      expect(description).toContain(`JSON is limited to ${1024 ** 2} bytes`);
      expect(parameters!.filter((parameter) => !parameter.description)).toEqual([]);
    }
    expect(operationAt('post', '/api/v1/contacts').description).toContain(
      `The body is limited to ${1024 ** 2} bytes`,
    );
    for (const name of ['List', 'CreateList', 'UpdateList'])
      expect(schemas[name]!.properties['confirmation_template_id']!.description).toContain(
        'Posthorn does not send it',
      );
    expect(operationAt('patch', '/api/v1/contacts/{id}').summary).toContain(
      'custom fields are replaced on /api/v1',
    );
    expect(schemas['UpdateContact']!.properties['custom_fields']!.description).toContain(
      'PATCH on /api/v1 replaces',
    );
  });

  it('refuses two schemas with the same name', () => {
    const written = new ShapeSchemas();
    written.refOf('v1', Contact, 'reply');
    expect(() => written.refOf('v1', Contact, 'request')).toThrow('two schemas are called Contact');
    expect(written.refOf('v1', CreateContact, 'request')).toEqual({
      $ref: '#/components/schemas/CreateContact',
    });
  });
});

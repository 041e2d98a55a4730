// The reference: one page for each area of the HTTP interface, one of types, one of errors, out of the OpenAPI document and the
// table of errors. Writes no file.
import { errors, type Route } from '@pilothouse/contract';
import type {
  ApiParameter,
  ApiDocument as Document,
  ApiOperation as Operation,
} from '../../apps/server/testing/openapi.ts';
import { fieldsOf, fieldTable, type Schema, tableOf, typeOf } from './schema-words.ts';

export type ReferencePage = { slug: string; title: string; description: string; body: string };
type Served = { method: string; path: string; operation: Operation };

const titles: Record<Route['area'], string> = {
  auth: 'Logins and keys',
  admin: 'Administration',
  chat: 'Chat',
  sessions: 'Sessions',
  tasks: 'Tasks',
  secrets: 'Secrets',
  service: 'The service',
};
const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

export function referencePages(document: Document): ReferencePage[] {
  const areas = (document.tags ?? []).map(({ name, description = '' }) => {
    const served = servedOf(document).filter(({ operation }) => operation.tags?.includes(name));
    const title = titles[name as Route['area']] ?? name;
    return { slug: `reference/${name}`, title, description, body: areaBody(description, served) };
  });
  return [indexPage(document, areas), ...areas, typesPage(document), errorsPage()];
}

const servedOf = ({ paths = {} }: Document): Served[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item?.[method];
      return operation ? [{ method: method.toUpperCase(), path, operation }] : [];
    }),
  );

function indexPage(document: Document, areas: ReferencePage[]): ReferencePage {
  const rows = areas.map(({ slug, title, description }) => [`[${title}](/${slug}/)`, description]);
  const served = servedOf(document);
  return {
    slug: 'reference',
    title: 'HTTP interface',
    description: 'Every route, with what it takes and answers.',
    body: [
      `All ${served.length} routes of version ${document.info.version}, made from the OpenAPI document. A server has the same at \`/api/openapi.json\`, and a page to try it at \`/docs/\`; the document is also [here](/openapi.json).`,
      tableOf(['Area', ''], rows),
      'Bodies and answers are JSON with names in `snake_case`; [types](/reference/types/) lists their shapes, and [errors](/reference/errors/) every code. Answers may gain fields. A login or key is sent as `Authorization: Bearer …`, the token of a share as `X-Share-Token`.',
    ].join('\n\n'),
  };
}

const areaBody = (description: string, served: Served[]): string =>
  [description, ...served.map(operationBody)].join('\n\n');

function operationBody({ method, path, operation }: Served): string {
  const parameters = (operation.parameters ?? []) as ApiParameter[];
  return [
    `## ${operation.summary}`,
    `\`${method} ${path}\` — ${accessOf(operation)}`,
    parameterTable(parameters),
    bodyOf(operation),
    ...answersOf(operation),
    errorsOf(operation),
  ]
    .filter(Boolean)
    .join('\n\n');
}

function accessOf({ security = [] }: Operation): string {
  if (security.length === 0) return 'open to everyone';
  const kinds = security.flatMap((one) => (Object.keys(one).length === 0 ? ['none'] : Object.keys(one)));
  if (kinds.includes('none')) return 'with or without a login';
  return kinds.includes('share') ? 'needs a login, or the token of a share' : 'needs a login';
}

function parameterTable(parameters: ApiParameter[]): string {
  const rows = parameters.map(({ name, in: where, required, schema = {} }) => {
    const [row] = fieldsOf({ type: 'object', properties: { [name]: schema as Schema } });
    return [`\`${name}\``, where, row?.type ?? '', required ? 'yes' : '', row?.what ?? ''];
  });
  return rows.length > 0 ? tableOf(['Parameter', 'In', 'Type', 'Required', 'Bounds'], rows) : '';
}

function bodyOf({ requestBody }: Operation): string {
  if (!requestBody || !('content' in requestBody)) return '';
  const schema = (requestBody.content['application/json']?.schema ?? {}) as Schema;
  const lead = `**Body**${requestBody.required ? '' : ' (optional)'}`;
  const table = schema.properties ? fieldTable(fieldsOf(schema)) : '';
  return table ? `${lead}\n\n${table}` : `${lead}: ${typeOf(schema)}`;
}

/** Each kind of success. */
function answersOf({ responses = {} }: Operation): string[] {
  return Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([status, response]) => {
      const content = 'content' in response ? Object.entries(response.content ?? {}) : [];
      if (content.length === 0) return [`**Answer ${status}**, without a body`];
      return content.map(([type, { schema = {} }]) => answerOf(status, type, schema as Schema));
    });
}

function answerOf(status: string, type: string, schema: Schema): string {
  const kind = type === 'application/json' ? '' : ` as \`${type}\``;
  const rows = fieldsOf(schema).filter(({ name }) => name !== 'success');
  if (rows.length > 0) return `**Answer ${status}**${kind}\n\n${fieldTable(rows, { hasRequired: false })}`;
  const isBytes = schema.contentEncoding !== undefined;
  if (isBytes || schema.properties) return `**Answer ${status}**${kind}${schema.properties ? ': `success`' : ''}`;
  return `**Answer ${status}**${kind}: ${type === 'text/event-stream' ? 'events, each ' : ''}${typeOf(schema)}`;
}

function errorsOf({ responses = {} }: Operation): string {
  const said = Object.entries(responses).filter(([status]) => Number(status) >= 400);
  const listed = said.map(([status, response]) => {
    const codes = response.description?.split(', ') ?? [];
    return `${status} ${codes.map((code) => `[\`${code}\`](/reference/errors/#${code})`).join(', ')}`;
  });
  return listed.length > 0 ? `**Errors**: ${listed.join('; ')}` : '';
}

function typesPage({ components }: Document): ReferencePage {
  const schemas = Object.entries(components?.schemas ?? {}) as [string, Schema][];
  return {
    slug: 'reference/types',
    title: 'Types',
    description: 'The shapes that bodies, answers and events are made of.',
    body: [
      'A name that ends in `Input` is the shape of a request where that of answers differs.',
      ...schemas.map(([name, schema]) => `## ${name}\n\n${shapeOf(schema)}`),
    ].join('\n\n'),
  };
}

function shapeOf(schema: Schema): string {
  if (schema.properties) return fieldTable(fieldsOf(schema)) || 'An object.';
  const variants = schema.oneOf ?? schema.anyOf;
  if (!variants?.some(({ properties }) => properties)) return `${typeOf(schema)}.`;
  return [
    `One of ${variants.length}:`,
    ...variants.map((variant) => (variant.properties ? fieldTable(fieldsOf(variant)) : typeOf(variant))),
  ].join('\n\n');
}

function errorsPage(): ReferencePage {
  const rows = Object.entries(errors)
    .toSorted(([, one], [, other]) => one.status - other.status)
    .map(([code, { status, title }]) => `## ${code}\n\n${status}: ${title}.`.replace('..', '.'));
  return {
    slug: 'reference/errors',
    title: 'Errors',
    description: 'Every code that a problem can have.',
    body: [
      'Every answer that is not a success is a problem document (`application/problem+json`, [Problem](/reference/types/#problem)). Programs decide by its `code`, which is one of these.',
      ...rows,
    ].join('\n\n'),
  };
}

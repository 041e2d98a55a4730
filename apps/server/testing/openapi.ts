// The OpenAPI document of every route of the contract, as a server would answer it, without one. Never listens.
import { type Route, routes } from '@pilothouse/contract';
import Fastify from 'fastify';
import type { OpenAPIV3_1 } from 'openapi-types';
import { describeApi } from '../src/http/openapi.ts';
import { schemaOf } from '../src/http/route-schema.ts';

export type ApiDocument = OpenAPIV3_1.Document;
export type ApiOperation = OpenAPIV3_1.OperationObject;
export type ApiParameter = OpenAPIV3_1.ParameterObject;
export type ApiSchema = OpenAPIV3_1.SchemaObject;

export async function openApiOf(version: string): Promise<ApiDocument> {
  const app = Fastify();
  // Nothing is ever checked or sent: the document is made of the schemas as they are.
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => () => '');
  await describeApi(app, version);
  for (const route of Object.values<Route>(routes))
    app.route({ method: route.method, url: route.path, schema: schemaOf(route), handler: () => undefined });
  await app.ready();
  const document = { ...app.swagger(), openapi: '3.1.0' } as ApiDocument;
  await app.close();
  return document;
}

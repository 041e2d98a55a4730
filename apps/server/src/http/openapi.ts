import swagger from '@fastify/swagger';
import { type Route, routes } from '@pilothouse/contract';
import scalar from '@scalar/fastify-api-reference';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import type { OpenAPIV3_1 } from 'openapi-types';
import { open, tidyComponents } from './openapi-components.ts';

/** The OpenAPI document of the routes that are served, and a page to read and try them that needs no other host. */
export async function describeApi(app: FastifyInstance, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Pilothouse',
        version,
        description: 'The control plane for browser agents that people can watch, steer and trust.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    },
    transform: jsonSchemaTransform,
    transformObject: (document) =>
      tidyComponents(correctOperations(jsonSchemaTransformObject(document) as OpenApi)) as OpenApi,
  });
  await app.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: '/api/openapi.json',
      withDefaultFonts: false,
      telemetry: false,
      agent: { disabled: true },
      mcp: { disabled: true },
    },
    hooks: {
      onRequest: (_request, reply, done) => {
        // Even if the page's code wished to, it could load nothing from elsewhere.
        reply.header(
          'content-security-policy',
          "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; frame-ancestors 'none'",
        );
        done();
      },
    },
  });
}

type OpenApi = Partial<OpenAPIV3_1.Document>;

/** Two things the generator cannot know: which bodies may be left out, and that answers may gain fields. */
function correctOperations(document: OpenApi): OpenApi {
  for (const { method, path, body } of Object.values<Route>(routes)) {
    const item = document.paths?.[path.replace(/:(\w+)/g, '{$1}')];
    const operation = item?.[method.toLowerCase() as 'get' | 'post' | 'delete'];
    if (!operation) continue;
    operation.responses = open(operation.responses);
    if (body && operation.requestBody && 'required' in operation.requestBody) {
      operation.requestBody.required = !body.safeParse(undefined).success;
    }
  }
  return document;
}

// The OpenAPI document of the served routes.

import swagger from '@fastify/swagger';
import { type Route, routes } from '@pilothouse/contract';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import type { OpenAPIV3_1 } from 'openapi-types';
import { open, tidyComponents } from './openapi-components.ts';

/** In the order of reading. */
const tags = [
  { name: 'auth', description: 'Who you are: register, log in, stay logged in, log out.' },
  { name: 'admin', description: 'The whole installation, for administrators: users, hosts, agents, tasks, audit.' },
  { name: 'chat', description: 'Say what you want: a task starts.' },
  { name: 'sessions', description: 'A browser and its history: watch it live, share it, take over.' },
  { name: 'tasks', description: 'The work itself: follow it, inspect it, steer it, end it.' },
  { name: 'secrets', description: 'What is typed without being shown: written, listed by name, removed.' },
  { name: 'service', description: 'The service as such: whether it lives, whether it can work, what it offers.' },
] satisfies { name: Route['area']; description: string }[];

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
      tags,
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer' },
          share: { type: 'apiKey', in: 'header', name: 'X-Share-Token' },
        },
      },
    },
    transform: jsonSchemaTransform,
    transformObject: (document) =>
      tidyComponents(correctOperations(jsonSchemaTransformObject(document) as OpenApi)) as OpenApi,
  });
}

type OpenApi = Partial<OpenAPIV3_1.Document>;

/** The generator does not know which areas are served, which bodies are optional, and that answers may gain fields. */
function correctOperations(document: OpenApi): OpenApi {
  const areas = new Set<string>();
  for (const { method, path, body, area } of Object.values<Route>(routes)) {
    const item = document.paths?.[path.replace(/:(\w+)/g, '{$1}')];
    const operation = item?.[method.toLowerCase() as 'get' | 'post' | 'delete'];
    if (!operation) continue;
    areas.add(area);
    operation.responses = open(operation.responses);
    if (body && operation.requestBody && 'required' in operation.requestBody) {
      operation.requestBody.required = !body.safeParse(undefined).success;
    }
  }
  return { ...document, tags: document.tags?.filter(({ name }) => areas.has(name)) };
}

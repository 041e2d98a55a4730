// Checks the parts of a request against the contract, for Fastify.

import type { FastifySchemaCompiler } from 'fastify';
import { validatorCompiler } from 'fastify-type-provider-zod';
import type { ZodType } from 'zod';

export const validate: FastifySchemaCompiler<ZodType> = (definition) => {
  const check = validatorCompiler(definition);
  switch (definition.httpPart) {
    // For Fastify a missing body is `null`; for the contract it is `undefined`.
    case 'body':
      return (body: unknown) => check(body === null ? undefined : body);
    // A route names the headers it reads; the others stay as they are.
    case 'headers':
      return (headers: object) => {
        // Fastify's type allows other results; this compiler returns these.
        const checked = check(headers) as { error?: Error; value?: object };
        return checked.error ? checked : { value: { ...headers, ...checked.value } };
      };
    default:
      return check;
  }
};

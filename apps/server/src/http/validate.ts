import type { FastifySchemaCompiler } from 'fastify';
import { validatorCompiler } from 'fastify-type-provider-zod';
import type { ZodType } from 'zod';

/** Checks a part of a request against the contract, in Fastify's terms. */
export const validate: FastifySchemaCompiler<ZodType> = (definition) => {
  const check = validatorCompiler(definition);
  switch (definition.httpPart) {
    // Fastify hands over a missing body as `null`; the contract calls it by its name.
    case 'body':
      return (body: unknown) => check(body === null ? undefined : body);
    // A route names the headers it reads; the others stay for everybody else.
    case 'headers':
      return (headers: object) => {
        // Fastify's type allows for compilers that answer otherwise; this one answers so.
        const checked = check(headers) as { error?: Error; value?: object };
        return checked.error ? checked : { value: { ...headers, ...checked.value } };
      };
    default:
      return check;
  }
};

// A route of the contract as Fastify and the OpenAPI document need it.

import { errors, noContent, Problem, type Route } from '@pilothouse/contract';
import { z } from 'zod';
import { problemType } from './problem.ts';

const anyBytes = z.string().meta({ contentEncoding: 'binary' });

export const schemaOf = (route: Route) => ({
  summary: route.summary,
  tags: [route.area],
  security: securityOf(route),
  // Fastify warns of a part that is named without a value.
  ...(route.params && { params: route.params }),
  ...(route.query && { querystring: route.query }),
  ...(route.headers && { headers: route.headers }),
  ...(route.body && { body: route.body }),
  response: { ...successReplies(route), ...problemReplies(route) },
});

const securityOf = ({ access }: Route): Record<string, string[]>[] => {
  if (access === 'public') return [];
  // One of them is enough, and the first is no proof at all.
  if (access === 'anyone') return [{}, { bearer: [] }];
  return access === 'share' ? [{ bearer: [] }, { share: [] }] : [{ bearer: [] }];
};

function successReplies(route: Route) {
  const raw = route.stream
    ? { 'text/event-stream': { schema: route.stream } }
    : Object.fromEntries((route.bytes ?? []).map((type) => [type, { schema: route.lines ?? anyBytes }]));
  if (Object.keys(raw).length > 0) {
    const wrapped = route.replies[200] && { 'application/json': { schema: route.replies[200] } };
    return { 200: { description: 'Success', content: { ...raw, ...wrapped } } };
  }
  return Object.fromEntries(
    Object.entries(route.replies).map(([status, reply]) => [
      status,
      reply === noContent ? noContent : { description: 'Success', content: { 'application/json': { schema: reply } } },
    ]),
  );
}

function problemReplies(route: Route) {
  const possible = [...route.errors, 'overloaded', 'internal'] as const;
  const statuses = new Set(possible.map((code) => errors[code].status));
  return Object.fromEntries(
    [...statuses].map((status) => [
      status,
      {
        description: possible.filter((code) => errors[code].status === status).join(', '),
        content: { [problemType]: { schema: Problem } },
      },
    ]),
  );
}

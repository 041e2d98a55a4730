// The routes of secrets.

import { routes } from '@pilothouse/contract';
import type { Serve } from '../http/serve.ts';
import type { SecretsService } from './secrets.service.ts';

export function secretsRoutes(serve: Serve, secrets: SecretsService) {
  serve(routes.listSecrets, ({ caller }) => secrets.list(caller));
  serve(routes.putSecret, ({ caller, params, body, from }) => secrets.put(caller, params.name, body, from));
  serve(routes.deleteSecret, ({ caller, params, from }) => secrets.remove(caller, params.name, from));
}

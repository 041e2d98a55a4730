import { routes } from '@pilothouse/contract';
import type { Serve } from '../http/serve.ts';
import type { CloseService } from './close.service.ts';
import type { ProfilesService } from './profiles.service.ts';

export function sessionCommandRoutes(serve: Serve, closing: CloseService, profiles: ProfilesService) {
  serve(routes.deleteSession, ({ caller, params, query }) => closing.close(caller, params.id, query));
  serve(routes.listProfiles, ({ caller, query }) => profiles.list(caller, query));
  serve(routes.createProfile, ({ caller, body }) => profiles.create(caller, body));
  serve(routes.deleteProfile, ({ caller, params }) => profiles.remove(caller, params.id));
}

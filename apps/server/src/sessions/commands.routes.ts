// The routes that share and close sessions, and those of profiles.

import { routes } from '@pilothouse/contract';
import type { Serve } from '../http/serve.ts';
import type { CloseService } from './close.service.ts';
import type { ProfilesService } from './profiles.service.ts';
import type { ShareService } from './share.service.ts';

type Services = { closing: CloseService; sharing: ShareService; profiles: ProfilesService };

export function sessionCommandRoutes(serve: Serve, { closing, sharing, profiles }: Services) {
  serve(routes.shareSession, ({ caller, params, body, from }) => sharing.share(caller, params.id, body, from));
  serve(routes.getShare, ({ caller, params }) => sharing.read(caller, params.id));
  serve(routes.unshareSession, ({ caller, params, from }) => sharing.unshare(caller, params.id, from));
  serve(routes.deleteSession, ({ caller, params, query }) => closing.close(caller, params.id, query));
  serve(routes.listProfiles, ({ caller, query }) => profiles.list(caller, query));
  serve(routes.createProfile, ({ caller, body }) => profiles.create(caller, body));
  serve(routes.deleteProfile, ({ caller, params }) => profiles.remove(caller, params.id));
}

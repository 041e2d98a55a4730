import { routes } from '@pilothouse/contract';
import type { Serve } from '../http/serve.ts';
import type { CloseService } from './close.service.ts';
import type { PointerService } from './pointer.service.ts';
import type { ProfilesService } from './profiles.service.ts';
import type { ShareService } from './share.service.ts';
import type { SessionTakeovers } from './takeover.service.ts';

type Services = {
  closing: CloseService;
  sharing: ShareService;
  profiles: ProfilesService;
  takeovers: SessionTakeovers;
  pointer: PointerService;
};

export function sessionCommandRoutes(serve: Serve, services: Services) {
  const { closing, sharing, profiles, takeovers, pointer } = services;
  serve(routes.shareSession, ({ caller, params, body, from }) => sharing.share(caller, params.id, body, from));
  serve(routes.unshareSession, ({ caller, params, from }) => sharing.unshare(caller, params.id, from));
  serve(routes.deleteSession, ({ caller, params, query }) => closing.close(caller, params.id, query));
  serve(routes.requestSessionTakeover, ({ caller, params, body, from }) =>
    takeovers.take(caller, params.id, body, from),
  );
  serve(routes.resumeSessionTakeover, ({ caller, params, body, from }) =>
    takeovers.resume(caller, params.id, body, from),
  );
  serve(routes.movePointer, ({ caller, params, body, from }) => pointer.move(caller, params.id, body, from));
  serve(routes.listProfiles, ({ caller, query }) => profiles.list(caller, query));
  serve(routes.createProfile, ({ caller, body }) => profiles.create(caller, body));
  serve(routes.deleteProfile, ({ caller, params }) => profiles.remove(caller, params.id));
}

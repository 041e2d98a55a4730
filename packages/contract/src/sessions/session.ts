// Shapes of sessions, shares and profiles.

import { z } from 'zod';
import { BrowserState, SessionState, TaskState } from '../tasks/states.ts';
import { Takeover } from '../tasks/takeover.ts';
import { MessageState } from '../tasks/task.ts';
import { BrowserRoute, Frame, OpenPage, Overlay } from '../tasks/view.ts';
import { Count } from '../types/count.ts';
import { IdParam, Uuid7 } from '../types/id.ts';
import { text } from '../types/text.ts';
import { Timestamp } from '../types/time.ts';
import { DriverView } from './driver-view.ts';

export const Session = z
  .object({
    id: Uuid7,
    status: SessionState,
    browser: BrowserState,
    last_task_id: Uuid7.nullable(),
    live_path: z.string(),
    profile_id: Uuid7.nullable(),
    profile_label: z.string().nullable(),
    title: z.string().nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
    last_event_at: Timestamp.nullable(),
    shared: z.boolean(),
    viewers: Count,
    /** Whether its frames are recorded while a task works in it. */
    recording: z.boolean(),
  })
  .meta({ id: 'Session' });
export type Session = z.infer<typeof Session>;

/** The most recent task of a session, as the list of sessions shows it. Its title comes from its steps, and is short. */
export const LastTask = z
  .object({
    id: Uuid7,
    title: z.string(),
    status: TaskState,
    /** 0 before the first. */
    current_step: Count,
    current_step_title: z.string(),
    total_steps: Count.nullable(),
    started_at: Timestamp.nullable(),
    finished_at: Timestamp.nullable(),
  })
  .meta({ id: 'LastTask' });
export type LastTask = z.infer<typeof LastTask>;

/** A task of the session that waits for a person: it asks something, or a person has its browser. */
export const NeedsPerson = z
  .object({
    task_id: Uuid7,
    why: z.enum(['question', 'takeover']),
    /** The beginning of the question; null if there is none. */
    text: z.string().nullable(),
    since: Timestamp,
  })
  .meta({ id: 'NeedsPerson' });
export type NeedsPerson = z.infer<typeof NeedsPerson>;

/** The newest kept picture. `frame_id` changes with the picture; of a private one only a placeholder is shown. */
export const Thumbnail = z
  .object({ frame_id: Uuid7, path: z.string(), recorded_at: Timestamp, private: z.boolean() })
  .meta({ id: 'Thumbnail' });
export type Thumbnail = z.infer<typeof Thumbnail>;

/** A session in the list. Absent fields: the server is of an older release. */
export const ListedSession = Session.extend({
  last_task: LastTask.nullable().optional(),
  needs_person: NeedsPerson.nullable().optional(),
  thumbnail: Thumbnail.nullable().optional(),
}).meta({ id: 'ListedSession' });
export type ListedSession = z.infer<typeof ListedSession>;

export const Navigation = z
  .object({ recorded_at: Timestamp, page: z.string().nullable(), url: z.string(), title: z.string().nullable() })
  .meta({ id: 'Navigation' });
export type Navigation = z.infer<typeof Navigation>;

/** Everything to restore the view; the live stream continues from `cursor` without a gap. */
export const Snapshot = z
  .object({
    session: Session,
    last_frame: Frame.nullable(),
    overlays: z.array(Overlay),
    route_summary: z.object({
      current: BrowserRoute,
      /** All open pages, if the host answers; else the page of the last frame. Without addresses the viewer may not see. */
      pages: z.array(OpenPage),
      history: z.array(Navigation),
    }),
    message_state: MessageState.nullable(),
    takeover: Takeover.nullable(),
    /** Only for the person who drives; null or absent for everyone else. */
    driver_view: DriverView.nullable().optional(),
    cursor: z.string(),
  })
  .meta({ id: 'Snapshot' });
export type Snapshot = z.infer<typeof Snapshot>;

const Label = text(100, 1);

const SessionTitle = text(200, 1);

export const CreateSessionRequest = z
  .object({
    profile_id: IdParam.optional(),
    profile_label: Label.optional(),
    title: SessionTitle.optional(),
    viewport: z.object({ width: z.int().min(320).max(3840), height: z.int().min(240).max(2160) }).optional(),
    record: z.boolean().default(false),
  })
  .meta({ id: 'CreateSessionRequest' });
export type CreateSessionRequest = z.infer<typeof CreateSessionRequest>;

export const UpdateSessionRequest = z
  .strictObject({ title: SessionTitle.nullable() })
  .meta({ id: 'UpdateSessionRequest' });
export type UpdateSessionRequest = z.infer<typeof UpdateSessionRequest>;

export const ShareRequest = z
  .object({ expires_in_secs: z.int().min(60).max(604_800).default(86_400) })
  .meta({ id: 'ShareRequest' });
export type ShareRequest = z.infer<typeof ShareRequest>;

/** The only time the token is shown. The path keeps it in its fragment, which browsers do not send. */
export const Share = z
  .object({
    session_id: Uuid7,
    live_path: z.string(),
    share_token: z.string(),
    share_path: z.string(),
    /** The same share, on a page of its own. */
    share_page_path: z.string().optional(),
    expires_at: Timestamp,
  })
  .meta({ id: 'Share' });
export type Share = z.infer<typeof Share>;

/** A valid share, without its token, which only its hash is stored of. */
export const ShareState = z
  .object({
    session_id: Uuid7,
    created_at: Timestamp,
    expires_at: Timestamp,
    /** Only the owner of a session shares it. */
    shared_by: z.object({ id: Uuid7, username: z.string() }),
  })
  .meta({ id: 'ShareState' });
export type ShareState = z.infer<typeof ShareState>;

/** Replaces a login for a session that is only watched. */
export const ShareHeaders = z.object({ 'x-share-token': z.string().optional() });

/** Saved browser state under a label. */
export const Profile = z
  .object({ id: Uuid7, label: z.string(), created_at: Timestamp, updated_at: Timestamp })
  .meta({ id: 'Profile' });
export type Profile = z.infer<typeof Profile>;

/** The state is taken from a session; a label that exists is overwritten. */
export const CreateProfileRequest = z
  .object({ label: Label, session_id: IdParam })
  .meta({ id: 'CreateProfileRequest' });
export type CreateProfileRequest = z.infer<typeof CreateProfileRequest>;

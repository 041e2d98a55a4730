// The one client of browser hosts, for servers and agents. Never decides about tasks: it only asks hosts and keeps their rows true.

export { markBrowserGone, releaseBrowser, setCold } from './browser-gone.ts';
export { type BrowserAddress, type BrowserHold, holdOf, type PersonHold } from './browser-hold.ts';
export { createHostClient, type HostClient, type HostLook, type PageSeen, type SeeOptions } from './host-client.ts';
export type { HostResult } from './host-result.ts';
export { leftByPerson } from './left-by-person.ts';
export { createRedactorOf, type RedactorOf } from './redaction.ts';
export { askUntilHeard, createSilence, isSilent, reunionMs, type SilenceOptions } from './silence.ts';

// A valid body for each route that takes one.

import type { BodyIn, RouteName, routes } from '@pilothouse/contract';

export const unknownId = '01890a5d-ac96-774b-bcce-b302099a8057';

/** A whole body for each route that takes one: what is broken in it is then the only thing wrong. */
export const samples: { [Name in RouteWithBody]: NonNullable<BodyIn<(typeof routes)[Name]>> } = {
  register: { username: 'ann', email: 'ann@example.test', password: 'correct horse' },
  login: { username_or_email: 'ann', password: 'correct horse' },
  refresh: { refresh_token: 'token' },
  logout: { refresh_token: 'token' },
  changePassword: { current_password: 'correct horse', new_password: 'battery staple' },
  logoutAll: {},
  consoleLogin: { username_or_email: 'ann', password: 'correct horse' },
  createInvite: { note: 'for Ann', role: 'user', expires_in_secs: 600 },
  changeUser: { disabled: true },
  changeHost: { max_sessions: 4 },
  createKey: { label: 'a key', expires_in_secs: 600 },
  sendChat: {
    prompt: 'Read the heading',
    planner: 'auto',
    steps: [
      { action: 'navigate', url: 'about:blank', title: 'Open the page' },
      { action: 'type', target: { role: 'textbox', name: 'Search' }, text: 'words' },
      { action: 'scroll', delta_y: 200 },
      { action: 'wait', for: { secs: 0.1 }, timeout_secs: 2 },
      { action: 'extract', kind: 'text', target: { css: 'h1' }, as: 'heading' },
    ],
    constraints: ['be quick'],
    allowed_domains: ['*.example.test'],
    output_schema: { type: 'object' },
    max_steps: 5,
    time_limit_secs: 60,
    execute: true,
  },
  createSession: { title: 'A session', profile_label: 'work', viewport: { width: 1280, height: 720 }, record: true },
  updateSession: { title: 'Another name' },
  shareSession: { expires_in_secs: 600 },
  openProgramAccess: { while_driven: 'wait' },
  movePointer: { actions: [{ action: 'click', x: 1, y: 2, button: 'left', modifiers: ['Alt'], input_seq: 1 }] },
  requestSessionTakeover: { requested_by: 'ann', reason: 'to log in', expires_in_secs: 60 },
  resumeSessionTakeover: { resume_token: 'token', note: 'done' },
  setTakeoverClient: { client_id: 'a tab', takeover_id: unknownId },
  renewTakeover: { takeover_id: unknownId },
  putSecret: { value: 'a key of brass', origins: ['https://example.com'], totp: 'GEZDGNBVGY3TQOJQ' },
  createProfile: { label: 'work', session_id: unknownId },
  requestTakeover: { requested_by: 'ann', reason: 'to log in', expires_in_secs: 60 },
  resumeTakeover: { resume_token: 'token', note: 'done' },
  signalTakeover: { message: 'I will', answer: 'blue', asked_at: '2026-01-01T00:00:00.000Z' },
  sendTaskMessage: { text: 'The blue one, please' },
  setPolicy: { mode: 'careful', deny: ['ads.example'] },
  cancelTask: { reason: 'no longer needed' },
};
export type RouteWithBody = {
  [Name in RouteName]: (typeof routes)[Name] extends { body: unknown } ? Name : never;
}[RouteName];

// What the session is doing for an agent right now, and when it was last used.

import type { Page } from 'playwright-core';

export type Activity = {
  /** The command that is being performed. */
  commandId(): string | undefined;
  /** The page that was in front when the last act began. The act may have brought another page to the front. */
  actedPage(): Page | undefined;
  begin(commandId: string, page: Page): void;
  end(): void;
  /** Notes that the session is used now. */
  use(): void;
  /** Time since the session was last used; 0 while a command is being performed. */
  idleMs(): number;
};

export function createActivity(): Activity {
  let usedAt = performance.now();
  let commandId: string | undefined;
  let actedPage: Page | undefined;
  const use = () => {
    usedAt = performance.now();
  };
  return {
    commandId: () => commandId,
    actedPage: () => actedPage,
    begin(id, page) {
      commandId = id;
      actedPage = page;
    },
    end() {
      commandId = undefined;
      use();
    },
    use,
    idleMs: () => Math.round(commandId ? 0 : performance.now() - usedAt),
  };
}

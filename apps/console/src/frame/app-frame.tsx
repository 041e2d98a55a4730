// The frame of every page behind a login.

import { Outlet } from '@tanstack/react-router';

export function AppFrame() {
  return (
    <div className="grid h-dvh grid-cols-[56px_minmax(0,1fr)] overflow-hidden">
      <nav className="bg-rail" />
      <div className="flex min-h-0 min-w-0 flex-col">
        <Outlet />
      </div>
    </div>
  );
}

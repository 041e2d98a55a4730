// The ways to every part of the console: a rail at the left, and a bar at the bottom of a narrow window.

import { Link, type LinkProps, useNavigate, useRouterState } from '@tanstack/react-router';
import { House, Inbox, LayoutGrid, LogOut, type LucideIcon, Server, Settings2, SlidersHorizontal } from 'lucide-react';
import type { ReactElement } from 'react';
import { useIsAdmin } from '../api/use-is-admin.ts';
import { useUser } from '../api/use-user.ts';
import { logOut } from '../auth/log-out.ts';
import { Badge } from '../ui/chip.tsx';
import { Mark } from '../ui/mark.tsx';
import { Menu, MenuItem, MenuLabel, MenuLine } from '../ui/popover.tsx';
import { Tooltip } from '../ui/tooltip.tsx';
import { initialsOf } from './initials.ts';

type Way = { to: LinkProps['to']; label: string; icon: LucideIcon; isExact?: boolean };

const ways: Way[] = [
  { to: '/', label: 'Home', icon: House, isExact: true },
  { to: '/inbox', label: 'Inbox', icon: Inbox },
  { to: '/sessions', label: 'Sessions', icon: LayoutGrid },
];
const admin: Way = { to: '/admin', label: 'Admin', icon: Server };
const settings: Way = { to: '/settings', label: 'Settings', icon: SlidersHorizontal };

const waiting = (count: number) => `${count} waiting for you`;

export function Rail({ inboxCount }: { inboxCount: number }) {
  const user = useUser();
  const isAdmin = useIsAdmin();
  return (
    <nav
      aria-label="Main"
      className="flex flex-col items-center gap-1 bg-rail pt-2 pb-3 text-rail-ink dark:inset-shadow-[-1px_0_0_var(--line)] narrow:hidden"
    >
      <Link to="/" aria-label="Pilothouse" className="mb-3 grid size-10 place-items-center rounded-3 text-[#e7eef1]">
        <Mark />
      </Link>
      {ways.map((way) => (
        <RailLink key={way.label} {...way} count={way.to === '/inbox' ? inboxCount : 0} />
      ))}
      <span className="flex-1" />
      {isAdmin && <RailLink {...admin} count={0} />}
      <RailLink {...settings} count={0} />
      <AccountMenu side="right">
        <button
          type="button"
          aria-label={user ? `${initialsOf(user.username)}, your account` : 'Your account'}
          className="grid size-10 place-items-center rounded-full"
        >
          <Avatar />
        </button>
      </AccountMenu>
    </nav>
  );
}

function RailLink({ to, label, icon: Icon, isExact = false, count }: Way & { count: number }) {
  return (
    <Tooltip text={label} side="right">
      <Link
        to={to}
        activeOptions={{ exact: isExact }}
        aria-label={count > 0 ? `${label}, ${waiting(count)}` : label}
        className="relative grid size-10 place-items-center rounded-3 hover:text-white aria-[current=page]:bg-white/10 aria-[current=page]:text-white"
      >
        <Icon size={20} strokeWidth={1.75} aria-hidden />
        {count > 0 && <Badge count={count} label="" className="absolute top-[3px] right-[2px]" />}
      </Link>
    </Tooltip>
  );
}

/** Not under a session: its page has a way back, and needs the height. */
export function TabBar({ inboxCount }: { inboxCount: number }) {
  const isSession = useRouterState({ select: ({ location }) => /^\/sessions\/./.test(location.pathname) });
  const tab =
    'grid content-center justify-items-center gap-1 text-12 font-medium text-ink-2 aria-[current=page]:text-agent-ink';
  if (isSession) return null;
  return (
    <nav aria-label="Main" className="hidden h-15 shrink-0 grid-cols-4 border-t border-line bg-surface narrow:grid">
      {ways.map(({ to, label, icon: Icon, isExact = false }) => (
        <Link key={label} to={to} activeOptions={{ exact: isExact }} className={tab}>
          <span className="relative">
            <Icon size={20} strokeWidth={1.75} aria-hidden />
            {to === '/inbox' && inboxCount > 0 && (
              <Badge count={inboxCount} label={waiting(inboxCount)} className="absolute -top-2 -right-3.5" />
            )}
          </span>
          {label}
        </Link>
      ))}
      <AccountMenu side="top">
        <button type="button" className={tab}>
          <Settings2 size={20} strokeWidth={1.75} aria-hidden />
          More
        </button>
      </AccountMenu>
    </nav>
  );
}

function AccountMenu({ side, children }: { side: 'right' | 'top'; children: ReactElement }) {
  const user = useUser();
  const isAdmin = useIsAdmin();
  const navigate = useNavigate();
  return (
    <Menu side={side} align="end" trigger={children}>
      <MenuLabel>{user ? `Logged in as ${user.username}` : 'No login is needed here'}</MenuLabel>
      {isAdmin && (
        <MenuItem icon={Server} onSelect={() => void navigate({ to: '/admin' })}>
          Admin
        </MenuItem>
      )}
      <MenuItem icon={SlidersHorizontal} onSelect={() => void navigate({ to: '/settings' })}>
        Settings
      </MenuItem>
      {user && (
        <>
          <MenuLine />
          <MenuItem icon={LogOut} onSelect={() => void logOut()}>
            Log out
          </MenuItem>
        </>
      )}
    </Menu>
  );
}

function Avatar() {
  const user = useUser();
  return (
    <span
      aria-hidden
      className="grid size-6 place-items-center rounded-full bg-[#34464f] text-11 leading-none font-semibold text-white"
    >
      {user ? initialsOf(user.username) : '–'}
    </span>
  );
}

// Search and commands, over any page.

import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Command } from 'cmdk';
import {
  CircleHelp,
  House,
  Inbox,
  LayoutGrid,
  LogOut,
  type LucideIcon,
  Moon,
  Search,
  SlidersHorizontal,
  Sun,
  SunMoon,
} from 'lucide-react';
import { Dialog } from 'radix-ui';
import type { ReactNode } from 'react';
import { inboxQuery } from '../api/inbox.ts';
import { sessionsQuery } from '../api/queries.ts';
import { useUser } from '../api/use-user.ts';
import { logOut } from '../auth/log-out.ts';
import { theme } from '../common/theme.ts';
import { Kbd } from '../ui/kbd.tsx';
import { useFocusBack } from '../ui/use-focus-back.ts';
import { openKeys } from './palette-state.ts';

type ItemProps = { icon: LucideIcon; value?: string; onSelect: () => void; keys?: string[]; children: ReactNode };

function Item({ icon: Icon, value, onSelect, keys = [], children }: ItemProps) {
  return (
    <Command.Item
      value={value}
      onSelect={onSelect}
      className="flex h-10 cursor-default items-center gap-3 rounded-2 px-2.5 data-[selected=true]:bg-agent-soft"
    >
      <Icon size={16} strokeWidth={1.75} aria-hidden className="shrink-0 text-ink-2" />
      <span className="min-w-0 flex-1 truncate font-medium" dir="auto">
        {children}
      </span>
      {keys.map((key) => (
        <Kbd key={key}>{key}</Kbd>
      ))}
    </Command.Item>
  );
}

const group =
  '[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:py-2 [&_[cmdk-group-heading]]:text-12 [&_[cmdk-group-heading]]:text-ink-3';

export default function Palette({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const focusBack = useFocusBack();
  const { data: inbox } = useQuery(inboxQuery);
  const { data: sessions } = useInfiniteQuery(sessionsQuery(undefined));
  const go = (to: '/' | '/inbox' | '/sessions' | '/settings') => () => {
    onClose();
    void navigate({ to });
  };
  const then = (act: () => void) => () => {
    onClose();
    act();
  };
  const waiting = inbox?.items.length ?? 0;
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-scrim" />
        <Dialog.Content
          {...focusBack}
          aria-describedby={undefined}
          className="fixed top-28 left-1/2 z-40 w-[min(640px,calc(100vw-32px))] -translate-x-1/2 overflow-hidden rounded-4 bg-raised shadow-modal outline-none narrow:top-4"
        >
          <Dialog.Title className="sr-only">Search and commands</Dialog.Title>
          <Command label="Search and commands" loop>
            <div className="flex h-13 items-center gap-3 border-b border-line px-4 focus-within:shadow-[inset_0_-2px_0_0_var(--agent)]">
              <Search size={16} strokeWidth={1.75} aria-hidden className="shrink-0" />
              <Command.Input
                placeholder="Search sessions and commands"
                className="h-full min-w-0 flex-1 bg-transparent text-16 outline-none"
              />
              <Kbd>Esc</Kbd>
            </div>
            <Command.List className="max-h-[min(420px,60dvh)] overflow-y-auto p-2">
              <Command.Empty className="p-6 text-center text-ink-2">Nothing is called so.</Command.Empty>
              <Command.Group heading="Go" className={group}>
                <Item icon={House} onSelect={go('/')} keys={['G', 'H']}>
                  Home
                </Item>
                <Item icon={Inbox} onSelect={go('/inbox')} keys={['G', 'I']}>
                  Inbox
                  {waiting > 0 && (
                    <span className="font-normal text-ink-3">
                      {' '}
                      {waiting === 1 ? '1 waits' : `${waiting} wait`} for you
                    </span>
                  )}
                </Item>
                <Item icon={LayoutGrid} onSelect={go('/sessions')} keys={['G', 'S']}>
                  All sessions
                </Item>
                <Item icon={SlidersHorizontal} onSelect={go('/settings')}>
                  Settings
                </Item>
              </Command.Group>
              <Command.Group heading="Sessions" className={group}>
                {sessions?.pages
                  .flatMap((page) => page.sessions)
                  .map(({ id, title }) => (
                    <Item
                      key={id}
                      icon={LayoutGrid}
                      value={`${title ?? 'Untitled session'} ${id}`}
                      onSelect={then(() => void navigate({ to: '/sessions/$id', params: { id } }))}
                    >
                      {title ?? 'Untitled session'}
                    </Item>
                  ))}
              </Command.Group>
              <LookAndKeys then={then} />
            </Command.List>
          </Command>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function LookAndKeys({ then }: { then: (act: () => void) => () => void }) {
  const user = useUser();
  return (
    <Command.Group heading="Look and keys" className={group}>
      <Item icon={Moon} onSelect={then(() => theme.write('dark'))}>
        Dark
      </Item>
      <Item icon={Sun} onSelect={then(() => theme.write('light'))}>
        Light
      </Item>
      <Item icon={SunMoon} onSelect={then(() => theme.write('system'))}>
        As the system is
      </Item>
      <Item icon={CircleHelp} onSelect={() => openKeys()} keys={['?']}>
        All keys
      </Item>
      {user && (
        <Item icon={LogOut} onSelect={then(() => void logOut())}>
          Log out
        </Item>
      )}
    </Command.Group>
  );
}

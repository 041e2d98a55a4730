// Users, with what each has open and stored; they are disabled and enabled here.

import type { AdminUser } from '@pilothouse/contract';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Users } from 'lucide-react';
import { useState } from 'react';
import { client } from '../api/login.ts';
import { useUser } from '../api/use-user.ts';
import { describeError } from '../api/words.ts';
import { formatDay } from '../common/format.ts';
import { useNow } from '../common/use-now.ts';
import { Button } from '../ui/button.tsx';
import { Chip } from '../ui/chip.tsx';
import { cx } from '../ui/class-names.ts';
import { Popover } from '../ui/popover.tsx';
import { showToast } from '../ui/toasts.ts';
import { TextFilter } from './filters.tsx';
import { cellClass, List, numberClass, Table } from './list.tsx';
import { usersQuery } from './queries.ts';
import { describeBytes, formatCount } from './words.ts';

const columns = [
  { name: 'User' },
  { name: 'State' },
  { name: 'Open sessions', isNumber: true },
  { name: 'Open tasks', isNumber: true },
  { name: 'Stored', isNumber: true },
  { name: 'Since' },
  { name: 'Login' },
];

export function UserList() {
  const [user, setUser] = useState<string>();
  const read = useInfiniteQuery(usersQuery(user));
  const now = useNow();
  const users = read.data?.pages.flatMap((page) => page.users) ?? [];
  return (
    <>
      <div className="mb-4 flex flex-wrap items-end gap-3">
        <TextFilter label="User" placeholder="Name, e-mail or id" onSend={setUser} />
      </div>
      <List read={read} what="The users" count={users.length} empty={{ icon: Users, title: 'No users' }}>
        <Table label="Users" columns={columns}>
          {users.map((one) => (
            <Row key={one.id} user={one} now={now} />
          ))}
        </Table>
      </List>
    </>
  );
}

function Row({ user, now }: { user: AdminUser; now: number }) {
  const { pictures, states, files } = user.stored_bytes;
  const parts = `${describeBytes(pictures)} of pictures, ${describeBytes(states)} of browser states, ${describeBytes(files)} of files`;
  return (
    <tr data-testid="admin-user">
      <th scope="row" className={cx(cellClass, 'max-w-72 py-1.5 text-left font-normal')}>
        <span className="block truncate font-semibold" dir="auto">
          {user.username}
        </span>
        <span className="block truncate text-12 text-ink-3" dir="auto">
          {user.email}
        </span>
      </th>
      <td className={cellClass}>
        <span className="flex gap-1.5">
          {user.role === 'admin' && <Chip tone="line">Administrator</Chip>}
          {user.disabled_at ? <Chip tone="bad">Disabled</Chip> : <Chip tone="good">Enabled</Chip>}
        </span>
      </td>
      <td className={numberClass}>{formatCount(user.open_sessions)}</td>
      <td className={numberClass}>{formatCount(user.open_tasks)}</td>
      <td className={numberClass} title={parts}>
        {describeBytes(pictures + states + files)}
      </td>
      <td className={cx(cellClass, 'whitespace-nowrap text-ink-2')}>{formatDay(user.created_at, now)}</td>
      <td className={cellClass}>
        <Switch user={user} />
      </td>
    </tr>
  );
}

/** A name of the built-in user has a space, which no registered name can have. */
const isBuiltIn = ({ username }: AdminUser) => username.includes(' ');

function Switch({ user }: { user: AdminUser }) {
  const me = useUser();
  const cache = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: (disabled: boolean) => client.changeUser({ id: user.id, disabled }),
    onError: (error) => showToast(describeError(error), 'bad'),
    onSettled: () => cache.invalidateQueries({ queryKey: ['admin', 'users'] }),
  });
  if (isBuiltIn(user)) return <span className="text-ink-3">Built in</span>;
  if (user.id === me?.id) return <span className="text-ink-3">You</span>;
  if (user.disabled_at)
    return (
      <Button size="sm" aria-label={`Enable ${user.username}`} isBusy={isPending} onClick={() => mutate(false)}>
        Enable
      </Button>
    );
  return (
    <Popover
      label={`Disable ${user.username}`}
      trigger={
        <Button size="sm" aria-label={`Disable ${user.username}`}>
          Disable
        </Button>
      }
    >
      <p className="mb-3">
        <b className="font-semibold wrap-anywhere" dir="auto">
          {user.username}
        </b>{' '}
        is logged out everywhere, cannot log in, and API keys stop working. Tasks at work go on.
      </p>
      <Button look="danger" isBusy={isPending} onClick={() => mutate(true)}>
        Disable
      </Button>
    </Popover>
  );
}

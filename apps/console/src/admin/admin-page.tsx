// The pages of administrators: overview, hosts, tasks, users, audit.

import { getRouteApi, Link } from '@tanstack/react-router';
import { Lock } from 'lucide-react';
import { useIsAdmin } from '../api/use-is-admin.ts';
import { TopBar } from '../frame/top-bar.tsx';
import { Empty } from '../ui/empty.tsx';
import { AuditList } from './audit-list.tsx';
import { HostsPart } from './hosts-part.tsx';
import { Overview } from './overview.tsx';
import { adminParts } from './parts.ts';
import { TaskList } from './task-list.tsx';
import { UserList } from './user-list.tsx';

const route = getRouteApi('/app/admin/$part');

const pages = { overview: Overview, hosts: HostsPart, tasks: TaskList, users: UserList, audit: AuditList };

export function AdminPage() {
  const { part } = route.useParams();
  const isAdmin = useIsAdmin();
  const Page = pages[part];
  return (
    <>
      <TopBar title="Admin" beside={isAdmin && <Parts />}>
        {isAdmin && <span className="text-12 text-ink-3 max-lg:hidden">What you open here is in the audit</span>}
      </TopBar>
      <main className="min-h-0 flex-1 overflow-y-auto px-10 py-6 narrow:px-4">
        {isAdmin ? (
          <Page />
        ) : (
          <Empty icon={Lock} title="Only for administrators" text="An administrator of this installation sees it." />
        )}
      </main>
    </>
  );
}

function Parts() {
  return (
    <nav aria-label="Admin" className="inline-flex min-w-0 overflow-x-auto rounded-[8px] bg-sunken p-0.5">
      {adminParts.map(({ part, label }) => (
        <Link
          key={part}
          to="/admin/$part"
          params={{ part }}
          className="inline-flex h-7 items-center rounded-2 px-2.5 font-medium whitespace-nowrap text-ink-2 hover:text-ink"
          activeProps={{
            className: 'bg-raised text-ink! shadow-low dark:inset-ring-1 dark:inset-ring-line-2',
          }}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}

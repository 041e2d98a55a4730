// The parts of the settings, by whom they are for. On a narrow screen they are one row that can be moved.

import { Link } from '@tanstack/react-router';
import { Key, ListChecks, Lock, type LucideIcon, Moon, ShieldCheck, SquareUser, User } from 'lucide-react';
import { useUser } from '../api/use-user.ts';
import { type SettingsPart, settingsParts } from './parts.ts';

const groups: [title: string, parts: SettingsPart[]][] = [
  ['You', ['account', 'logins', 'look']],
  ['For programs', ['keys']],
  ['For browsers', ['policy', 'profiles', 'secrets']],
];
const icons: Record<SettingsPart, LucideIcon> = {
  account: User,
  logins: Lock,
  look: Moon,
  keys: Key,
  policy: ListChecks,
  profiles: SquareUser,
  secrets: ShieldCheck,
};

export function SettingsNav() {
  const user = useUser();
  return (
    <nav
      aria-label="Settings"
      className="relative w-56 shrink-0 overflow-y-auto border-r border-line bg-surface px-3 pb-3 narrow:flex narrow:w-auto narrow:overflow-x-auto narrow:border-r-0 narrow:border-b narrow:py-1"
    >
      {groups.map(([title, names]) => {
        const parts = names.flatMap(
          (name) => settingsParts.find(({ part, isOfUser }) => part === name && (user || !isOfUser)) ?? [],
        );
        if (parts.length === 0) return null;
        return (
          <div key={title} className="narrow:flex">
            <h2 className="px-2.5 pt-4 pb-2 text-12 text-ink-3 narrow:sr-only">{title}</h2>
            {parts.map(({ part, label }) => (
              <PartLink key={part} part={part} label={label} />
            ))}
          </div>
        );
      })}
    </nav>
  );
}

function PartLink({ part, label }: { part: SettingsPart; label: string }) {
  const Icon = icons[part];
  return (
    <Link
      to="/settings/$part"
      params={{ part }}
      className="flex h-[34px] items-center gap-2.5 rounded-2 px-2.5 whitespace-nowrap text-ink-2 hover:bg-hover hover:text-ink narrow:h-11"
      activeProps={{ className: 'bg-agent-soft font-medium text-agent-ink!' }}
    >
      <Icon size={16} strokeWidth={1.75} aria-hidden className="shrink-0" />
      {label}
    </Link>
  );
}

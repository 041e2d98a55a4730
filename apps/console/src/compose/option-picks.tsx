// The choices beside a prompt: profile, sites, limits. Each shows what is chosen.

import { useQuery } from '@tanstack/react-query';
import { ChevronDown, Globe, type LucideIcon, SlidersHorizontal, UserRound } from 'lucide-react';
import type { ButtonHTMLAttributes, ReactNode } from 'react';
import { profilesQuery } from '../api/queries.ts';
import { cx } from '../ui/class-names.ts';
import { Field, Input, inputClass } from '../ui/field.tsx';
import { Menu, MenuItem, MenuLabel, Popover } from '../ui/popover.tsx';
import { describeLimits, describeSites, type OptionErrors, type TaskOptions, usualLimits } from './task-options.ts';

type PicksProps = {
  options: TaskOptions;
  errors: OptionErrors;
  onChange: (options: TaskOptions) => void;
};

type PickProps = ButtonHTMLAttributes<HTMLButtonElement> & { icon: LucideIcon; isWrong?: boolean; children: ReactNode };

function Pick({ icon: Icon, isWrong, children, ...rest }: PickProps) {
  return (
    <button
      type="button"
      {...rest}
      className={cx(
        'inline-flex h-7 min-w-0 items-center gap-1.5 rounded-2 px-2 text-12 font-medium hover:bg-hover narrow:h-11',
        isWrong ? 'text-bad-ink' : 'text-ink-2 hover:text-ink',
      )}
    >
      <Icon size={14} strokeWidth={1.75} aria-hidden className="shrink-0" />
      <span className="max-w-40 truncate" dir="auto">
        {children}
      </span>
      <ChevronDown size={14} strokeWidth={1.75} aria-hidden className="shrink-0" />
    </button>
  );
}

export function ProfilePick({ options, onChange }: Omit<PicksProps, 'errors'>) {
  const { data } = useQuery(profilesQuery);
  const profiles = data?.profiles ?? [];
  const chosen = profiles.find(({ id }) => id === options.profileId);
  if (profiles.length === 0) return null;
  const choose = (profileId: string) => onChange({ ...options, profileId });
  return (
    <Menu trigger={<Pick icon={UserRound}>{chosen?.label ?? 'No profile'}</Pick>}>
      <MenuLabel>Cookies and storage to begin with</MenuLabel>
      <MenuItem isChosen={!chosen} onSelect={() => choose('')}>
        No profile
      </MenuItem>
      {profiles.map(({ id, label }) => (
        <MenuItem key={id} isChosen={id === chosen?.id} onSelect={() => choose(id)}>
          <bdi>{label}</bdi>
        </MenuItem>
      ))}
    </Menu>
  );
}

export function SitesPick({ options, errors, onChange }: PicksProps) {
  return (
    <Popover
      label="Sites"
      trigger={
        <Pick icon={Globe} isWrong={errors.sites !== undefined}>
          {describeSites(options.sites)}
        </Pick>
      }
    >
      <Field
        label="Only these sites"
        hint="Names of hosts, one a line; *.example.com is all below it. Empty: any site."
        error={errors.sites}
      >
        {(control) => (
          <textarea
            {...control}
            rows={4}
            dir="auto"
            spellCheck={false}
            value={options.sites}
            onChange={(event) => onChange({ ...options, sites: event.target.value })}
            className={cx(inputClass, 'h-auto! resize-none py-2 font-mono text-12')}
          />
        )}
      </Field>
    </Popover>
  );
}

/** `canRecord`: only a new session can be recorded, and only where the operator allows it. */
export function LimitsPick({ options, errors, onChange, canRecord }: PicksProps & { canRecord: boolean }) {
  const words = describeLimits(options);
  return (
    <Popover
      label="Limits"
      trigger={
        <Pick icon={SlidersHorizontal} isWrong={errors.minutes !== undefined || errors.steps !== undefined}>
          {words || 'Limits'}
        </Pick>
      }
    >
      <div className="grid gap-4">
        <Field
          label="Minutes at most"
          hint="Time in which a person has the task does not count."
          error={errors.minutes}
        >
          {(control) => (
            <Input
              {...control}
              inputMode="decimal"
              value={options.minutes}
              placeholder={usualLimits.minutes}
              onChange={(event) => onChange({ ...options, minutes: event.target.value })}
            />
          )}
        </Field>
        <Field label="Steps at most" error={errors.steps}>
          {(control) => (
            <Input
              {...control}
              inputMode="numeric"
              value={options.steps}
              placeholder={usualLimits.steps}
              onChange={(event) => onChange({ ...options, steps: event.target.value })}
            />
          )}
        </Field>
        {canRecord && (
          <label className="flex min-h-6 items-center gap-2.5">
            <input
              type="checkbox"
              checked={options.isRecorded}
              onChange={(event) => onChange({ ...options, isRecorded: event.target.checked })}
              className="size-4 accent-agent"
            />
            Keep a recording of the session
          </label>
        )}
      </div>
    </Popover>
  );
}

// The choices beside a prompt: profile, sites, limits, model. Each shows what is chosen.

import { useQuery } from '@tanstack/react-query';
import { Globe, SlidersHorizontal, UserRound } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { profilesQuery } from '../api/queries.ts';
import { cx } from '../ui/class-names.ts';
import { Field, inputClass } from '../ui/field.tsx';
import { Menu, MenuItem, MenuLabel, Popover } from '../ui/popover.tsx';
import type { LimitFieldsProps } from './limit-fields.tsx';
import { Pick } from './pick.tsx';
import { describeLimits, describeSites, hasErrors, type OptionErrors, type TaskOptions } from './task-options.ts';

const LimitFields = lazy(() => import('./limit-fields.tsx'));
const ModelPick = lazy(() => import('./model-pick.tsx'));

type PicksProps = {
  options: TaskOptions;
  errors: OptionErrors;
  onChange: (options: TaskOptions) => void;
};

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

export function LimitsPick(props: LimitFieldsProps) {
  const { options, errors, isForModel } = props;
  const { sites: _, ...wrong } = errors;
  return (
    <Popover
      label="Limits"
      trigger={
        <Pick icon={SlidersHorizontal} isWrong={hasErrors(wrong)}>
          {describeLimits(options, isForModel) || 'Limits'}
        </Pick>
      }
    >
      <Suspense>
        <LimitFields {...props} />
      </Suspense>
    </Popover>
  );
}

type ModelChoiceProps = Omit<PicksProps, 'errors'> & { models: readonly string[] };

/** Of one model there is nothing to choose. */
export function ModelChoice(props: ModelChoiceProps) {
  if (props.models.length < 2) return null;
  return (
    <Suspense>
      <ModelPick {...props} />
    </Suspense>
  );
}

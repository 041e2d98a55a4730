// Which model decides the steps of a task. Loaded where there is more than one.

import { Sparkle } from 'lucide-react';
import { Menu, MenuItem, MenuLabel } from '../ui/popover.tsx';
import { Pick } from './pick.tsx';
import type { TaskOptions } from './task-options.ts';

type ModelPickProps = {
  options: TaskOptions;
  onChange: (options: TaskOptions) => void;
  models: readonly string[];
};

export default function ModelPick({ options, onChange, models }: ModelPickProps) {
  const choose = (model: string) => onChange({ ...options, model });
  return (
    <Menu trigger={<Pick icon={Sparkle}>{options.model || 'Any model'}</Pick>}>
      <MenuLabel>Decides the steps</MenuLabel>
      <MenuItem isChosen={options.model === ''} onSelect={() => choose('')}>
        Any model, the first that answers
      </MenuItem>
      {models.map((name) => (
        <MenuItem key={name} isChosen={name === options.model} onSelect={() => choose(name)}>
          <bdi>{name}</bdi>
        </MenuItem>
      ))}
    </Menu>
  );
}

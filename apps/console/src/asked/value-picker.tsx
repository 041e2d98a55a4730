// A field of the page whose value is picked: a date, a time or a colour. It can also be written with keys.

import { CalendarDays, Clock, type LucideIcon, Palette } from 'lucide-react';
import { type FormEvent, type KeyboardEvent, useState } from 'react';
import type { DriverView, PointerAction } from '../live/api-types.ts';
import { Button } from '../ui/button.tsx';
import { Input } from '../ui/field.tsx';
import { useFocusOnce } from './asked-card.ts';
import type { Place } from './place-beside.ts';

type Picker = NonNullable<DriverView['picker']>;
type ValuePickerProps = {
  picker: Picker;
  place: Place;
  onInput: (action: PointerAction) => void;
  /** The focus goes back to the page. */
  onDone: () => void;
};

const kinds: Record<Picker['type'], { name: string; icon: LucideIcon }> = {
  date: { name: 'date', icon: CalendarDays },
  time: { name: 'time', icon: Clock },
  'datetime-local': { name: 'date and time', icon: CalendarDays },
  month: { name: 'month', icon: CalendarDays },
  week: { name: 'week', icon: CalendarDays },
  color: { name: 'colour', icon: Palette },
};

/** Closed, it is a button beside the field, since the field keeps the focus in the page. */
export function ValuePicker({ picker, place, onInput, onDone }: ValuePickerProps) {
  const [isOpen, setOpen] = useState(true);
  const { name, icon } = kinds[picker.type];
  const close = () => {
    setOpen(false);
    onDone();
  };
  const set = (value: string) => {
    onInput({ action: 'set_value', picker_id: picker.picker_id, value });
    close();
  };
  if (isOpen) return <OpenPicker {...{ picker, place, name, onSet: set, onClose: close }} />;
  const { width: _, maxHeight: __, ...corner } = place;
  return (
    <Button
      size="sm"
      icon={icon}
      onClick={() => setOpen(true)}
      data-testid="picker-closed"
      className="absolute! shadow-float"
      style={corner}
    >
      {`Pick a ${name}`}
    </Button>
  );
}

type OpenPickerProps = {
  picker: Picker;
  place: Place;
  name: string;
  onSet: (value: string) => void;
  onClose: () => void;
};

function OpenPicker({ picker, place, name, onSet, onClose }: OpenPickerProps) {
  const { type, value: before, min, max, step } = picker;
  const [value, setValue] = useState(before || (type === 'color' ? '#000000' : ''));
  const focus = useFocusOnce<HTMLInputElement>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSet(value);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    onClose();
  };
  const { maxHeight: _, ...corner } = place;
  return (
    <form
      role="dialog"
      aria-label={`Pick a ${name}`}
      data-testid="picker"
      data-type={type}
      onSubmit={submit}
      onKeyDown={onKeyDown}
      className="absolute grid gap-2 rounded-2 bg-raised p-2 text-ink shadow-float"
      style={corner}
    >
      <Input
        ref={focus}
        type={type}
        aria-label={`Value: ${name}`}
        value={value}
        min={min || undefined}
        max={max || undefined}
        step={step || undefined}
        onChange={(event) => setValue(event.target.value)}
        className={type === 'color' ? 'p-1!' : undefined}
      />
      <div className="flex justify-end gap-2">
        {type !== 'color' && before && (
          <Button look="quiet" size="sm" onClick={() => onSet('')}>
            Clear
          </Button>
        )}
        <Button look="quiet" size="sm" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" look="primary" size="sm">
          Set
        </Button>
      </div>
    </form>
  );
}

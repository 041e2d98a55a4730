// The words over or in place of the picture.

import { Ban, EyeOff, Globe, ImageIcon, ImageOff, Lock, type LucideIcon, Moon, Square, WifiOff } from 'lucide-react';
import { Empty } from '../ui/empty.tsx';
import type { PictureIcon, PictureState } from './describe-picture.ts';

const icons: Record<PictureIcon, LucideIcon> = {
  globe: Globe,
  image: ImageIcon,
  hidden: EyeOff,
  lock: Lock,
  moon: Moon,
  offline: WifiOff,
  closed: Square,
  broken: ImageOff,
  refused: Ban,
};

export function PictureWords({ state }: { state: PictureState }) {
  if (state.kind === 'shown') return null;
  const Icon = icons[state.icon];
  if (state.kind === 'instead')
    return (
      <div data-testid="placeholder" className="absolute inset-0 grid bg-sunken">
        <Empty icon={Icon} title={state.title} text={state.text} className="p-4" />
      </div>
    );
  return (
    <span
      data-testid="picture-pill"
      className="absolute bottom-4 left-1/2 inline-flex h-7 max-w-[calc(100%-32px)] -translate-x-1/2 items-center gap-2 rounded-full bg-[#0b1b22] px-3 text-12 font-medium text-[#fff] shadow-float"
    >
      <Icon size={14} strokeWidth={1.75} aria-hidden className="shrink-0" />
      <span className="truncate" dir="auto" title={state.text}>
        {state.text}
      </span>
    </span>
  );
}

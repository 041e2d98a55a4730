// What a person is asked about, framed on the picture. Loaded with the first such question. The words may be the page's.

import { MousePointerClick } from 'lucide-react';
import { describeWish, isOfPage } from '../approval/approval-words.ts';
import type { Approval, BrowserRoute } from '../live/api-types.ts';
import { type FrameSize, layOutTarget, type View } from '../live/marks.ts';

type TargetLayerProps = { approval: Approval; route: BrowserRoute; frame: FrameSize; view: View };

/** Nothing where the picture shows another page: a frame around something else would mislead. */
export default function TargetLayer({ approval, route, frame, view }: TargetLayerProps) {
  const { bbox, action } = approval;
  if (!bbox || view.width === 0 || !isOfPage(approval, route.url ?? '')) return null;
  const words = describeWish(action);
  const laid = layOutTarget(bbox, words, frame, view);
  if (!laid) return null;
  const { box, label } = laid;
  return (
    <div data-testid="target" aria-hidden className="pointer-events-none absolute inset-0 overflow-hidden">
      <span className="mark-target" style={{ left: box.x, top: box.y, width: box.width, height: box.height }} />
      <span
        dir="auto"
        className="mark-label mark-person"
        style={
          label.isDocked ? { left: '50%', bottom: 8, transform: 'translateX(-50%)' } : { left: label.x, top: label.y }
        }
      >
        <MousePointerClick size={14} strokeWidth={1.75} aria-hidden className="shrink-0" />
        <span className="truncate">{words}</span>
      </span>
    </div>
  );
}

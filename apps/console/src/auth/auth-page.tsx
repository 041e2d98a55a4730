// The page of a form to log in or to register, with a picture of what waits behind it.

import { ArrowLeft, ArrowRight, ChevronDown, List, Lock, MousePointer2, RotateCw, Sparkle } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { Mark } from '../ui/mark.tsx';

type AuthPageProps = { title: string; text: string; children: ReactNode };

export function AuthPage({ title, text, children }: AuthPageProps) {
  useEffect(() => {
    document.title = `${title} · Pilothouse`;
  }, [title]);
  return (
    <div className="grid min-h-dvh grid-cols-1 bg-surface lg:grid-cols-2">
      <main className="grid place-items-center p-6">
        <div className="w-full max-w-[344px]">
          <Mark size={32} className="text-agent" />
          <h1 className="mt-6 text-28 font-semibold">Pilothouse</h1>
          <p className="mt-1 text-14 text-ink-2">{text}</p>
          <div className="mt-8">{children}</div>
        </div>
      </main>
      <Drawing />
    </div>
  );
}

/** A drawn session: an agent at work in a shop. It says nothing that the form does not. */
function Drawing() {
  return (
    <div
      aria-hidden
      className="hidden max-h-dvh flex-col justify-center gap-6 overflow-hidden bg-rail pl-[72px] lg:flex"
    >
      <div className="dark w-[944px] shrink-0 overflow-hidden rounded-3 bg-surface text-ink shadow-modal">
        <div className="flex h-9 items-end bg-sunken px-2 text-12">
          <div className="flex h-[30px] w-[220px] items-center gap-2 rounded-t-[8px] bg-surface px-2.5">
            <i className="size-3.5 rounded-[3px] bg-[#d9a32a]" /> Brass lantern · Harbour Supplies
          </div>
          <div className="flex h-[30px] items-center gap-2 px-2.5 text-ink-2">
            <i className="size-3.5 rounded-[3px] bg-[#d9a32a]" /> Delivery terms
          </div>
        </div>
        <div className="flex h-10 items-center gap-4 px-4 text-line-2">
          <ArrowLeft size={16} strokeWidth={1.75} />
          <ArrowRight size={16} strokeWidth={1.75} />
          <RotateCw size={16} strokeWidth={1.75} />
          <div className="flex h-7 flex-1 items-center gap-2 rounded-full bg-bg px-3 text-12 text-ink-3">
            <Lock size={14} strokeWidth={1.75} />
            <span>
              <b className="font-medium text-ink">harbour-supplies.test</b>/lanterns/brass
            </span>
          </div>
        </div>
        <ShopPage />
        <div className="flex h-14 items-center gap-3 px-4">
          <span className="relative grid size-8 place-items-center rounded-full bg-agent-soft text-agent-ink after:absolute after:-inset-[3px] after:rounded-full after:border-2 after:border-agent after:border-r-transparent after:border-b-transparent">
            <Sparkle size={16} strokeWidth={1.75} />
          </span>
          <span>
            <b className="block text-14 leading-5 font-semibold">The agent drives</b>
            <span className="text-12 text-ink-3">2:38 of 30:00 on its clock</span>
          </span>
        </div>
      </div>
      <p className="shrink-0 text-16 text-rail-ink">Watch every frame. Take the wheel at any moment. Hand it back.</p>
    </div>
  );
}

function ShopPage() {
  return (
    <div className="h-[min(541px,calc(100dvh-260px))] overflow-hidden bg-[#f6f1ea] text-[#22303a]">
      <div className="flex h-[54px] items-center gap-6 bg-[#16323f] px-9 text-white">
        <b className="text-16 font-semibold">Harbour Supplies</b>
        <span>Lamps</span>
        <span>Ropes</span>
        <span>Galley</span>
      </div>
      <div className="grid grid-cols-[376px_1fr] gap-10 px-9 pt-8">
        <Lantern />
        <div>
          <p className="text-12">Lamps / Lanterns</p>
          <p className="mt-1 text-28 font-semibold">Brass lantern</p>
          <p className="text-12 text-[#566973]">Storm rated, 360° glass, 28 cm. In stock: 14</p>
          <p className="mt-4 text-20 font-semibold">48,00 €</p>
          <p className="mt-4 mb-2 text-12 font-semibold">Quantity</p>
          <div className="flex items-center gap-4">
            <p className="relative flex h-9 w-32 items-center justify-between rounded-1 bg-[#dff0f4] px-4 ring-2 ring-[#0b84a5]">
              1 <ChevronDown size={14} strokeWidth={2} />
              <MousePointer2 size={18} className="absolute -right-1 -bottom-3 fill-[#0e1d25] stroke-white" />
            </p>
            <p className="flex h-7 items-center gap-2 rounded-full bg-[#07495c] px-3 text-12 font-medium text-white shadow-float ring-2 ring-white">
              <List size={14} strokeWidth={2} /> Select “2” in “Quantity”
            </p>
          </div>
          <p className="mt-5 inline-flex h-10 items-center rounded-2 bg-[#d9a32a] px-6 font-semibold">Add to basket</p>
          <p className="mt-8 border-t border-[#e2d9cb] pt-5 text-12 leading-5 text-[#3d505a]">
            Hand-spun brass with a weather seal around the door. Burns 14 hours on one filling. Ships within two days
            from the harbour store.
          </p>
        </div>
      </div>
    </div>
  );
}

function Lantern() {
  return (
    <svg viewBox="0 0 200 200" className="aspect-square w-full rounded-3 bg-[#efe4cf]" aria-hidden="true">
      <g fill="none" stroke="#7b5a1e" strokeWidth="6" strokeLinecap="round" strokeLinejoin="round">
        <path d="M80 50a20 20 0 0 1 40 0" />
        <path d="M70 58h60l8 20H62z" fill="#c8912b" />
        <path d="M68 78h64v66H68z" fill="#fff6dc" />
        <path d="M58 144h84v16H58z" fill="#c8912b" />
        <path d="M84 78v66M116 78v66" strokeWidth="4" />
      </g>
      <path d="M100 95c13 15 11 32 0 36-11-4-13-21 0-36z" fill="#f0a52b" />
    </svg>
  );
}

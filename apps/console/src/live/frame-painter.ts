/// <reference lib="dom" />
// Paints frames onto a canvas. The newest frame wins; one bitmap is alive at a time.

export type Picture = {
  /** Names the picture: the same one is not decoded again. */
  id: string;
  contentType: string;
  bytes: () => Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>>;
};

type Options = {
  canvas: Pick<HTMLCanvasElement, 'width' | 'height'> & {
    getContext(kind: '2d', settings: { alpha: boolean }): Context | null;
  };
  decode?: (bytes: Uint8Array<ArrayBuffer>, contentType: string) => Promise<Bitmap>;
  requestFrame?: (paint: () => void) => unknown;
  /** The picture is on the canvas. */
  onPainted?: (id: string) => void;
  onFailed?: (id: string, error: unknown) => void;
};
type Context = { drawImage(image: never, x: number, y: number): void };
/** `image`: what is drawn, where it is not the bitmap itself. */
type Bitmap = { width: number; height: number; image?: unknown; close(): void };

/** What is under an opaque canvas is not drawn for each picture, and not blended with it. */
const opaque = { alpha: false };

export function createFramePainter({
  canvas,
  decode = decodeBytes,
  requestFrame = nextPaint,
  onPainted,
  onFailed,
}: Options) {
  /** The slot: what arrives faster than it can be shown replaces what waits in it. */
  let next: Picture | undefined;
  let shown: string | undefined;
  let isBusy = false;
  let isClosed = false;

  function paint(bitmap: Bitmap, id: string): void {
    if (!isClosed) {
      const { width, height, image = bitmap } = bitmap;
      if (canvas.width !== width) canvas.width = width;
      if (canvas.height !== height) canvas.height = height;
      // A picture of the browser; the type is wider so that a test needs none.
      canvas.getContext('2d', opaque)?.drawImage(image as never, 0, 0);
      shown = id;
      onPainted?.(id);
    }
    bitmap.close();
  }

  async function work(): Promise<void> {
    while (next && !isClosed) {
      const picture = next;
      next = undefined;
      try {
        const bitmap = await decode(await picture.bytes(), picture.contentType);
        await new Promise<void>((resolve) =>
          requestFrame(() => {
            paint(bitmap, picture.id);
            resolve();
          }),
        );
      } catch (error) {
        onFailed?.(picture.id, error);
      }
    }
  }

  return {
    show(picture: Picture): void {
      if (isClosed || (picture.id === shown && !next)) return;
      next = picture;
      if (isBusy) return;
      isBusy = true;
      void work().finally(() => {
        isBusy = false;
      });
    },
    close(): void {
      isClosed = true;
      next = undefined;
    },
  };
}
export type FramePainter = ReturnType<typeof createFramePainter>;

/** A blob goes to the browser's own process and back, so it is only for pages and browsers without a decoder. */
async function decodeBytes(bytes: Uint8Array<ArrayBuffer>, type: string): Promise<Bitmap> {
  if (!globalThis.ImageDecoder) return createImageBitmap(new Blob([bytes], { type }));
  const decoder = new ImageDecoder({ data: bytes, type, transfer: [bytes.buffer] });
  try {
    const { image } = await decoder.decode();
    return { width: image.displayWidth, height: image.displayHeight, image, close: () => image.close() };
  } finally {
    decoder.close();
  }
}

/** A tab in the background is given no frames, but its picture must be right when a person comes back to it. */
function nextPaint(paint: () => void): void {
  if (document.hidden) setTimeout(paint, 0);
  else requestAnimationFrame(paint);
}

type Base64Reader = { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };
/** Newer than the types of the DOM, and than some browsers that people have. */
const { fromBase64 } = Uint8Array as Base64Reader;

/** Bytes of base64, without a data address: the browser would keep each frame in its cache of pictures. */
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  if (fromBase64) return fromBase64.call(Uint8Array, base64);
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index += 1) bytes[index] = text.charCodeAt(index);
  return bytes;
}

// What a model was shown when it decided: the text of the page, and the picture that was sent with it. Read when it is opened. All of it
// comes from a website and is shown as text only.

import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { client } from '../api/login.ts';
import { PlainText } from './plain-text.tsx';

type Seen = { text: string | null; picture: Blob | undefined };

async function readSeen(id: string, number: string, signal: AbortSignal): Promise<Seen> {
  const { view } = await client.getDecisionView({ id, number }, { signal });
  if (!view.picture) return { text: view.text, picture: undefined };
  // A picture may be gone while the text is still there.
  const picture = await client.getDecisionPicture({ id, number }, { signal }).catch(() => undefined);
  return { text: view.text, picture: picture && (await picture.blob()) };
}

export function DecisionView({ taskId, number }: { taskId: string; number: number }) {
  const { data, isError } = useQuery({
    queryKey: ['decision view', taskId, number],
    queryFn: ({ signal }) => readSeen(taskId, String(number), signal),
    // A decision never changes what the model was shown.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: 1,
  });
  if (isError) return <p role="alert">What the model saw could not be read. It may have been removed.</p>;
  if (!data) return <p>Reading …</p>;
  return (
    <div data-testid="decision-view" className="grid min-w-0 gap-1.5">
      {data.text === null ? (
        <p>The text of this page was not kept.</p>
      ) : data.text === '' ? (
        <p>The page showed no text.</p>
      ) : (
        <PlainText text={data.text} label="What the model saw" className="font-mono text-12 leading-5 text-ink-2" />
      )}
      {data.picture && <SeenPicture picture={data.picture} />}
    </div>
  );
}

function SeenPicture({ picture }: { picture: Blob }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(picture);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [picture]);
  if (!url) return null;
  return <img src={url} alt="The page as it was sent to the model" className="max-w-full rounded-1 ring-1 ring-line" />;
}

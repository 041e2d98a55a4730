// Tasks that the operator offers to people who are new. A click writes one into the composer, and runs nothing.

import type { ExampleTask } from '@pilothouse/contract';
import { Button } from '../ui/button.tsx';

type ExamplesProps = { examples: readonly ExampleTask[] | undefined; onPick: (example: ExampleTask) => void };

export function Examples({ examples = [], onPick }: ExamplesProps) {
  if (examples.length === 0) return null;
  return (
    <ul aria-label="Tasks to try" className="mt-3 flex flex-wrap justify-center gap-2">
      {examples.map((example) => (
        <li key={example.title}>
          <Button size="sm" className="narrow:h-11" onClick={() => onPick(example)}>
            {example.title}
          </Button>
        </li>
      ))}
    </ul>
  );
}

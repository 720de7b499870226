import { useEffect, useState } from 'preact/hooks';

/** A part of the page that is loaded when it is first shown; null until it is there, `failed` when it did not come: `again` tries once more. */
export function useLazy<T>(load: () => Promise<T>): {
  readonly part: T | null;
  readonly failed: boolean;
  readonly again: () => void;
} {
  const [part, setPart] = useState<{ readonly value: T } | null>(null);
  const [failed, setFailed] = useState(false);
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    let wanted = true;
    load().then(
      (value) => wanted && setPart({ value }),
      () => wanted && setFailed(true),
    );
    return () => {
      wanted = false;
    };
  }, [attempt]);
  const again = (): void => {
    setFailed(false);
    setAttempt(attempt + 1);
  };
  return { part: part?.value ?? null, failed, again };
}

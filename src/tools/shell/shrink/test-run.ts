/** Lines that only say that a test passed, as the usual runners write them. */
const passed: readonly RegExp[] = [
  /^\s*(?:✓|✔|√)\s/, // vitest, jest, mocha, node
  /^PASS\s+\S/, // jest
  /^\s*ok \d+ /, // TAP
  /^test .* \.\.\. ok$/, // cargo
  /^\s*--- PASS: /, // go
  /^=== (?:RUN|PAUSE|CONT) /, // go
  /^ok\s+\S+\s+(?:[\d.]+s|\(cached\))/, // go
  /^[^\s:]+::\S+ PASSED(?:\s|$)/, // pytest
];

/** The output of a test runner without the tests that passed: how many lines that were is said where they stood. Failures and the summary stay as they are. */
export function shrinkTestRun(output: string): string {
  const out: string[] = [];
  let left = 0;
  const say = (): void => {
    if (left > 0) out.push(`(${left} ${left === 1 ? 'line' : 'lines'} about passed tests)`);
    left = 0;
  };
  for (const line of output.split('\n')) {
    if (passed.some((form) => form.test(line))) left += 1;
    else {
      say();
      out.push(line);
    }
  }
  say();
  return out.join('\n').replace(/\n{3,}/g, '\n\n');
}

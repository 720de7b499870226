/** The cases of the contract that the embedded driver cannot keep; docs/shell.md lists them for people. */
export const gaps: readonly string[] = [
  'SHELL-05 output arrives while the command runs',
  'SHELL-10 bytes that are no text arrive as they are',
  'SHELL-11 a shell that ends itself with a signal has 128 and its number',
  'SHELL-12 what was printed before a timeout is kept',
  'SHELL-12 a loop that does nothing is ended',
  'SHELL-15 a process that does not listen to signals is killed',
  'SHELL-15 SHELL-16 a child in the background ends with its shell, and does not hold it',
  'SHELL-15 children of a pipeline are killed with a timeout',
];

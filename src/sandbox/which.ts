/** Which driver runs the commands of sessions: the container where one is attached to the Worker, else the one inside the isolate. */
export function shellDriverOf(env: object): 'container' | 'embedded' {
  return Reflect.get(env, 'SANDBOX') === undefined ? 'embedded' : 'container';
}

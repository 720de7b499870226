import { type Jurisdiction, jurisdictions } from './scope.ts';

/** What addresses a session: who holds it, under which scope, and where its rows must stay (null: anywhere). */
export interface Address {
  readonly jurisdiction: Jurisdiction | null;
  readonly participant: string;
  readonly scope: string;
}

/**
 * The name of a session's object: every part after its own length, so that no participant and no scope, whatever characters
 * they hold, reaches another's session (SESS-04). The only function that makes one; released names never change.
 */
export function addressOf({ jurisdiction, participant, scope }: Address): string {
  return [jurisdiction ?? '', participant, scope].map((part) => `${part.length}:${part}`).join('');
}

/** The address that a name stands for; null when `addressOf` never made it. */
export function parseAddress(name: string): Address | null {
  const parts: string[] = [];
  let rest = name;
  while (rest !== '') {
    const length = /^(0|[1-9]\d{0,8}):/.exec(rest);
    if (length === null) return null;
    const start = length[0].length;
    const end = start + Number(length[1]);
    if (end > rest.length) return null;
    parts.push(rest.slice(start, end));
    rest = rest.slice(end);
  }
  const [where, participant, scope] = parts;
  if (parts.length !== 3 || where === undefined || participant === undefined || scope === undefined) return null;
  const jurisdiction = jurisdictions.find((known) => known === where) ?? null;
  return jurisdiction === null && where !== '' ? null : { jurisdiction, participant, scope };
}

/** The address of a participant's Directory object: the one without a scope, which no session can have. */
export function directoryAddress({ jurisdiction, participant }: Omit<Address, 'scope'>): Address {
  return { jurisdiction, participant, scope: '' };
}

/** The stub of the object at an address, in the address's jurisdiction. */
export function stubAt<T extends Rpc.DurableObjectBranded | undefined>(
  namespace: DurableObjectNamespace<T>,
  address: Address,
): DurableObjectStub<T> {
  return within(namespace, address.jurisdiction).getByName(addressOf(address));
}

/** A namespace in a jurisdiction. The runtime on a developer's machine has none and says so: there all data is in one place. */
function within<T extends Rpc.DurableObjectBranded | undefined>(
  namespace: DurableObjectNamespace<T>,
  jurisdiction: Jurisdiction | null,
): DurableObjectNamespace<T> {
  if (jurisdiction === null) return namespace;
  try {
    return namespace.jurisdiction(jurisdiction);
  } catch (error) {
    if (String(error).includes('not implemented in workerd')) return namespace;
    throw error;
  }
}

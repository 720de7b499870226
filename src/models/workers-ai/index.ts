/** Workers AI through a binding of the Worker, without an address and a key. */
export * from './binding-transport.ts';

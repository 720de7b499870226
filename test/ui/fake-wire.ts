import type { OpenWire, WireEvents } from '../../src/ui/state/link.ts';

/** One connection that a test plays the server of. */
export interface FakeWire {
  readonly sent: string[];
  readonly events: WireEvents;
  closed: boolean;
}

/** Connections that open, speak and close when the test says so. */
export class FakeNetwork {
  readonly wires: FakeWire[] = [];

  readonly open: OpenWire = (events) => {
    const wire: FakeWire = { sent: [], events, closed: false };
    this.wires.push(wire);
    return {
      send: (text) => wire.sent.push(text),
      close: () => {
        wire.closed = true;
      },
    };
  };

  /** The newest connection. */
  get last(): FakeWire {
    const wire = this.wires.at(-1);
    if (wire === undefined) throw new Error('Nothing was opened.');
    return wire;
  }
}

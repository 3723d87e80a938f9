/** Which events of a chat its record keeps. */
import type { ChatEvent, RecordedEvent } from "./events.ts";

/** All kinds that the schema of recorded events has, without the schema, which takes long to make. */
const recorded: Record<RecordedEvent["type"], true> = {
  session: true,
  message: true,
  part: true,
  delta: true,
  reset: true,
  queued: true,
  pruned: true,
  piece: true,
  prefix: true,
  unbound: true,
  imageless: true,
  charged: true,
  decided: true,
  rewound: true,
};

export function isRecorded(event: ChatEvent): event is RecordedEvent {
  return Object.hasOwn(recorded, event.type);
}

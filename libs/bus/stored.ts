/**
 * One message that a stream holds, as its leader knows it: whatever was acknowledged before is there. A direct read
 * (`direct.getMessage`) is answered by any replica, also by one that has not heard of that message yet.
 */
import type { MsgRequest, StoredMsg } from '@nats-io/jetstream'
import type { Bus } from './connection.ts'
import { persistently } from './link.ts'

export type Wanted =
  /** With `next_by_subj` the first from there on that has this subject. */
  { seq: number; next_by_subj?: string } | { last_by_subj: string }

const usualLimitMs = 5_000

/** Null where there is none. Throws what the bus throws, when nobody has answered within the limit. */
export const storedMessage = (
  { nc, jsm }: Pick<Bus, 'nc' | 'jsm'>,
  stream: string,
  wanted: Wanted,
  limitMs = usualLimitMs,
): Promise<StoredMsg | null> =>
  persistently(nc, limitMs, () => jsm.streams.getMessage(stream, wanted as MsgRequest))

/**
 * Reads one message of a stream from its leader, which knows all acknowledged messages. A direct read
 * (`direct.getMessage`) is served by any replica, which may not have the message yet.
 */
import type { MsgRequest, StoredMsg } from '@nats-io/jetstream'
import type { Bus } from './connection.ts'
import { persistently } from './link.ts'

export type Wanted =
  /** `next_by_subj` selects the first message with this subject at or after `seq`. */
  { seq: number; next_by_subj?: string } | { last_by_subj: string }

const limitMs = 5_000

/**
 * Returns the message, or null if there is no such message. Throws the errors of the bus if no server responds within
 * the limit.
 */
export const storedMessage = (
  { nc, jsm }: Pick<Bus, 'nc' | 'jsm'>,
  stream: string,
  wanted: Wanted,
): Promise<StoredMsg | null> =>
  persistently(nc, limitMs, () => jsm.streams.getMessage(stream, wanted as MsgRequest))

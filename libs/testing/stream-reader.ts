/** Reads a stream for tests that check it again and again while it grows. */
import type { Bus } from '@tidemark/bus/connection'

/** Returns a function that returns all messages so far, in stream order. Each message is requested and read once. */
export function streamReader<Message>(
  { jsm }: Bus,
  stream: string,
  read: (data: Uint8Array) => Message,
): () => Promise<Message[]> {
  const messages: Message[] = []
  let last = 0
  let reading = Promise.resolve()
  const readMore = async () => {
    const { state } = await jsm.streams.info(stream)
    const sequences = Array.from({ length: state.last_seq - last }, (_, n) => last + 1 + n)
    const found = await Promise.all(sequences.map(seq => jsm.streams.getMessage(stream, { seq })))
    last = state.last_seq
    for (const message of found) if (message) messages.push(read(message.data))
  }
  return async () => {
    reading = reading.then(readMore)
    await reading
    return messages
  }
}

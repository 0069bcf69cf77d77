/** No message may stop a reader of truth: what cannot be read is reported with its place, and skipped. */
import type { StreamMessage } from '@tidemark/bus/read'

export type Read<T> = { sequence: number; value: T }

export function readable<T>(
  messages: readonly StreamMessage[],
  read: (message: StreamMessage) => T,
  report: (error: unknown) => void,
): Read<T>[] {
  return messages.flatMap(message => {
    const { sequence, subject } = message
    try {
      return [{ sequence, value: read(message) }]
    } catch (cause) {
      report(new Error(`message ${sequence} on ${subject} cannot be read`, { cause }))
      return []
    }
  })
}

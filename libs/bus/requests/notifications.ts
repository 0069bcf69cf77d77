/** Receives notifications: messages without a response, each of which may be lost. */
import type { Static, TSchema } from 'typebox'
import { jsonParser } from '../codec.ts'
import type { Bus } from '../connection.ts'

/**
 * Calls back with each notification of a subject, until disposed. Reports and skips those that do not match the schema
 * or cannot be processed: the NATS client calls back while it reads, so an error would end the reading of the whole
 * connection.
 */
export function onNotification<Schema extends TSchema>(
  { nc }: Pick<Bus, 'nc'>,
  subject: string,
  schema: Schema,
  take: (notification: Static<Schema>) => void,
  report: (error: unknown) => void = () => undefined,
): Disposable {
  const parse = jsonParser(schema)
  const subscription = nc.subscribe(subject, {
    callback: (error, { data }) => {
      if (error) return
      try {
        take(parse(data))
      } catch (fault) {
        report(fault)
      }
    },
  })
  return { [Symbol.dispose]: () => subscription.unsubscribe() }
}

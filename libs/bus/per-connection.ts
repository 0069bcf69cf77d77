/** State that belongs to a connection, and lives as long as it. */
import type { NatsConnection } from '@nats-io/transport-node'

/** Returns a function that returns the state of a connection. `create` makes it at the first use. */
export function perConnection<State>(create: (nc: NatsConnection) => State): (nc: NatsConnection) => State {
  const states = new WeakMap<NatsConnection, State>()
  return nc => {
    const known = states.get(nc)
    if (known !== undefined) return known
    const state = create(nc)
    states.set(nc, state)
    return state
  }
}

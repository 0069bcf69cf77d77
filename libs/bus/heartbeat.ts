/**
 * How services say that they live. Each beats every few seconds and at once when somebody asks who is
 * there, so a gateway that has just started knows within a round trip.
 */
import { type Heartbeat, heartbeatSeconds } from '@tidemark/contracts/heartbeat'
import { tells } from '@tidemark/contracts/subjects'
import type { Bus } from './connection.ts'

type Beating = {
  service: string
  instance: string
  /** Names what is wrong, or null; asked before each beat. */
  check?: () => string | null
}

/** Beats for a service until disposed. */
export function beat(bus: Bus, { service, instance, check = () => null }: Beating): Disposable {
  const say = () => {
    if (bus.nc.isClosed()) return
    const cause = check()
    const heartbeat: Heartbeat = {
      service,
      instance,
      status: cause ? 'fail' : 'pass',
      ...(cause && { cause }),
    }
    bus.nc.publish(tells.heartbeat(service), JSON.stringify(heartbeat))
  }
  const asked = bus.nc.subscribe(tells.whoIsThere, { callback: say })
  const timer = setInterval(say, heartbeatSeconds * 1000)
  say()
  return {
    [Symbol.dispose]() {
      clearInterval(timer)
      asked.unsubscribe()
    },
  }
}

export type Heard = { heartbeat: Heartbeat; ageSeconds: number }

/** Remembers the youngest heartbeat of each service, and asks for a first one. */
export function listenForHeartbeats(bus: Bus): { heard(): Map<string, Heard>; close(): void } {
  const last = new Map<string, { heartbeat: Heartbeat; at: number }>()
  const subscription = bus.nc.subscribe(tells.heartbeats, {
    callback: (_error, message) => {
      const heartbeat = message.json<Heartbeat>()
      last.set(heartbeat.service, { heartbeat, at: performance.now() })
    },
  })
  bus.nc.publish(tells.whoIsThere)
  return {
    heard: () =>
      new Map(
        [...last].map(([service, { heartbeat, at }]) => [
          service,
          { heartbeat, ageSeconds: (performance.now() - at) / 1000 },
        ]),
      ),
    close: () => subscription.unsubscribe(),
  }
}

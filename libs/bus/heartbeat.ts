/**
 * How services say that they live. Each beats every few seconds and at once when somebody asks who is
 * there, so a gateway that has just started knows within a round trip.
 */
import { type Heartbeat, heartbeatMaxAgeSeconds, heartbeatSeconds } from '@tidemark/contracts/heartbeat'
import { tells } from '@tidemark/contracts/subjects'
import type { Bus } from './connection.ts'
import { troubleOf } from './troubles.ts'

type Beating = {
  service: string
  instance: string
  /** Names what is wrong, or null; asked before each beat. */
  check?: () => string | null
  /** Names what somebody should see to, though the service works; null where there is nothing. */
  warn?: () => string | null
}

/**
 * Beats for a service until disposed. What has failed on this bus for a while is told as well. Resolves when the
 * server knows of all that the bus listens to by now: whoever is told that the service is there may ask it.
 */
export async function beat(
  bus: Bus,
  { service, instance, check = () => null, warn = () => null }: Beating,
): Promise<Disposable> {
  const say = () => {
    if (bus.nc.isClosed()) return
    const fault = check() ?? troubleOf(bus.nc)
    const cause = fault ?? warn()
    const heartbeat: Heartbeat = {
      service,
      instance,
      status: fault ? 'fail' : 'pass',
      ...(cause && { cause }),
    }
    bus.nc.publish(tells.heartbeat(service), JSON.stringify(heartbeat))
  }
  const asked = bus.nc.subscribe(tells.whoIsThere, { callback: say })
  const timer = setInterval(say, heartbeatSeconds * 1000)
  say()
  await bus.nc.flush()
  return {
    [Symbol.dispose]() {
      clearInterval(timer)
      asked.unsubscribe()
    },
  }
}

export type Heard = { heartbeat: Heartbeat; ageSeconds: number }

/** Remembers the youngest heartbeat of each instance, and asks for a first one. `heard` has one of each service. */
export function listenForHeartbeats(bus: Bus): { heard(): Map<string, Heard>; close(): void } {
  const last = new Map<string, { heartbeat: Heartbeat; at: number }>()
  const subscription = bus.nc.subscribe(tells.heartbeats, {
    callback: (_error, message) => {
      const heartbeat = message.json<Heartbeat>()
      last.set(`${heartbeat.service} ${heartbeat.instance}`, { heartbeat, at: performance.now() })
    },
  })
  bus.nc.publish(tells.whoIsThere)
  return { heard, close: () => subscription.unsubscribe() }

  function heard(): Map<string, Heard> {
    const now = performance.now()
    for (const [instance, { at }] of last) if (now - at > forgottenMs) last.delete(instance)
    const beats = [...last.values()].map(({ heartbeat, at }) => ({
      heartbeat,
      ageSeconds: (now - at) / 1000,
    }))
    const byService = Map.groupBy(beats, ({ heartbeat }) => heartbeat.service)
    return new Map([...byService].map(([service, beats]) => [service, worstOf(beats)]))
  }
}

/** Who was silent for so long is not even remembered as having been there. */
const forgottenMs = 3_600_000

/** The youngest of those that count: first who fails, then who warns; one that is away does not. */
function worstOf(beats: Heard[]): Heard {
  const here = beats.filter(({ ageSeconds }) => ageSeconds <= heartbeatMaxAgeSeconds)
  const failing = here.filter(({ heartbeat }) => heartbeat.status === 'fail')
  const warning = here.filter(({ heartbeat }) => heartbeat.cause !== undefined)
  const [first, ...others] = [failing, warning].find(({ length }) => length > 0) ?? beats
  return others.reduce((one, other) => (other.ageSeconds < one.ageSeconds ? other : one), first as Heard)
}

/**
 * Sends and receives the heartbeats of services. Each service sends one every few seconds, and at once on request, so
 * a gateway that has just started knows all services within a round trip.
 */
import { channel } from 'node:diagnostics_channel'
import { causes, type HealthNews, healthChannel, named, type ServiceHealth } from '@tidemark/contracts/health'
import { Heartbeat, heartbeatMaxAgeSeconds, heartbeatSeconds } from '@tidemark/contracts/heartbeat'
import { notifications } from '@tidemark/contracts/subjects'
import type { Bus } from './connection.ts'
import { linkOf } from './link.ts'
import { onNotification } from './requests/notifications.ts'
import { isHeldUp, stallInWords } from './stall.ts'
import { healthOf } from './troubles.ts'

type Beating = {
  service: string
  instance: string
  /** Returns the fault, or null; called before each beat. */
  check?: () => string | null
  /** Returns a warning for the operator while the service works, or null. */
  warn?: () => string | null
}

/** Milliseconds between two checks for changes, which are sent at once. */
const checkEveryMs = 500

/**
 * Sends the heartbeats of a service until disposed, and reports its health to the probes of its process. Both include
 * lasting failures on this bus. Resolves when the server has registered all current subscriptions of the bus, so a
 * client that receives a heartbeat may call the service.
 */
export async function beat(
  bus: Bus,
  { service, instance, check = () => null, warn = () => null }: Beating,
): Promise<Disposable> {
  const look = (): ServiceHealth => {
    const { starting, faults, warnings } = healthOf(bus.nc)
    const isAway = bus.nc.isClosed() || !linkOf(bus.nc).up
    return {
      starting,
      faults: [...listOf(check()), ...listOf(isAway ? unconnected() : null), ...faults],
      warnings: [...listOf(warn()), ...warnings],
    }
  }
  let last = ''
  let beatAt = 0
  const send = () => {
    if (bus.nc.isClosed()) return
    const { faults, warnings } = look()
    const [cause] = [...faults, ...warnings]
    const heartbeat: Heartbeat = {
      service,
      instance,
      status: faults.length > 0 ? 'fail' : 'pass',
      ...(cause !== undefined && { cause }),
    }
    last = wordsOf(faults, warnings)
    beatAt = performance.now()
    bus.nc.publish(notifications.heartbeat(service), JSON.stringify(heartbeat))
  }
  const sendNews = () => {
    const { faults, warnings } = look()
    const isDue = performance.now() - beatAt >= heartbeatSeconds * 1000 - checkEveryMs / 2
    if (isDue || wordsOf(faults, warnings) !== last) send()
  }
  const notifyProcess = (news: HealthNews) => channel(healthChannel).publish(news)
  send()
  using beating = new DisposableStack()
  beating.adopt(bus.nc.subscribe(notifications.heartbeatsRequested, { callback: send }), requests =>
    requests.unsubscribe(),
  )
  notifyProcess({ service, instance, look })
  beating.defer(() => notifyProcess({ service, instance, look: null }))
  beating.adopt(setInterval(sendNews, checkEveryMs), clearInterval)
  await bus.nc.flush()
  return beating.move()
}

const unconnected = (): string =>
  isHeldUp() ? named('event_loop_stalled', stallInWords()) : named('nats_away', causes.nats_away)

const listOf = (words: string | null): string[] => (words === null ? [] : [words])

/** Returns the cause of each fault and warning, to detect changes. Their full texts may change with each try. */
const wordsOf = (...words: string[][]): string => words.map(([first = '']) => first.split(':')[0]).join(' ')

export type ReceivedHeartbeat = { heartbeat: Heartbeat; ageSeconds: number }

export type Heartbeats = {
  /** Returns the heartbeat of each service that counts. */
  latestByService(): Map<string, ReceivedHeartbeat>
  /** Returns the latest heartbeat of each instance, by service, the youngest first. */
  instances(): Map<string, ReceivedHeartbeat[]>
  close(): void
}

/** Keeps the latest heartbeat of each instance, and requests a first one. */
export function listenForHeartbeats(bus: Bus): Heartbeats {
  const last = new Map<string, { heartbeat: Heartbeat; at: number }>()
  const subscription = onNotification(bus, notifications.heartbeats, Heartbeat, heartbeat =>
    last.set(`${heartbeat.service} ${heartbeat.instance}`, { heartbeat, at: performance.now() }),
  )
  bus.nc.publish(notifications.heartbeatsRequested)
  return { latestByService, instances, close: () => subscription[Symbol.dispose]() }

  function latestByService(): Map<string, ReceivedHeartbeat> {
    return new Map([...instances()].map(([service, beats]) => [service, worstOf(beats)]))
  }

  function instances(): Map<string, ReceivedHeartbeat[]> {
    const now = performance.now()
    for (const [instance, { at }] of last) if (now - at > removeAfterMs) last.delete(instance)
    const beats = [...last.values()].map(({ heartbeat, at }) => ({
      heartbeat,
      ageSeconds: (now - at) / 1000,
    }))
    beats.sort((one, other) => one.ageSeconds - other.ageSeconds)
    return Map.groupBy(beats, ({ heartbeat }) => heartbeat.service)
  }
}

/** A service that was silent for this long is removed from the list. */
const removeAfterMs = 3_600_000

/**
 * Returns the heartbeat that counts: of a failing instance, else of one with a warning, else the youngest. Faults and
 * warnings of instances that are away do not count.
 * @param beats the latest of each instance, the youngest first
 */
function worstOf(beats: ReceivedHeartbeat[]): ReceivedHeartbeat {
  const here = beats.filter(({ ageSeconds }) => ageSeconds <= heartbeatMaxAgeSeconds)
  const failing = here.find(({ heartbeat }) => heartbeat.status === 'fail')
  const warning = here.find(({ heartbeat }) => heartbeat.cause !== undefined)
  return failing ?? warning ?? (beats[0] as ReceivedHeartbeat)
}

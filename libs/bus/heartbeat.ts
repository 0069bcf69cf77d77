/**
 * How services say that they live. Each beats every few seconds and at once when somebody asks who is
 * there, so a gateway that has just started knows within a round trip.
 */
import { channel } from 'node:diagnostics_channel'
import { causes, type HealthNews, healthChannel, named, type ServiceHealth } from '@tidemark/contracts/health'
import { type Heartbeat, heartbeatMaxAgeSeconds, heartbeatSeconds } from '@tidemark/contracts/heartbeat'
import { tells } from '@tidemark/contracts/subjects'
import type { Bus } from './connection.ts'
import { linkOf } from './link.ts'
import { healthOf } from './troubles.ts'

type Beating = {
  service: string
  instance: string
  /** Names what is wrong, or null; asked before each beat. */
  check?: () => string | null
  /** Names what somebody should see to, though the service works; null where there is nothing. */
  warn?: () => string | null
}

/** Between two looks at what is to be told: what changes is told as soon as it is seen. */
const lookMs = 500

/**
 * Beats for a service until disposed, and has it answer probes of its process. What has failed on this bus for a while
 * is told as well. Resolves when the server knows of all that the bus listens to by now: whoever is told that the
 * service is there may ask it.
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
      faults: [...said(check()), ...said(isAway ? named('nats_away', causes.nats_away) : null), ...faults],
      warnings: [...said(warn()), ...warnings],
    }
  }
  let last = ''
  let beatAt = 0
  const say = () => {
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
    bus.nc.publish(tells.heartbeat(service), JSON.stringify(heartbeat))
  }
  const sayNews = () => {
    const { faults, warnings } = look()
    const isDue = performance.now() - beatAt >= heartbeatSeconds * 1000 - lookMs / 2
    if (isDue || wordsOf(faults, warnings) !== last) say()
  }
  const tellProcess = (news: HealthNews) => channel(healthChannel).publish(news)
  const asked = bus.nc.subscribe(tells.whoIsThere, { callback: say })
  const timer = setInterval(sayNews, lookMs)
  say()
  tellProcess({ service, instance, look })
  await bus.nc.flush()
  return {
    [Symbol.dispose]() {
      clearInterval(timer)
      tellProcess({ service, instance, look: null })
      asked.unsubscribe()
    },
  }
}

const said = (words: string | null): string[] => (words === null ? [] : [words])

/** By what it is known whether there is news: the first of each, as the words of one trouble may change with each try. */
const wordsOf = (...words: string[][]): string => words.map(([first = '']) => first.split(':')[0]).join(' ')

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

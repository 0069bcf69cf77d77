/**
 * What a process answers when it is asked how it does: whether it is started, whether it can do its work, and if not,
 * why, under names that stay. What it knows it hears from its services; none of it waits for anybody.
 */
import { subscribe } from 'node:diagnostics_channel'
import {
  type Cause,
  causes,
  type HealthNews,
  healthChannel,
  named,
  type ServiceHealth,
} from '@tidemark/contracts/health'

export type Told = { service: string; cause: string; says: string }
export type Probe = { status: 'pass' | 'fail'; causes: Told[]; warnings: Told[] }

type Service = { service: string; look: () => ServiceHealth }

const wellAndAlive: Probe = { status: 'pass', causes: [], warnings: [] }

/** Listens from now on: to be made before the services of the process start. */
export function openProbes(): Record<'/livez' | '/startupz' | '/readyz', () => Probe> {
  const services = new Map<string, Service>()
  let [isBegun, isStopping, isStarted] = [false, false, false]
  subscribe(healthChannel, message => {
    const news = message as HealthNews
    if ('process' in news) {
      if (news.process === 'started') isBegun = true
      else isStopping = true
      return
    }
    const { service, instance, look } = news
    if (look === null) services.delete(`${service} ${instance}`)
    else services.set(`${service} ${instance}`, { service, look })
  })

  return {
    // That the event loop turns is all of it: what else is wrong no new start would mend.
    '/livez': () => wellAndAlive,
    '/startupz': () => probe(isStarted ? [] : starting(), []),
    '/readyz': () => {
      const looked = looks()
      const faults = looked.flatMap(({ service, health }) => told(service, health.faults))
      const warnings = looked.flatMap(({ service, health }) => told(service, health.warnings))
      const stopping = isStopping ? told('process', [named('stopping', causes.stopping)]) : []
      return probe([...stopping, ...(isStarted ? [] : starting()), ...faults], warnings)
    },
  }

  function starting(): Told[] {
    if (!isBegun) return told('process', [named('starting', 'its services have not all begun')])
    const waited = looks().flatMap(({ service, health }) => told(service, health.starting))
    isStarted = waited.length === 0
    return waited
  }

  function looks() {
    return [...services.values()].map(({ service, look }) => ({ service, health: look() }))
  }
}

const probe = (faults: Told[], warnings: Told[]): Probe => ({
  status: faults.length === 0 ? 'pass' : 'fail',
  causes: faults,
  warnings,
})

/** What names no cause of ours is told all the same. */
const told = (service: string, sentences: readonly string[]): Told[] =>
  sentences.map(sentence => {
    const [, cause = '', says = ''] = /^(\w+): ([\s\S]*)$/.exec(sentence) ?? []
    return isCause(cause) ? { service, cause, says } : { service, cause: 'other', says: sentence }
  })

const isCause = (name: string): name is Cause => Object.hasOwn(causes, name)

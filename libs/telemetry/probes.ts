/**
 * Answers the probes of a process: whether it has started, whether it can work, and the causes if not, with stable
 * names. Its services publish their state, so a probe waits for nothing.
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

export type ProbeCause = { service: string; cause: string; says: string }
export type Probe = { status: 'pass' | 'fail'; causes: ProbeCause[]; warnings: ProbeCause[] }

type Service = { service: string; look: () => ServiceHealth }

const wellAndAlive: Probe = { status: 'pass', causes: [], warnings: [] }

/**
 * Returns the probes. They subscribe to the state of services at once, so call it before the services of the process
 * start.
 */
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
    // A responding event loop suffices, because a restart would not repair any other problem.
    '/livez': () => wellAndAlive,
    '/startupz': () => probe(isStarted ? [] : starting(), []),
    '/readyz': () => {
      const looked = looks()
      const faults = looked.flatMap(({ service, health }) => causesOf(service, health.faults))
      const warnings = looked.flatMap(({ service, health }) => causesOf(service, health.warnings))
      const stopping = isStopping ? causesOf('process', [named('stopping', causes.stopping)]) : []
      return probe([...stopping, ...(isStarted ? [] : starting()), ...faults], warnings)
    },
  }

  function starting(): ProbeCause[] {
    if (!isBegun) return causesOf('process', [named('starting', 'its services have not all begun')])
    const missing = looks().flatMap(({ service, health }) => causesOf(service, health.starting))
    isStarted = missing.length === 0
    return missing
  }

  function looks() {
    return [...services.values()].map(({ service, look }) => ({ service, health: look() }))
  }
}

const probe = (faults: ProbeCause[], warnings: ProbeCause[]): Probe => ({
  status: faults.length === 0 ? 'pass' : 'fail',
  causes: faults,
  warnings,
})

/** Splits sentences into cause and text. Sentences without a known cause are reported as `other`. */
const causesOf = (service: string, sentences: readonly string[]): ProbeCause[] =>
  sentences.map(sentence => {
    const [, cause = '', says = ''] = /^(\w+): ([\s\S]*)$/.exec(sentence) ?? []
    return isCause(cause) ? { service, cause, says } : { service, cause: 'other', says: sentence }
  })

const isCause = (name: string): name is Cause => Object.hasOwn(causes, name)

/** Which services share a process. The services never know. */
import { services } from '@tidemark/contracts/services'
import { type LaunchSettings, root } from './settings.ts'

/** `flags` are for Node itself. */
export type ProcessPlan = { name: string; services: string[]; flags: string[] }

/**
 * Much of what crawling makes is garbage at once: a small young generation keeps a process smaller, at the same
 * speed, and one that need not grow first collects less often.
 */
const flags = ['--max-semi-space-size=4', '--min-semi-space-size=4']

const plan = (name: string, services: string[]): ProcessPlan => ({ name, services, flags })

/** The processes of an instance, in the order in which they are started. */
export function plansOf({
  processes,
  replicas,
}: Pick<LaunchSettings, 'processes' | 'replicas'>): ProcessPlan[] {
  return processes === 'grouped' ? grouped : services.flatMap(name => copiesOf(name, replicas.get(name) ?? 1))
}

const grouped = [
  plan(
    'control',
    services.filter(name => name !== 'extractor'),
  ),
  plan('extractor-1', ['extractor']),
  plan('extractor-2', ['extractor']),
]

const copiesOf = (name: string, count: number): ProcessPlan[] =>
  Array.from({ length: count }, (_, n) => plan(count === 1 ? name : `${name}-${n + 1}`, [name]))

const elsewhere: Record<string, string> = { projector: 'gateway/projector-service.ts' }

/** The file that exports `startService` of this service. */
export const entryOf = (service: string): string =>
  `${root}services/${elsewhere[service] ?? `${service}/service.ts`}`

/** Plans which services share a process. The code of services does not depend on it. */
import { services } from '@tidemark/contracts/services'
import type { LaunchSettings } from './settings.ts'

export type ProcessPlan = {
  name: string
  services: string[]
  /** Command-line flags of Node. */
  flags: string[]
  /** Several processes listen on the same port. */
  sharesPort?: true
}

/**
 * Most objects of a crawl are short-lived, so a small young generation keeps a process small at the same speed, and
 * with its final size from the start it is collected less often. With feedback from the first call on, V8 optimises
 * earlier: a tenth more pages per second with a tenth less processor time, for 4 % more memory.
 */
const flags = ['--max-semi-space-size=4', '--min-semi-space-size=4', '--no-lazy-feedback-allocation']

/**
 * Bodies are stored outside of V8's heap, but their allocation triggers full garbage collections. A heap that may
 * grow to three times its size is collected less than half as often: 8 % more pages per second in as much memory. With
 * a larger young generation fewer pages survive it: 4 % less processor time for 20 MB.
 */
const flagsOfExtractors = [
  ...['--max-semi-space-size=16', '--min-semi-space-size=16', '--no-lazy-feedback-allocation'],
  '--heap-growing-percent=200',
]

const plan = (name: string, services: string[]): ProcessPlan => ({ name, services, flags: flagsOf(services) })
const flagsOf = (services: string[]) => (services.includes('extractor') ? flagsOfExtractors : flags)

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

/**
 * Maximum heap of a service in MB. V8 lets a heap grow by up to four times between collections while the maximum is
 * far, so a low maximum keeps the process small: the gateway needs 230 MB instead of 321 for a response of 22 MB.
 */
const usualHeap = 512
/** Maximum heaps of services that need more. The coordinator keeps the state of its runs in memory. */
const heaps: Record<string, number> = { 'crawl-coordinator': 4_096 }

const copiesOf = (name: string, count: number): ProcessPlan[] =>
  Array.from({ length: count }, (_, n) => ({
    name: count === 1 ? name : `${name}-${n + 1}`,
    services: [name],
    flags: [...flagsOf([name]), `--max-old-space-size=${heaps[name] ?? usualHeap}`],
    ...(name === 'gateway' && count > 1 && { sharesPort: true }),
  }))

/** Plans which services share a process. The code of services does not depend on it. */
import { services } from '@tidemark/contracts/services'

/** The settings on which the plan depends. */
export type Layout = {
  processes: 'grouped' | 'split'
  /** Number of processes of each service. Default: 1, and 2 extractors of a grouped instance. */
  replicas: ReadonlyMap<string, number>
}

export type ProcessPlan = {
  name: string
  services: string[]
  /** Command-line flags of Node. */
  flags: string[]
  /** Several processes listen on the same port. */
  sharesPort?: true
}

/** Returns the flags for a young generation that has its final size, in MB, from the start: it is collected less often. */
const youngGeneration = (mb: number) => [`--max-semi-space-size=${mb}`, `--min-semi-space-size=${mb}`]

/**
 * With feedback from the first call on, V8 optimises earlier: a tenth more pages per second with a tenth less processor
 * time, for 4 % more memory.
 */
const optimisedEarly = '--no-lazy-feedback-allocation'

/** Most objects of a crawl are short-lived, so a small young generation keeps a process small at the same speed. */
const flags = [...youngGeneration(4), optimisedEarly]

/**
 * Flags of the process with all services but the extractor, which together allocate as much as four processes. The
 * larger young generation saves a tenth of the processor time for 5 MB.
 */
const flagsOfControl = [...youngGeneration(16), optimisedEarly]

/**
 * Bodies are stored outside of V8's heap, but their allocation triggers full garbage collections. A heap that may
 * grow to three times its size is collected less than half as often: 8 % more pages per second in as much memory. With
 * a larger young generation fewer pages survive it: 4 % less processor time for 20 MB.
 */
const flagsOfExtractors = [...youngGeneration(16), optimisedEarly, '--heap-growing-percent=200']

const flagsOf = (name: string) => (name === extractor ? flagsOfExtractors : flags)

/** The processes of an instance, in the order in which they are started. */
export function plansOf({ processes, replicas }: Layout): ProcessPlan[] {
  if (processes === 'split') return services.flatMap(name => copiesOf(name, replicas.get(name) ?? 1))
  const extractors = replicas.get(extractor) ?? usualExtractors
  return [control, ...namesOf(extractor, extractors).map(name => ({ ...plainExtractor, name }))]
}

const extractor = 'extractor'
/** Parsing is most of the cost of a crawl: one extractor alone cannot keep two processors busy. */
const usualExtractors = 2

const control: ProcessPlan = {
  name: 'control',
  services: services.filter(name => name !== extractor),
  flags: flagsOfControl,
}
const plainExtractor: Omit<ProcessPlan, 'name'> = { services: [extractor], flags: flagsOfExtractors }

/**
 * Maximum heap of a service in MB. V8 lets a heap grow by up to four times between collections while the maximum is
 * far, so a low maximum keeps the process small: the gateway needs 230 MB instead of 321 for a response of 22 MB.
 */
const usualHeap = 512
/** Maximum heaps of services that need more. The coordinator keeps the state of its runs in memory. */
const heaps: Record<string, number> = { 'crawl-coordinator': 4_096 }

const copiesOf = (service: string, count: number): ProcessPlan[] =>
  namesOf(service, count).map(name => ({
    name,
    services: [service],
    flags: [...flagsOf(service), `--max-old-space-size=${heaps[service] ?? usualHeap}`],
    ...(service === 'gateway' && count > 1 && { sharesPort: true }),
  }))

/** Returns the names of the processes of a service. */
const namesOf = (service: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => (count === 1 ? service : `${service}-${n + 1}`))

/** Names the service behind each consumer, and the command that repairs what it gave up. */
import { consumers, shards, streams } from '@tidemark/contracts/subjects'

const coordinator = 'coordinator'
const ofShards = new Set(shards.map(consumers.coordinator))

/** Returns the name under which a consumer is counted: the shards of the coordinator count as one. */
export const groupOf = (consumer: string): string => (ofShards.has(consumer) ? coordinator : consumer)

const services: Record<string, string> = {
  [consumers.fetcher('http')]: 'fetcher',
  [consumers.fetcher('browser')]: 'fetcher',
  [consumers.extractor]: 'extractor',
  [coordinator]: 'crawl-coordinator',
  [consumers.webhook]: 'webhook',
  runs: 'projector',
  accounts: 'projector',
  audit: 'projector',
  'bill-runs': 'usage-ledger',
  'bill-requests': 'usage-ledger',
  ledger: 'usage-ledger',
  'forget-deleted-runs': 'extractor',
  'decide-deliveries': 'webhook',
  'decide-batches': 'webhook',
}

/** Returns the service of a group, or null. */
export const serviceOf = (group: string): string | null => services[group] ?? null

/** Streams from which messages are removed when they are processed. */
export const queues: readonly string[] = [streams.fetch, streams.pages, streams.outcomes, streams.deliveries]

const rebuilt: Record<string, string> = {
  [`${streams.runs} runs`]: 'runs',
  [`${streams.accounts} accounts`]: 'accounts',
  [`${streams.usage} ledger`]: 'ledger',
}

const admin = 'npm run admin --'
export const showCommand = (id: number): string => `${admin} dead-letters show ${id}`

/** Returns the command that repeats the work of dead letters; null: nothing repeats it. */
export function repairCommand(stream: string, group: string): string | null {
  if (queues.includes(stream)) return `${admin} dead-letters replay --all --stream ${stream}`
  const name = rebuilt[`${stream} ${group}`]
  return name === undefined ? null : `${admin} rebuild-projections --name ${name}`
}

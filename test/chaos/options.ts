/** The options of `npm run chaos`. */
import { parseArgs } from 'node:util'

const number = <Name extends string>(name: Name, fallback: number, what: string) => ({ name, fallback, what })

const numbers = [
  number('pages', 1500, 'pages in all'),
  number('hosts', 8, 'hosts that share the pages'),
  number('kills', 0, 'kills of services, each chosen at random'),
  number('nats', 0, 'kills of nats-server'),
  number('postgres', 0, 'immediate shutdowns of Postgres'),
  number('redis', 0, 'faults of Redis, which is flushed and in half of the cases killed'),
  number('all', 0, 'kills of everything at once, with a restart'),
  number('nodes', 0, 'with --cluster: kills of a server of NATS, with a restart; 20 if no fault is given'),
  number('cuts', 0, 'with --cluster: partitions of one of them for 15 s; 1 if no fault is given'),
  number('repeat', 0, 'percent of the work messages that are published twice'),
  number('seed', 1, 'seed of every random choice'),
  number('fetchers', 1, 'fetchers that share the hosts'),
  number('tolerance', 30, 'milliseconds by which a request may reach a host too early'),
  number('delay', 100, 'delay_ms of the crawls; it determines how long they take'),
] as const
type NumberName = (typeof numbers)[number]['name']

export type Options = Record<NumberName, number> & {
  keep: boolean
  shrink: boolean
  webhooks: boolean
  cluster: boolean
}

const killsByDefault = { kills: 12 }
const killsInCluster = { nodes: 20, cuts: 1 }

export const usage = `npm run chaos -- [--NAME N] [--no-webhook] [--cluster] [--keep] [--shrink]
${numbers.map(({ name, fallback, what }) => `  --${name.padEnd(9)} ${what} (${fallback})`).join('\n')}
  --cluster     NATS is three servers that each keep every stream, and a client calls the API throughout
  --no-webhook  crawls have no webhook
  --keep        keeps data, logs and history; after a failure they are always kept
  --shrink      after a failure, halves the faults and tries again until there is no failure`

/** Parses the options. By default twelve services are killed. Throws for unknown options. */
export function readOptions(args: string[]): Options {
  const flags = Object.fromEntries(
    ['keep', 'shrink', 'no-webhook', 'cluster'].map(name => [name, { type: 'boolean' as const }]),
  )
  const texts = Object.fromEntries(numbers.map(({ name }) => [name, { type: 'string' as const }]))
  const { values } = parseArgs({ args, options: { ...texts, ...flags } })
  const read = Object.fromEntries(
    numbers.map(({ name, fallback }) => [name, wholeNumber(name, values[name] ?? fallback)]),
  ) as Record<NumberName, number>
  const faults = ['kills', 'nats', 'postgres', 'redis', 'all', 'nodes', 'cuts', 'repeat']
  const hasNoFault = faults.every(name => values[name] === undefined)
  const cluster = values.cluster === true
  if (!cluster && read.nodes + read.cuts > 0) throw new Error('--nodes and --cuts need --cluster')
  if (cluster && read.nats + read.all > 0)
    throw new Error('--nats and --all need a system that starts its own NATS; use --nodes with --cluster')
  return {
    ...read,
    ...(hasNoFault && (cluster ? killsInCluster : killsByDefault)),
    cluster,
    keep: values.keep === true,
    shrink: values.shrink === true,
    webhooks: values['no-webhook'] !== true,
  }
}

function wholeNumber(name: string, value: unknown): number {
  const number = Number(value)
  if (!Number.isSafeInteger(number) || number < 0) throw new Error(`--${name} must be a whole number`)
  return number
}

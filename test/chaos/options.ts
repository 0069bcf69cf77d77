/** What `npm run chaos` can be told. */
import { parseArgs } from 'node:util'

const number = <Name extends string>(name: Name, fallback: number, what: string) => ({ name, fallback, what })

const numbers = [
  number('pages', 1500, 'pages in all'),
  number('hosts', 8, 'hosts that they are spread over'),
  number('kills', 0, 'services killed, each chosen at random'),
  number('nats', 0, 'times that nats-server is killed'),
  number('postgres', 0, 'immediate shutdowns of Postgres'),
  number('redis', 0, 'times that Redis is emptied, and in half of them killed'),
  number('all', 0, 'times that everything is killed at once and started again'),
  number(
    'nodes',
    0,
    'with --cluster: times that a server of NATS is killed and started again, 20 where no fault is told',
  ),
  number('cuts', 0, 'with --cluster: times that one of them is cut off for 15 s, 1 where no fault is told'),
  number('repeat', 0, 'of a hundred messages of work so many come a second time, later'),
  number('seed', 1, 'of every choice'),
  number('fetchers', 1, 'fetchers that share the hosts'),
  number('tolerance', 30, 'milliseconds by which a host may see its delay cut short'),
  number('delay', 100, 'delay_ms of the crawls: how long there is something to break'),
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
  --cluster     NATS is three servers that each keep every stream, and somebody calls the API all the time
  --no-webhook  crawls ask for no webhook
  --keep        leaves data, logs and history where they are; they stay after a failure too
  --shrink      after a failure, tries again with half the faults for as long as that fails`

/** Twelve services are killed where nothing is said. Throws for what it does not know. */
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
  const asksForNone = faults.every(name => values[name] === undefined)
  const cluster = values.cluster === true
  if (!cluster && read.nodes + read.cuts > 0) throw new Error('--nodes and --cuts need --cluster')
  if (cluster && read.nats + read.all > 0)
    throw new Error(
      '--nats and --all are for a system that starts its own NATS; with --cluster there is --nodes',
    )
  return {
    ...read,
    ...(asksForNone && (cluster ? killsInCluster : killsByDefault)),
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

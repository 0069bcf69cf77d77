/**
 * `docs/configuration.md`, made from the settings that the services declare. Run as a program it writes the
 * file; `documents.test.ts` fails when the file is not what this makes.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

type Schema = {
  type?: string
  anyOf?: { const?: string }[]
  items?: Schema
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  default?: unknown
  /** In place of an empty default. */
  whenUnset?: () => unknown
  description?: string
}
type Setting = { name: string; schema: Schema; isNeeded: boolean; owners: string[] }

export const file = join(import.meta.dirname, '../docs/configuration.md')

/** Whose settings are told, with the file and the export that declare them. */
const owners: [owner: string, folder: string, schema: string][] = [
  ['gateway', 'gateway', 'Settings'],
  ['projector', 'gateway', 'ProjectorSettings'],
  ['auth-billing', 'auth-billing', 'Settings'],
  ['crawl-coordinator', 'crawl-coordinator', 'Settings'],
  ['fetcher', 'fetcher', 'Settings'],
  ['egress', 'fetcher', 'EgressSettings'],
  ['extractor', 'extractor', 'Settings'],
  ['usage-ledger', 'usage-ledger', 'Settings'],
  ['scheduler', 'scheduler', 'Settings'],
  ['webhook', 'webhook', 'Settings'],
]

const head = `# Configuration

Everything is set by environment variables; an empty one is as good as none. A missing or bad one stops the start: those
of the launcher first, then those of all services, every fault named at once. This page is made from the schemas in
\`services/*/settings.ts\` by \`npm run docs\`.

## The launcher (\`npm start\`)

| variable | default | meaning |
|---|---|---|
| \`PORT\`, \`HOST\` | 8080, 127.0.0.1 | where the gateway listens |
| \`TIDEMARK_DIR\` | \`.tidemark\` | [everything that is written](operating.md#what-lies-where) |
| \`TIDEMARK_BIN\` | \`bin\` in \`TIDEMARK_DIR\` | where unpacked servers lie |
| \`DATABASE_URL\`, \`NATS_URL\`, \`REDIS_URL\` | unset | set: that server is used and the embedded one is not started; [what it must be](operating.md#what-it-needs) |
| \`DATABASE_ROLES\` | \`made\` for the embedded Postgres, else \`off\` | \`made\`, \`given\` or \`off\`: who makes the [roles](operating.md#roles-and-users) of the services |
| \`DATABASE_URL_<SERVICE>\`, \`NATS_URL_<SERVICE>\` | unset | the service's own \`DATABASE_URL\` and \`NATS_URL\`, such as \`DATABASE_URL_USAGE_LEDGER\`; set by the launcher where it makes the users |
| \`BROWSER_FONTS\` | \`fetched\` | \`fetched\`: fonts for pictures of pages, 24 MB, are fetched in the background where the machine has none; \`none\`: never |
| \`PROCESSES\` | \`grouped\` | \`grouped\`: three Node processes; \`split\`: one a service, and the projector |
| \`REPLICAS\` | one each | with \`PROCESSES=split\`: how many processes a service gets, such as \`fetcher=2,extractor=3\`; 1 to 64, \`projector\` too; gateways share the one port |
| \`NATS_MAX_FILE_STORE\` | 24GB | disk that the embedded NATS server may use; not below the sum of its streams |
| \`STREAM_<NAME>_BYTES\` | by stream | size of a [stream](architecture.md#streams), in bytes; none is made smaller than what it holds |
| \`STREAM_REPLICAS\` | unset | how many servers of a [NATS cluster](deploying.md#nats-as-a-cluster) keep each stream, its consumers and the object store, 1 to 5; in production 3. Unset: each stays as it is, and a new one is kept by one |
| \`LOG_LEVEL\` | \`info\` | of the JSON lines in \`logs/\` |
| \`EVENT_LOOP_STALL_MS\` | unset | set: a process that was held up for longer than so many milliseconds logs \`event loop stalled\` |
| \`METRICS_PORT\`, \`METRICS_HOST\` | unset, \`127.0.0.1\` | set: the inner port of a process, where Prometheus reads \`/metrics\` and [probes](operating.md#probes) ask; the launcher gives each process a port of its own, from this one on (\`run.json\` says which) |
| \`OTEL_EXPORTER_OTLP_ENDPOINT\` | unset | set: traces and metrics are exported there by OTLP over HTTP, as the other \`OTEL_…\` variables of the standard say; unset: nothing is |
| \`OTEL_TRACES_SAMPLER\`, \`OTEL_TRACES_SAMPLER_ARG\` | \`always_on\`, 1 | \`always_on\`, \`always_off\`, or \`traceidratio\` with a share from 0 to 1: how many [traces](operating.md#traces) are exported; errors always are. With \`parentbased_\` before it is the same, for a trace is sampled as a whole |
| \`TRACE_TRUSTS_CLIENTS\` | \`false\` | \`true\`: a trace that its client has sampled is exported; else it is drawn like any other |
| \`NODE_COMPILE_CACHE\` | \`cache\` in \`TIDEMARK_BIN\` | where Node keeps compiled sources |
`

/** The page, from the settings of every service as they are now. */
export async function configuration(): Promise<string> {
  const settings = await readAll()
  const common = settings.filter(({ owners }) => owners.length > 1)
  const own = owners.map(([owner]) =>
    table(
      owner,
      settings.filter(({ owners: [first, second] }) => first === owner && second === undefined),
    ),
  )
  return [head, tableOfReaders('Read by several services', common), ...own].filter(Boolean).join('\n')
}

/** Each setting once, with all who read it: the same name in the same words is the same setting. */
async function readAll(): Promise<Setting[]> {
  const found = new Map<string, Setting>()
  for (const [owner, folder, name] of owners) {
    const { [name]: schema } = await import(`../services/${folder}/settings.ts`)
    for (const [variable, setting] of Object.entries(schema.properties as Record<string, Schema>)) {
      const key = `${variable}: ${setting.description}`
      const isNeeded = schema.required?.includes(variable) ?? false
      const known = found.get(key)
      if (known) known.owners.push(owner)
      else found.set(key, { name: variable, schema: setting, isNeeded, owners: [owner] })
    }
  }
  return [...found.values()]
}

function table(title: string, settings: Setting[]): string {
  if (settings.length === 0) return ''
  const rows = settings.map(row)
  return [
    `## ${title}`,
    '',
    '| variable | takes | default | meaning |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}

function tableOfReaders(title: string, settings: Setting[]): string {
  const rows = settings.map(setting => `${row(setting)} ${readers(setting.owners)} |`)
  const columns = ['| variable | takes | default | meaning | read by |', '|---|---|---|---|---|']
  return [`## ${title}`, '', ...columns, ...rows, ''].join('\n')
}

function row({ name, schema, isNeeded }: Setting): string {
  return `| \`${name}\` | ${takes(schema)} | ${defaultOf(schema, isNeeded)} | ${schema.description ?? ''} |`
}

const readers = (names: string[]): string => (names.length === owners.length ? 'all' : names.join(', '))

/** What may be said. */
function takes({ type, anyOf, items, minimum, maximum, minItems, maxItems }: Schema): string {
  if (anyOf) return anyOf.map(({ const: word }) => `\`${word}\``).join(', ')
  if (type === 'array') {
    const count = minItems !== undefined && minItems === maxItems ? `${minItems} of` : 'list of'
    return `${count} ${takes(items ?? {})}`
  }
  if (type === 'boolean') return '`true`, `false`'
  if (type !== 'integer' && type !== 'number') return 'text'
  return maximum === undefined ? `from ${minimum ?? 0}` : `${minimum ?? 0}–${maximum}`
}

function defaultOf({ default: value, whenUnset }: Schema, isNeeded: boolean): string {
  if (whenUnset) return 'unset'
  if (value === undefined) return isNeeded ? 'needed' : 'unset'
  if (value === '' || (Array.isArray(value) && value.length === 0)) return 'empty'
  return `\`${value}\``
}

if (import.meta.main) writeFileSync(file, await configuration())

/**
 * Generates `docs/configuration.md` from the settings that the services declare. As a program this file writes the
 * document; `documents.test.ts` fails when the stored document differs.
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
  /** The value that is used if the setting is unset, in place of an empty default. */
  whenUnset?: () => unknown
  description?: string
}
type Setting = { name: string; schema: Schema; isNeeded: boolean; owners: string[] }

export const file = join(import.meta.dirname, '../docs/configuration.md')

/** The processes with settings, with the folder and the export that declare them. */
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

Environment variables are the only configuration; an empty one counts as unset. A missing or invalid one stops the start: the launcher
reports its own first, then those of all services, all problems at once. \`npm run docs\` generates this page from the schemas in
\`services/*/settings.ts\`.

## The launcher (\`npm start\`)

| variable | default | meaning |
|---|---|---|
| \`PORT\`, \`HOST\` | 8080, 127.0.0.1 | address of the gateway |
| \`TIDEMARK_DIR\` | \`.tidemark\` | folder of [all written files](operating.md#files) |
| \`TIDEMARK_BIN\` | \`bin\` in \`TIDEMARK_DIR\` | folder of unpacked servers |
| \`DATABASE_URL\`, \`NATS_URL\`, \`REDIS_URL\` | unset | your own server in place of the embedded one; [requirements](operating.md#requirements) |
| \`DATABASE_ROLES\` | \`made\` for the embedded Postgres, else \`off\` | \`made\`, \`given\` or \`off\`: origin of the [roles](operating.md#roles-and-users) of the services |
| \`DATABASE_URL_<SERVICE>\`, \`NATS_URL_<SERVICE>\` | unset | a service's own \`DATABASE_URL\` and \`NATS_URL\`, such as \`DATABASE_URL_USAGE_LEDGER\`; the launcher sets them if it creates the users |
| \`BROWSER_FONTS\` | \`fetched\` | \`fetched\`: downloads fonts for pictures of pages, 24 MB, when the machine is idle, if it has none; \`none\`: never |
| \`PROCESSES\` | \`grouped\` | \`grouped\`: one Node process for all services but the extractor, and two extractors; \`split\`: one per service, and the projector |
| \`REPLICAS\` | one each, grouped \`extractor=2\` | number of processes per service, such as \`fetcher=2,extractor=3\`; 1 to 64, also for \`projector\`; gateways share one port. Grouped processes: only \`extractor\`, where \`extractor=1\` saves the memory of one |
| \`BUNDLE\` | \`on\` | \`on\`: the launcher and the services run from a [bundle](decisions/0078-bundle-the-services-of-a-laptop.md) in \`node_modules/.cache\`, which the first start after a change builds; \`off\`: from the sources, so that stack traces name their lines |
| \`NATS_MAX_FILE_STORE\` | 24GB | disk limit of the embedded NATS server; at least the sum of its streams |
| \`STREAM_<NAME>_BYTES\` | by stream | size of a [stream](architecture.md#streams) in bytes; a stream never shrinks below its content |
| \`STREAM_REPLICAS\` | unset | number of servers of a [NATS cluster](deploying.md#nats-cluster) that keep each stream, its consumers and the object store, 1 to 5; in production 3. Unset: existing streams stay as they are, and new ones have one copy |
| \`LOG_LEVEL\` | \`info\` | level of the JSON lines in \`logs/\` |
| \`EVENT_LOOP_STALL_MS\` | unset | milliseconds of a blocked event loop above which a process logs \`event loop stalled\` |
| \`METRICS_PORT\`, \`METRICS_HOST\` | unset, \`127.0.0.1\` | the inner port of a process for \`/metrics\` and [probes](operating.md#probes); the launcher gives each process its own port, starting with this one (\`run.json\` lists them) |
| \`TIDEMARK_API_KEY\`, \`TIDEMARK_BASE_URL\` | unset, \`http://127.0.0.1:8080\` | API key and address of the API for clients such as the [MCP server](mcp.md) |
| \`OTEL_EXPORTER_OTLP_ENDPOINT\` | unset | receiver of traces and metrics by OTLP over HTTP; the other \`OTEL_…\` variables of the standard apply. Unset: no export |
| \`OTEL_TRACES_SAMPLER\`, \`OTEL_TRACES_SAMPLER_ARG\` | \`always_on\`, 1 | \`always_on\`, \`always_off\`, or \`traceidratio\` with a share from 0 to 1: the exported share of [traces](operating.md#traces); errors are always exported. The prefix \`parentbased_\` changes nothing, because a trace is sampled as a whole |
| \`TRACE_TRUSTS_CLIENTS\` | \`false\` | \`true\`: traces that a client has sampled are exported; otherwise they are sampled by chance |
| \`NODE_COMPILE_CACHE\` | \`node_modules/.cache/node\` | folder of Node's compile cache |
`

/** Returns the text of the document, generated from the current settings of every service. */
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

/**
 * Returns each setting once, with all services that read it. Equal names with equal descriptions are the same setting.
 */
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

/** Returns the accepted values of a setting. */
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
  if (value === undefined) return isNeeded ? 'required' : 'unset'
  if (value === '' || (Array.isArray(value) && value.length === 0)) return 'empty'
  return `\`${value}\``
}

if (import.meta.main) writeFileSync(file, await configuration())

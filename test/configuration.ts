/**
 * `docs/configuration.md`, made from the settings that the services declare. Run as a program it writes the
 * file; the test beside it fails when the file is not what this makes.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

type Setting = { type?: string; anyOf?: { const?: string }[]; default?: unknown; description?: string }
type Schema = { properties: Record<string, Setting> }

export const file = join(import.meta.dirname, '../docs/configuration.md')

const services = [
  'gateway',
  'auth-billing',
  'crawl-coordinator',
  'fetcher',
  'extractor',
  'usage-ledger',
  'scheduler',
  'webhook',
]

const head = `# Configuration

Everything is set by environment variables. A missing or bad one stops the start, with every fault named at once.
This page is made from the schemas in \`services/*/settings.ts\` by \`node test/configuration.ts\`.

## The launcher (\`npm start\`)

| variable | default | meaning |
|---|---|---|
| \`PORT\`, \`HOST\` | 8080, 127.0.0.1 | where the gateway listens |
| \`TIDEMARK_DIR\` | \`.tidemark\` | everything that is written: data, logs, \`run.json\` |
| \`TIDEMARK_BIN\` | \`bin\` in \`TIDEMARK_DIR\` | where unpacked servers lie |
| \`DATABASE_URL\`, \`NATS_URL\`, \`REDIS_URL\` | unset | set: that server is used and the embedded one is not started |
| \`PROCESSES\` | \`grouped\` | \`grouped\`: three Node processes; \`split\`: one a service, and the projector |
| \`REPLICAS\` | one each | with \`PROCESSES=split\`: how many processes a service gets, such as \`fetcher=2,extractor=3\` |
| \`NATS_MAX_FILE_STORE\` | 20GB | disk that the embedded NATS server may use; not below the sum of its streams |
| \`STREAM_<NAME>_BYTES\` | by stream | size of a stream of \`deploy/nats/streams.ts\`, in bytes |
| \`LOG_LEVEL\` | \`info\` | of the JSON lines in \`logs/\` |
| \`EVENT_LOOP_STALL_MS\` | unset | set: a process that was held up for longer than so many milliseconds logs \`event loop stalled\` |
| \`OTEL_EXPORTER_OTLP_ENDPOINT\` | unset | set: traces are exported there; unset: nothing is |
`

/** The page, from the settings of every service as they are now. */
export async function configuration(): Promise<string> {
  const sections = await Promise.all(services.map(section))
  return [head, ...sections].join('\n')
}

async function section(service: string): Promise<string> {
  const { Settings } = (await import(`../services/${service}/settings.ts`)) as { Settings: Schema }
  const rows = Object.entries(Settings.properties).map(
    ([name, setting]) => `| \`${name}\` | ${defaultOf(setting)} | ${setting.description ?? ''} |`,
  )
  return [`## ${service}`, '', '| variable | default | meaning |', '|---|---|---|', ...rows, ''].join('\n')
}

function defaultOf({ default: value }: Setting): string {
  if (value === undefined) return 'needed'
  if (value === '' || (Array.isArray(value) && value.length === 0)) return 'empty'
  return `\`${value}\``
}

if (import.meta.main) writeFileSync(file, await configuration())

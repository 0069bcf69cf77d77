/**
 * The image's entry: `run.ts ROLE` is one role of Tidemark, configured by the environment (docs/configuration.md).
 * `prepare` prepares the servers and ends, `admin` runs an administrator's commands, and everything else is a service.
 */
import { services } from '@tidemark/contracts/services'

/** The imports are literal, so that the bundle contains them. */
const jobs: Record<string, () => Promise<unknown>> = {
  prepare: () => import('./local/prepare.ts'),
  admin: () => import('./local/admin.ts'),
}
const badUsage = 64

const [role = ''] = process.argv.slice(2)
const known: readonly string[] = [...services, 'egress', ...Object.keys(jobs)]
if (known.includes(role)) await run(role)
else {
  process.stderr.write(`The first argument says what to run, one of ${known.join(', ')}; it is "${role}".\n`)
  process.exitCode = badUsage
}

async function run(role: string): Promise<void> {
  const { METRICS_PORT, OTEL_EXPORTER_OTLP_ENDPOINT } = process.env
  const job = jobs[role]
  if (job !== undefined) {
    process.argv.splice(2, 1)
    await job()
    return
  }
  // First, because modules that are measured or traced must load after these.
  if (METRICS_PORT || OTEL_EXPORTER_OTLP_ENDPOINT) await import('@tidemark/telemetry/register-metrics')
  if (OTEL_EXPORTER_OTLP_ENDPOINT) await import('@tidemark/telemetry/register')
  await import('./local/host.ts')
}
